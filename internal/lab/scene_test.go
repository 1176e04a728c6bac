package lab

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// scene is one run of one verb: a acts, b was there before.
type scene struct {
	w     *world
	a, b  *process
	lease *genlock.Lease // a's, when it holds
	other *genlock.Lease // b's, when it holds
	claim *fence.Fence   // b's, when it observes
	id    protocol.ID    // the generation that the verb is about
	seen  *observer.Observation
	// unblock ends what blocks everybody, if that is not b's lease.
	unblock func() error
	// unharmed tells whether what blocks everybody is still as it was, if that is
	// not b's lease.
	unharmed func() error
	network  bool // the disk is a network file system
	// durable: artifacts are.
	durable bool
}

func newScene(v verb, f flavour) *scene {
	format := v.format
	if format == "" {
		format = protocol.Genlock
	}
	w := newWorld(f, format)
	w.options = genlock.Options{Dialects: v.dialects, Hold: v.hold}
	s := &scene{w: w, b: w.process(), a: w.process(), durable: v.durable, network: f.name == network.name}
	if v.prepare != nil {
		v.prepare(s)
	}
	return s
}

// close lets go of what the code under test remembers of its processes.
func (s *scene) close() {
	s.w.clock.setOnSleep(nil)
	s.a.kill()
	s.b.kill()
	for _, lease := range []*genlock.Lease{s.lease, s.other} {
		if lease != nil {
			lease.Release()
		}
	}
}

func (s *scene) lock() *genlock.Lock { return s.w.lock(genlock.Options{}) }

// take lets p acquire, which must work.
func (s *scene) take(p *process) *genlock.Lease {
	lease, err := s.lock().TryAcquire(p.ctx)
	must(err)
	s.id = lease.Generation()
	return lease
}

// turn is a whole turn of p.
func (w *world) turn(p *process) error {
	lease, err := w.lock(genlock.Options{}).TryAcquire(p.ctx)
	if err != nil {
		return err
	}
	if err := lease.Check(); err != nil {
		return errors.Join(fmt.Errorf("in the middle of a turn: %w", err), lease.Release())
	}
	return lease.Release()
}

func (w *world) open(p *process) *fence.Root {
	root, err := fence.Open(p.ctx, lockPath, w.format)
	must(err)
	return root
}

// build writes an artifact as a command would, which is no operation of ours.
func (s *scene) build(out, content string) error {
	dir, err := s.a.fs.OpenDir(filepath.Dir(out))
	if err != nil {
		return err
	}
	defer dir.Close()
	return vfs.WriteFile(dir, filepath.Base(out), []byte(content), 0o644)
}

// currentID is the generation that lies on disk as current; "" when none does.
func (w *world) currentID() protocol.ID {
	text, err := w.disk.ReadFile(rootPath + "/" + protocol.CurrentName + "/" + protocol.GenerationName)
	if err != nil {
		return ""
	}
	id, _ := protocol.ParseIDFile([]byte(text))
	return id
}

// leftovers collects as p, a day later, and lists what should not be there.
func (w *world) leftovers(p *process) ([]string, error) {
	w.clock.advance(24 * time.Hour)
	root, err := fence.Open(p.ctx, lockPath, w.format)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if _, err := retire.Collect(p.ctx, root, 0); err != nil {
		return nil, err
	}
	if err := w.collectOld(p); err != nil {
		return nil, err
	}
	return w.litter(), nil
}

// litter lists what a cache at rest does not hold.
func (w *world) litter() (left []string) {
	for line := range strings.Lines(w.disk.Dump()) {
		path, _, _ := strings.Cut(line, " ")
		switch strings.TrimPrefix(path, rootPath+"/") {
		case "/", cacheDir, apartDir, rootPath, protocol.MarkerName, protocol.RetiredName, protocol.LastName,
			protocol.QueueName, filepath.Dir(toolPath), toolPath, apartTool, protocol.GuardsName,
			v2Path, v2Path + "/protocol-v2", v2Path + "/retired":
			continue
		}
		left = append(left, path)
	}
	return left
}
