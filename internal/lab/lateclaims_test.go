package lab

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/protocol"
)

// TestLateClaimsAreKept: claims land in a generation that cannot be renamed, after the
// claims were copied for the tombstone in its place. Whatever operation fails from then
// on with a word that says "look again": as long as a claimant lives, nothing is emptied
// whose claims the tombstone has not got. One that could not be looked at hid the others.
func TestLateClaimsAreKept(t *testing.T) {
	claims := []string{fmt.Sprintf("%032x", 0xc1), fmt.Sprintf("%032x", 0xc2), fmt.Sprintf("%032x", 0xc3)}
	for _, cause := range []syscall.Errno{syscall.ESTALE, syscall.ENOENT} {
		for _, lasting := range []bool{false, true} {
			for k, ended := 1, false; !ended; k++ {
				s := newScene(verb{prepare: inLowerLayer}, plain)
				claimant := s.w.process()
				tombstone := rootPath + "/" + protocol.RetiredName + "/" + string(s.id)
				n, landed := 0, false
				err := s.a.under(func(op faultfs.Op) error {
					if op.Verb == faultfs.Rename && op.To == tombstone && strings.Contains(op.Path, "candidate-") && !landed {
						landed = true
						for _, claim := range claims {
							must(s.w.disk.WriteFile(rootPath+"/current/observers/"+claim+"/"+protocol.RecordName,
								foreignRecord(s.id, claimant.pid)))
						}
						return nil
					}
					if !landed {
						return nil
					}
					// Of what concerns no claim other tests tell.
					if !strings.Contains(op.Path+" "+op.To, claims[0]) && !strings.Contains(op.To, "/observers/") {
						return nil
					}
					if n++; n == k || lasting && n > k {
						return cause
					}
					return nil
				}, func() error { return s.w.turn(s.a) })
				if ended = n < k; ended && err != nil && !lasting {
					t.Errorf("%v: without a fault: %v", cause, err)
				}
				if !landed {
					t.Fatal("there is no stand-in any more")
				}
				if s.w.currentID() != s.id {
					for i, claim := range claims {
						if i == 0 && cause == syscall.ENOENT {
							continue // it was told that this one is gone
						}
						if !s.w.exists(tombstone + "/observers/" + claim + "/" + protocol.RecordName) {
							t.Errorf("%v, lasting %v, k=%d, %v: claim %s is not kept\n%s", cause, lasting, k, err, claim, s.w.disk.Dump())
						}
					}
				}
				s.close()
			}
		}
	}
}
