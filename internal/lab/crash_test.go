package lab

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"genlock.dev/genlock"
	"genlock.dev/genlock/protocol"
)

// crash kills the process of the verb after its operation k. The next one takes
// the lock by itself at once, unless b holds it, and one collection leaves nothing.
func (x *experiment) crash(k int) {
	s := newScene(x.verb, x.flavour)
	defer s.close()
	s.a.under(killAfter(s.a, k), func() error { return x.verb.run(s) })
	s.a.kill()
	x.count(func(t *tally) { t.crashes++ })
	x.report("killed after "+place(s.a.ops, k), s.afterCrash(x.verb))
}

func (s *scene) afterCrash(v verb) (f findings) {
	p := s.w.process()
	defer p.kill()
	if s.other != nil && s.w.isAlive(s.b.pid) && s.w.currentID() == s.other.Generation() && !s.isRetired(s.other.Generation()) {
		var held *genlock.HeldError
		if err := s.w.turn(p); !errors.As(err, &held) || held.Seen.Generation != s.other.Generation() || held.Seen.VerdictText() != "alive" {
			f.add("while another holds: %v", err)
		}
		if err := s.other.Release(); !errors.Is(err, syscall.EXDEV) { // then it is finished
			f.must("the other's release", err)
		}
	} else if s.other != nil && s.w.isAlive(s.b.pid) && !v.blocked {
		s.other.Release() // it was broken, perhaps not all the way, and learns it
	} else if v.blocked {
		f.must("the holder", s.holderUnharmed())
		f.must("the end of what blocked", s.end())
	}
	if s.unharmed != nil && !v.blocked && s.unharmed() == nil {
		f.must("the end of the old lock", s.end()) // it was not broken yet
	}
	f.must("the next turn", s.w.turn(p))
	f.must("the artifact", s.w.artifactsWhole("", "old", "new"))
	if s.lease, s.a = nil, p; !v.blocked {
		s.retry(v, &f)
	}
	s.noDescriptors(&f)
	s.b.kill()
	left, err := s.w.leftovers(p)
	f.must("collecting", err)
	if left = slices.DeleteFunc(left, isRootCandidate); len(left) > 0 {
		f.add("left after one collection: %v", left)
	}
	return f
}

// isRetired tells whether id has a tombstone; what is left of it in current is then
// on its way out.
func (s *scene) isRetired(id protocol.ID) bool {
	return s.w.exists(rootPath + "/retired/" + string(id))
}

// isRootCandidate: the rest of a root that a crash kept from being published holds
// nothing, and lies where only an operator looks.
func isRootCandidate(path string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, cacheDir+"/"), "/")
	_, _, ok := protocol.ParseRootCandidateName(name)
	return ok
}

// artifactsWhole tells whether what is published reads as one of the texts; "" is
// one that is not there.
func (w *world) artifactsWhole(texts ...string) error {
	for _, path := range []string{toolPath, apartTool} {
		text, err := w.disk.ReadFile(path)
		if (err != nil || text == "") && w.exists(path) {
			return fmt.Errorf("%s is torn", path)
		}
		if !slices.Contains(texts, text) {
			return fmt.Errorf("%s reads %q", path, text)
		}
	}
	return nil
}
