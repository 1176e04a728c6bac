package lab

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// regressions are faults that the code once did not stand: the verb, the fault, and
// the operation, by its first word and a part of its paths.
var regressions = map[string]struct {
	verb       string
	fault      fault
	word, path string
}{
	// The tombstone could not be looked at: the holder's own retirement was
	// taken for somebody else's.
	"own retirement is no loss": {"release", once(syscall.EIO), faultfs.Lstat, "/retired/"},
	// "Look again" was taken for "is not there".
	"stale look is no loss":              {"note a failure", once(syscall.ESTALE), faultfs.Lstat, "/current"},
	"stale root is no loss":              {"note a failure", once(syscall.ESTALE), faultfs.Lstat, "k.lock.v3"},
	"stale claims are claims":            {"release with a claim", once(syscall.ESTALE), faultfs.Rmdir, "/observers"},
	"stale root is not free":             {"status", once(syscall.ESTALE), faultfs.OpenDir, "k.lock.v3"},
	"stale staging is no loss":           {"stage and publish", once(syscall.ESTALE), faultfs.Lstat, "/stage-"},
	"stale completion is looked up":      {"reclaim a finished one", once(syscall.ESTALE), faultfs.Open, "/task-complete"},
	"stale guards guard":                 {"respect a guard", once(syscall.ESTALE), faultfs.OpenDir, protocol.GuardsName},
	"stale guard guards":                 {"respect a guard", once(syscall.ESTALE), faultfs.Open, ".json"},
	"stale for ever is not restless":     {"try a held lock", ever(syscall.ESTALE), faultfs.Open, "/current/generation"},
	"stale litter is not collected":      {"collect", once(syscall.ESTALE), faultfs.OpenDir, "/candidate-"},
	"no place for tombstones is no loss": {"release", ever(syscall.EIO), faultfs.OpenDir, "/retired"},
	// A claim that had landed was made anew, for ever, and the lock called free.
	"claim that landed is one": {"reclaim a dead holder", happened(syscall.ENOENT, true, faultfs.Rename), faultfs.Rename, "/observers/"},
	// The reason got lost on the way.
	"taken name says so":            {"acquire a new key", happened(syscall.EEXIST, true, faultfs.Mkdir), faultfs.Mkdir, "candidate"},
	"vanished candidate says so":    {"acquire and release", happened(syscall.ESTALE, true, faultfs.Create), faultfs.Create, "/witness."},
	"doubt after the claim is told": {"reclaim a dead holder", once(syscall.EIO), faultfs.Flock, "/current/witness."},
	"fence that moves for ever":     {"reclaim a dead mkdir", happened(syscall.ESTALE, true, faultfs.Create), faultfs.Create, "fence.json"},
	"record that moves for ever":    {"reclaim a dead token", happened(syscall.ENOENT, true, faultfs.Rename), faultfs.Rename, "/owner.json"},
	"collector tells what it left":  {"collect", once(syscall.EIO), faultfs.Rmdir, "/candidate-"},
	// What is left of one that could not be renamed was nobody's.
	"half emptied one":       {"reclaim in a lower layer", once(syscall.EIO), faultfs.Remove, "/current/generation"},
	"half emptied directory": {"reclaim in a lower layer", once(syscall.EIO), faultfs.OpenDir, "/current/witness."},
	"emptied in vain":        {"break in a lower layer", once(syscall.ESTALE), faultfs.Remove, "/current/generation"},
	// A stand-in that had been published was taken for one that had not.
	"published stand-in stands in": {"break in a lower layer", happened(syscall.ENOENT, false, faultfs.Rename), faultfs.Rename, "/retired/"},
	// A release of an old lock was called a loss; the old lock was taken twice under
	// one generation, and could never be released.
	"stale claim of an own record is no loss": {"hold token", once(syscall.ESTALE), faultfs.Rename, "/owner.json"},
	"stale look while an old lock is taken":   {"hold v2", once(syscall.ESTALE), faultfs.OpenDir, "k.lock.v2"},
	// The note about a broken holder was prepared in a directory that was gone.
	"note of an emptied one": {"break a live holder", once(syscall.EXDEV), faultfs.Rename, "/retired/"},
}

func once(e syscall.Errno) fault { return fault{name: errnoNames[e], err: e, is: e} }

func ever(e syscall.Errno) fault { return fault{name: errnoNames[e], err: e, is: e, lasting: true} }

// TestRegressions puts each of them to every place that fits.
func TestRegressions(t *testing.T) {
	for name, r := range regressions {
		t.Run(name, func(t *testing.T) {
			x := &experiment{verb: verbNamed(t, r.verb), flavour: plain}
			s := newScene(x.verb, plain)
			defer s.close()
			s.a.under(nil, func() error { return x.verb.run(s) })
			for i, op := range s.a.ops {
				if op.Verb == r.word && strings.Contains(op.Path+" "+op.To, r.path) {
					x.fault(r.fault, i+1)
				}
			}
			if x.tally.faults == 0 {
				t.Error("no such operation any more")
			}
			for _, found := range x.found {
				t.Error(found)
			}
		})
	}
}

func verbNamed(t *testing.T, name string) verb {
	t.Helper()
	for _, v := range verbs {
		if v.name == name {
			return v
		}
	}
	t.Fatalf("there is no verb %q", name)
	return verb{}
}

// TestMarkerSurvivesPowerCut: a power cut a moment after a key was used for the
// first time left an empty marker, and the key could not be used any more.
func TestMarkerSurvivesPowerCut(t *testing.T) {
	w := newWorld(plain, protocol.Genlock)
	must(w.turn(w.process()))
	pending := w.disk.Pending()
	after := w.afterPowerCut(func(i int) bool { return !strings.HasPrefix(pending[i].String(), "write ") })
	if err := after.turn(after.process()); err != nil {
		t.Error(err)
	}
}

// TestBreakNameless: what names no generation could not be broken at all.
func TestBreakNameless(t *testing.T) {
	w := newWorld(plain, protocol.Genlock)
	p := w.process()
	must(w.turn(p))
	root := w.open(p)
	defer root.Close()
	if err := retire.BreakNameless(p.ctx, root); !errors.Is(err, fence.ErrMoved) {
		t.Errorf("nothing is held, yet %v", err)
	}
	must(w.disk.WriteFile(rootPath+"/current/owner.json", ""))
	must(w.disk.WriteFile(rootPath+"/current/stage-"+idA+"/tool", "half"))
	if err := w.turn(p); err == nil {
		t.Error("taken without an operator")
	}
	if err := errors.Join(retire.BreakNameless(p.ctx, root), w.turn(p)); err != nil {
		t.Error(err)
	}
	// Whatever names a generation is not for this.
	s := &scene{w: w}
	lease := s.take(p)
	if err := retire.BreakNameless(p.ctx, root); !errors.Is(err, fence.ErrMoved) {
		t.Errorf("a generation with a name: %v", err)
	}
	if err := errors.Join(lease.Check(), lease.Release()); err != nil {
		t.Error(err)
	}
}

// TestTornInLowerLayer: a power cut left a generation whose witness alone tells which one
// it is, and it lies where it cannot be renamed. Who emptied it deleted the witness
// before the torn generation file, and a crash in between left what nobody could judge.
func TestTornInLowerLayer(t *testing.T) {
	ended := false
	for k := 1; !ended; k++ {
		before := newWorld(plain, protocol.Genlock)
		(&scene{w: before}).take(before.process())
		w := before.afterPowerCut(func(int) bool { return true })
		current := rootPath + "/" + protocol.CurrentName
		must(w.disk.WriteFile(current+"/"+protocol.GenerationName, "\x00"))
		must(w.disk.MarkLower(current))
		p := w.process()
		err := p.under(killAfter(p, k), func() error { return w.turn(p) })
		ended = len(p.ops) < k
		if ended {
			must(err)
		}
		p.kill()
		p = w.process()
		if err := w.turn(p); err != nil {
			t.Errorf("killed after operation %d: %v", k, err)
		}
		if left, err := w.leftovers(p); err != nil || len(left) > 0 {
			t.Errorf("killed after operation %d: left: %v, %v", k, left, err)
		}
	}
}
