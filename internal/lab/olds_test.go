package lab

import (
	"errors"
	"fmt"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/operate"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/retire"
)

// v2Path is the root of the v2 programs.
const v2Path = lockPath + ".v2"

// oldVerbs are those that have to do with locks of old programs. heartbeat is not
// held here: what keeps it fresh would run ahead of the virtual clock.
var oldVerbs = []verb{
	{name: "hold mkdir", dialects: "mkdir", hold: true, prepare: used, run: turn, done: noOldLock},
	{name: "hold v2", dialects: "v2", hold: true, prepare: used, run: turn, done: noOldLock},
	{name: "hold mkdir and v2", dialects: "mkdir,v2", hold: true, prepare: used, run: turn, done: noOldLock},
	{name: "hold token", dialects: "token=here", hold: true, prepare: used, run: turn, done: noOldLock},
	{name: "reclaim a dead mkdir", dialects: "mkdir", prepare: oldMkdir(goneOldPID), run: turn, done: noOldLock, local: true},
	{name: "reclaim a dead v2", dialects: "mkdir,v2", prepare: oldV2(goneOldPID), run: turn, done: noOldLock, local: true},
	{name: "reclaim a dead token", dialects: "token=here", prepare: oldToken(goneOldPID), run: turn, done: noOldLock, local: true},
	{name: "reclaim a stale heartbeat", dialects: "heartbeat=10s", prepare: oldHeartbeat, run: turn, done: noOldLock},
	{name: "respect a live mkdir", dialects: "mkdir", prepare: oldMkdir(oldPID), run: turn, legit: isHeldOld, done: never, blocked: true},
	{name: "respect a live v2", dialects: "mkdir,v2", prepare: oldV2(oldPID), run: turn, legit: isHeldOld, done: never, blocked: true},
	{name: "respect a live token", dialects: "token=here", prepare: oldToken(oldPID), run: turn, legit: isHeldOld, done: never, blocked: true},
	{name: "respect an unknown dialect", prepare: oldMkdir(goneOldPID), run: turn, legit: isHeldOld, done: never, blocked: true},
	{name: "status of an old lock", dialects: "mkdir", prepare: oldMkdir(oldPID), run: status, done: isSeenOld, blocked: true},
	{name: "break an old lock", dialects: "mkdir", prepare: oldMkdir(oldPID), run: breakOld, done: noOldLock},
	{name: "collect what old ones left", dialects: "mkdir,v2", prepare: oldRemains, run: collectExtinct, done: noOldLock},
}

// Processes of old programs. The live one never ends; the scene's own come later.
const (
	oldPID     = 1 // the first process of the world, which is b
	goneOldPID = 4711
)

func oldRecord(pid int) string {
	return fmt.Sprintf(`{"hostname":"vm","pid":%d,"startedAt":"2026-03-01T11:00:00.000Z"}`, pid)
}

func oldMkdir(pid int) func(*scene) {
	return func(s *scene) {
		used(s)
		s.plantOld(lockPath, "owner.json", oldRecord(pid))
	}
}

func oldV2(pid int) func(*scene) {
	return func(s *scene) {
		used(s)
		must(s.w.disk.WriteFile(v2Path+"/protocol-v2", "ttsc-plugin-build-lock-v2\n"))
		must(s.w.disk.MkdirAll(v2Path+"/retired", 0o755))
		must(s.w.disk.WriteFile(v2Path+"/current/generation", string(idA)+"\n"))
		s.plantOld(v2Path+"/current", "owner.json", oldRecord(pid))
	}
}

func oldToken(pid int) func(*scene) {
	return func(s *scene) {
		used(s)
		s.plantOld(lockPath, "owner.json", fmt.Sprintf(`{"pid":%d,"token":"01234567-89ab-7def-8123-456789abcdef"}`, pid))
	}
}

func oldHeartbeat(s *scene) {
	used(s)
	must(s.w.disk.MkdirAll(lockPath, 0o755))
	s.w.clock.advance(time.Minute)
}

// oldRemains: a tombstone of each kind, and the rest of crashed attempts.
func oldRemains(s *scene) {
	used(s)
	must(s.w.disk.WriteFile(v2Path+"/protocol-v2", "ttsc-plugin-build-lock-v2\n"))
	for _, dir := range []string{lockPath + ".retired-" + string(idA), v2Path + "/retired/" + string(idA),
		lockPath + ".legacy-candidate-" + string(idA), v2Path + "/candidate-" + string(idB)} {
		must(s.w.disk.WriteFile(dir+"/owner.json", oldRecord(goneOldPID)))
	}
	s.w.clock.advance(24 * time.Hour)
}

// plantOld makes an old lock, which holds everybody off if its maker lives.
func (s *scene) plantOld(dir, name, record string) {
	must(s.w.disk.WriteFile(dir+"/"+name, record))
	s.w.clock.advance(time.Minute)
	s.unharmed = func() error {
		if text, err := s.w.disk.ReadFile(dir + "/" + name); err != nil || text != record {
			return fmt.Errorf("the old lock's record reads %q, %v", text, err)
		}
		return nil
	}
	s.unblock = func() error { return s.w.disk.RemoveAll(dir) }
}

func breakOld(s *scene) error {
	_, err := operate.BreakOld(s.a.ctx, lockPath, s.w.format, "mkdir", retire.Word{By: "operator"})
	return err
}

func collectExtinct(s *scene) error { return s.w.collectOld(s.a) }

// collectOld collects what old protocols left, when none of their programs is left.
func (w *world) collectOld(p *process) error {
	set, err := legacy.Parse(w.options.Dialects)
	if err != nil || len(set) == 0 {
		return err
	}
	_, err = operate.CollectOld(p.ctx, lockPath, w.format, set, legacy.Word{Extinct: true})
	return err
}

// noOldLock: nobody holds, in any way.
func noOldLock(s *scene) error {
	for _, path := range []string{lockPath, v2Path + "/current"} {
		if s.w.exists(path) {
			return fmt.Errorf("%s is still there", path)
		}
	}
	return isFree(s)
}

// isHeldOld accepts that an old program holds, when one does.
func isHeldOld(_ *scene, err error) bool {
	var held *genlock.HeldError
	return errors.As(err, &held) && held.Seen != nil && held.Seen.Old != nil && held.Cause == nil
}

func isSeenOld(s *scene) error {
	if s.seen.Old == nil || s.seen.Old.Dialect != "mkdir" || s.seen.Old.PID != oldPID {
		return fmt.Errorf("status says %s, old lock %+v", s.seen.State, s.seen.Old)
	}
	return nil
}
