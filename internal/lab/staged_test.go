package lab

import (
	"path/filepath"
	"strings"
	"testing"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/vfs/faultfs"
)

// TestStagingGoesBeforeTheWitness: a holder that is killed anywhere in its release leaves
// nothing that has to wait for its age: what still has something in it has its witness,
// too, by which anybody can tell that nobody is at it.
func TestStagingGoesBeforeTheWitness(t *testing.T) {
	for k, ended := 1, false; !ended; k++ {
		s := newScene(verb{}, plain)
		s.lease = s.take(s.a)
		out, err := s.lease.Stage(genlock.Artifact{Path: toolPath})
		must(err)
		must(s.build(out, "half"))
		n := 0
		s.a.under(func(op faultfs.Op) error {
			if n++; n == k {
				s.a.kill()
			}
			return nil
		}, s.lease.Release)
		ended = n < k
		held := map[string][]string{}
		for line := range strings.Lines(s.w.disk.Dump()) {
			path, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			if dir, name := filepath.Split(path); filepath.Dir(dir) != "/" && strings.Contains(filepath.Base(dir), "candidate-") {
				held[dir] = append(held[dir], name)
			}
		}
		for dir, names := range held {
			if all := strings.Join(names, " "); !strings.Contains(all, "witness.") {
				t.Errorf("k=%d: in %s there is no witness, but %s", k, dir, all)
			}
		}
		if left := s.w.litter(); ended && len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		s.close()
	}
}
