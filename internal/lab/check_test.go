package lab

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"genlock.dev/genlock"
)

// findings are what is wrong after one run. An empty list is good news.
type findings []string

func (f *findings) add(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

// must notes an error that must not be.
func (f *findings) must(what string, err error) {
	if err != nil {
		f.add("%s: %v", what, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
}

// afterFault tells what is wrong after v ended with err under a fault that is over
// now. To add an invariant, add it here.
func (s *scene) afterFault(v verb, bad fault, err error) (f findings) {
	if s.a.endless {
		f.add("it never ends")
		return f
	}
	switch {
	case err == nil && bad.hides():
	case err == nil:
		f.must("it reported success", v.done(s))
	case v.legit != nil && v.legit(s, err):
	case !bad.explains(s, err):
		f.add("the reported error is not the true one: %v", err)
	}
	if v.blocked {
		f.must("the holder", s.holderUnharmed())
	}
	if s.lease != nil && err == nil {
		s.exclusion(&f)
		f.must("releasing afterwards", s.lease.Release())
		s.lease = nil
	}
	if s.network && err != nil {
		// A rename may still arrive, so what the process holds open stays until it ends.
		s.a.kill()
		s.a = s.w.process()
	}
	s.noDescriptors(&f)
	s.retry(v, &f)
	s.tidyAfter(bad, &f)
	return f
}

// exclusion: nobody else gets what a holds.
func (s *scene) exclusion(f *findings) {
	p := s.w.process()
	defer p.kill()
	var held *genlock.HeldError
	if err := s.w.turn(p); !errors.As(err, &held) || held.Seen.VerdictText() != "alive" {
		f.add("somebody else, while it is held: %v", err)
	}
}

// holderUnharmed: what blocks everybody is still there.
func (s *scene) holderUnharmed() error {
	if id := s.w.currentID(); id != s.id {
		return fmt.Errorf("current is %q instead of %s", id, s.id)
	}
	if s.unharmed != nil {
		return s.unharmed()
	}
	if s.other == nil {
		return nil
	}
	return s.other.Check()
}

func (s *scene) end() error {
	if s.unblock != nil {
		return s.unblock()
	}
	return s.other.Release()
}

func (s *scene) noDescriptors(f *findings) {
	s.a.env.CloseKept()
	if open := s.a.fs.Descriptors(); len(open) > 0 {
		f.add("descriptors are left open: %v", open)
	}
}

// retry: without faults a does the same once more, then both it and a fresh process
// take a turn.
func (s *scene) retry(v verb, f *findings) {
	if !v.once {
		err := v.run(s)
		if err == nil {
			f.must("the retry reported success", v.done(s))
		} else if v.legit == nil || !v.legit(s, err) {
			f.must("the retry", err)
		}
		if s.lease != nil {
			f.must("releasing the retry", s.lease.Release())
			s.lease = nil
		}
	}
	if v.blocked {
		f.must("the holder after the retry", s.holderUnharmed())
		f.must("the end of what blocked", s.end())
	}
	f.must("its next turn", s.w.turn(s.a))
	p := s.w.process()
	defer p.kill()
	f.must("a turn of somebody else", s.w.turn(p))
	s.noDescriptors(f)
}

// tidyAfter: when all who were there are gone, one collection leaves nothing.
func (s *scene) tidyAfter(bad fault, f *findings) {
	s.close()
	s.lease, s.other = nil, nil
	p := s.w.process()
	defer p.kill()
	left, err := s.w.leftovers(p)
	f.must("collecting", err)
	if bad.lasting {
		left = slices.DeleteFunc(left, isRootCandidate)
	}
	if bad.hides() {
		// A tombstone that was copied without what was said not to be there
		// is kept for an operator.
		left = slices.DeleteFunc(left, func(path string) bool { return strings.HasPrefix(path, rootPath+"/retired/") })
	}
	if len(left) > 0 {
		f.add("left after one collection: %v", left)
	}
	if open := p.fs.Descriptors(); len(open) > 0 {
		f.add("the collector leaves open: %v", open)
	}
}
