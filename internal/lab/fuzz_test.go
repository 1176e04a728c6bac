package lab

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"genlock.dev/genlock"
	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/retire"
)

// FuzzTree puts an arbitrary tree in a root's place and lets somebody look, take,
// break and collect. See checkTree.
func FuzzTree(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		if found := checkTree(data); len(found) > 0 {
			w := plantWorld(data)
			t.Errorf("%s\nin\n%s", strings.Join(found, "\n"), w.disk.Dump())
		}
	})
}

// checkTree: looking writes nothing; nothing outside the root is ever changed; what
// is not a root of ours, and what a look says may not be taken, stays as it is;
// everything comes to an end, with all descriptors closed.
func checkTree(data []byte) (f findings) {
	w := plantWorld(data)
	w.process() // livePID
	p := w.process()
	defer p.kill()
	p.armed = true
	before := w.disk.Dump()
	seen, err := w.lock(genlock.Options{}).Status(p.ctx)
	if now := w.disk.Dump(); now != before {
		f.add("looking changed something: now\n%s", now)
	}
	if seen == nil {
		f.add("no observation: %v", err)
		return f
	}
	seen.Describe(began)
	w.takeTree(p, seen, before, &f)
	w.collectTree(p, seen.State, before, &f)
	w.breakTree(p, seen, &f)
	if p.endless {
		f.add("it never ends")
	} else if open := p.fs.Descriptors(); len(open) > 0 {
		f.add("descriptors are left open: %v", open)
	}
	if outside(w.disk.Dump()) != outside(before) {
		f.add("something outside the root changed: now\n%s", w.disk.Dump())
	}
	return f
}

func (w *world) takeTree(p *process, seen *observer.Observation, before string, f *findings) {
	lease, err := w.lock(genlock.Options{}).TryAcquire(p.ctx)
	if err == nil {
		s := &scene{w: w, lease: lease}
		f.must("it was taken", holds(s))
		if seen.State != observer.Free && seen.State != observer.Abandoned {
			f.add("it was taken although it is %s: %s", seen.State, seen.Evidence)
		}
		if err := lease.Release(); err != nil && !strings.Contains(err.Error(), "retired") {
			f.add("releasing: %v", err)
		}
		return
	}
	var held *genlock.HeldError
	if errors.As(err, &held) && held.Seen.Old == nil && (seen.State == observer.Free || seen.State == observer.Foreign) {
		f.add("it is %s, yet held: %v", seen.State, err)
	}
	switch seen.State {
	case observer.Foreign, observer.TooNew, observer.Unsafe, observer.Held, observer.Undecidable, observer.Damaged, observer.Quarantined:
		if seen.State != observer.Unsafe && w.disk.Dump() != before {
			f.add("it is %s and was changed to\n%s", seen.State, w.disk.Dump())
		}
	}
}

func (w *world) collectTree(p *process, state observer.State, before string, f *findings) {
	root, err := fence.Open(p.ctx, lockPath, w.format)
	if err != nil {
		if (state == observer.Foreign || state == observer.TooNew) && w.disk.Dump() != before {
			f.add("what is no root of ours was changed")
		}
		return
	}
	defer root.Close()
	retire.Collect(p.ctx, root, 0)
}

func (w *world) breakTree(p *process, seen *observer.Observation, f *findings) {
	root, err := fence.Open(p.ctx, lockPath, w.format)
	if err != nil {
		return
	}
	defer root.Close()
	switch {
	case seen.State != observer.Damaged && seen.State != observer.Undecidable || seen.Old != nil:
	case seen.Generation == "":
		retire.BreakNameless(p.ctx, root)
	default:
		breakAs(&scene{w: w}, p, seen.Generation)
	}
}

// outside is a dump without what lies in the root's place.
func outside(dump string) string {
	var b strings.Builder
	for line := range strings.Lines(dump) {
		if rest, ok := strings.CutPrefix(line, rootPath); ok && (rest[0] == '/' || rest[0] == ' ' || rest[0] == '.') {
			continue
		}
		b.WriteString(line)
	}
	return b.String()
}

// TestFuzzCorpora: a fuzz target whose seeds vanished would pass with none.
func TestFuzzCorpora(t *testing.T) {
	module := filepath.Join("..", "..")
	err := filepath.WalkDir(module, func(path string, d os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(data)) {
			rest, ok := strings.CutPrefix(line, "func Fuzz")
			name, _, _ := strings.Cut(rest, "(")
			if !ok {
				continue
			}
			seeds, err := os.ReadDir(filepath.Join(filepath.Dir(path), "testdata", "fuzz", "Fuzz"+name))
			if err != nil || len(seeds) == 0 {
				t.Errorf("Fuzz%s in %s has no seeds (%v)", name, path, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
