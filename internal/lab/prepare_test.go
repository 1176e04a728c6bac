package lab

import (
	"fmt"
	"time"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/protocol"
)

// Situations: what was there before a verb begins. See verbs.

func used(s *scene) { must(s.w.turn(s.b)) }

// turning: a has had turns in quick succession, so that it has a directory to recycle.
func turning(s *scene) {
	s.a.env.Keeping()
	for range 2 {
		must(s.w.turn(s.a))
	}
	if left := s.w.litter(); len(left) == 0 {
		panic("nothing is there to be recycled")
	}
}

func holding(s *scene) { s.lease = s.take(s.a) }

func heldByB(s *scene) { s.other = s.take(s.b) }

func claimed(s *scene) {
	holding(s)
	var err error
	s.claim, err = fence.Claim(s.b.ctx, s.w.open(s.b), s.id)
	must(err)
}

func broken(s *scene) {
	holding(s)
	must(breakAs(s, s.b, s.id))
}

func abandoned(s *scene) {
	heldByB(s)
	s.b.kill()
}

// finished: b could not retire its generation and marked it instead.
func finished(s *scene) {
	heldByB(s)
	must(s.w.disk.MkdirAll(rootPath+"/retired/"+string(s.id)+"/x", 0o755))
	if err := s.other.Release(); err == nil {
		panic("a release that cannot work did")
	}
	must(s.w.disk.RemoveAll(rootPath + "/retired/" + string(s.id)))
	s.other = nil
}

// foreign: a generation as other programs write it, of a process that is gone.
func foreign(s *scene) {
	used(s)
	s.id = "0123456789abcdef0123456789abcdef"
	dir := rootPath + "/" + protocol.CurrentName + "/"
	must(s.w.disk.WriteFile(dir+protocol.GenerationName, string(s.id)+"\n"))
	must(s.w.disk.WriteFile(dir+protocol.RecordName, foreignRecord(s.id, 4711)))
}

func inLowerLayer(s *scene) {
	abandoned(s)
	must(s.w.disk.MarkLower(rootPath + "/" + protocol.CurrentName))
}

func aliveInLowerLayer(s *scene) {
	heldByB(s)
	must(s.w.disk.MarkLower(rootPath + "/" + protocol.CurrentName))
}

// guarded: a command of a foreign holder that is gone may still run.
func guarded(s *scene) {
	foreign(s)
	guard := rootPath + "/" + protocol.GuardsName + "/" + plantedGuard.Name()
	must(s.w.disk.WriteFile(guard, guardText(protocol.GuardPending)))
	s.unblock = func() error { return s.w.disk.RemoveAll(guard) }
}

func emptyCurrent(s *scene) {
	used(s)
	must(s.w.disk.MkdirAll(rootPath+"/"+protocol.CurrentName, 0o755))
}

func debris(s *scene) {
	used(s)
	must(s.w.disk.WriteFile(rootPath+"/"+protocol.CurrentName+"/"+protocol.StageName(idA)+"/tool", "half"))
}

func foreignRecord(id protocol.ID, pid int) string {
	return fmt.Sprintf(`{"generation":%q,"completionNonce":"fedcba9876543210fedcba9876543210","hostname":"vm","pid":%d,`+
		`"startedAt":"2026-03-01T11:59:00.000Z"}`, id, pid)
}

func releasesSoon(s *scene) {
	heldByB(s)
	sleeps := 0
	s.w.clock.setOnSleep(func() {
		if sleeps++; sleeps == 3 {
			s.w.clock.setOnSleep(nil)
			must(s.other.Release())
		}
	})
}

func built(path string) func(*scene) {
	return func(s *scene) {
		used(s)
		must(s.w.disk.WriteFile(path, "old"))
	}
}

// remains: what crashes leave. A tombstone with the claim of a dead observer in
// it, a candidate with a witness and one without, a claim in flight.
func remains(s *scene) {
	claimed(s)
	must(s.lease.Release())
	s.lease = nil
	s.b.kill()
	for range 2 {
		p := s.w.process()
		p.under(killAfter(p, 10), func() error { return s.w.turn(p) })
	}
	must(s.w.disk.MkdirAll(rootPath+"/"+protocol.CandidateName(s.id), 0o755))
	holder := s.w.process()
	s.take(holder)
	holder.kill()
	late := s.w.process()
	_, err := fence.Claim(late.ctx, s.w.open(late), s.id)
	must(err)
	late.kill()
	must(s.w.turn(s.a))
	s.w.clock.advance(24 * time.Hour)
}
