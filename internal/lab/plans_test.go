package lab

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"genlock.dev/genlock"
	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/generation"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// fault is a kind of bad luck. To try a new one, add it to faults.
type fault struct {
	name string
	// err is what the operation gets; see faultfs.
	err error
	// is is the errno that a true report contains; 0 when nothing is reported.
	is syscall.Errno
	// verbs are the operations that can have it; nil means all.
	verbs []string
	// lasting: from some operation on for ever, instead of once.
	lasting bool
}

var errnos = []syscall.Errno{
	syscall.EIO, syscall.ENOSPC, syscall.EDQUOT, syscall.EACCES, syscall.EPERM, syscall.EROFS,
	syscall.ESTALE, syscall.ENOENT, syscall.EINTR, syscall.ENOLCK, syscall.EXDEV, syscall.EBUSY,
}

var errnoNames = map[syscall.Errno]string{
	syscall.EIO: "EIO", syscall.ENOSPC: "ENOSPC", syscall.EDQUOT: "EDQUOT", syscall.EACCES: "EACCES",
	syscall.EPERM: "EPERM", syscall.EROFS: "EROFS", syscall.ESTALE: "ESTALE", syscall.ENOENT: "ENOENT",
	syscall.EINTR: "EINTR", syscall.ENOLCK: "ENOLCK", syscall.EXDEV: "EXDEV", syscall.EBUSY: "EBUSY",
	syscall.EEXIST: "EEXIST",
}

// faults are all kinds: each errno, once and for ever; operations that happen and
// report failure, as a server whose answer got lost makes them; short reads,
// torn writes, listings that break off; locks that do not lock.
func faults() (all []fault) {
	for _, lasting := range []bool{false, true} {
		for _, e := range errnos {
			all = append(all, fault{name: errnoNames[e], err: e, is: e, lasting: lasting})
		}
		changes := []string{faultfs.Rename, faultfs.Mkdir, faultfs.Create, faultfs.Remove, faultfs.Rmdir, faultfs.Write}
		for _, e := range []syscall.Errno{syscall.EIO, syscall.ESTALE} {
			all = append(all, happened(e, lasting, changes...))
		}
		// What is sent twice fails the second time.
		all = append(all, happened(syscall.ENOENT, lasting, faultfs.Rename, faultfs.Remove, faultfs.Rmdir),
			happened(syscall.EEXIST, lasting, faultfs.Mkdir, faultfs.Create),
			fault{name: "short read", err: faultfs.Partial(1, nil), verbs: []string{faultfs.Read}, lasting: lasting},
			fault{name: "lying lock", err: faultfs.Pretend(), verbs: []string{faultfs.Flock, faultfs.Sync}, lasting: lasting})
	}
	return append(all,
		fault{name: "torn write", err: faultfs.Partial(3, syscall.ENOSPC), is: syscall.ENOSPC, verbs: []string{faultfs.Write}},
		fault{name: "torn listing", err: faultfs.Partial(1, syscall.EIO), is: syscall.EIO, verbs: []string{faultfs.Names}})
}

func happened(e syscall.Errno, lasting bool, verbs ...string) fault {
	return fault{name: "happened, " + errnoNames[e], err: faultfs.Happened(e), is: e, verbs: verbs, lasting: lasting}
}

func (f fault) String() string {
	if f.lasting {
		return f.name + " for ever"
	}
	return f.name + " once"
}

// hides tells whether a look can have been told that what is there is not. No
// program can know better, so that it may believe it: it may report a lock as
// free, lost or moved away. It still must not harm anybody.
func (f fault) hides() bool {
	return f.verbs == nil && (f.is == syscall.ENOENT || f.is == syscall.ESTALE && f.lasting)
}

// explains tells whether err is a true report of the fault.
func (f fault) explains(s *scene, err error) bool {
	if f.is == 0 {
		return false
	}
	if errors.Is(err, f.is) {
		return true
	}
	var t *told
	if errors.As(err, &t) && (f.hides() || strings.Contains(err.Error(), f.is.Error())) {
		return true // in words, for people
	}
	if s.w.options.Dialects != "" && f.is == syscall.ESTALE && f.lasting &&
		(isHeldOld(s, err) || strings.Contains(err.Error(), "changes hands too fast")) {
		return true // the old lock stands there, and somebody seems to move it all the time
	}
	if f.hides() && (errors.As(err, new(*legacy.OtherDialectError)) || strings.Contains(err.Error(), "the fence in it cannot be understood")) {
		return true
	}
	var held *genlock.HeldError
	if errors.As(err, &held) && held.Seen != nil && held.Cause == nil {
		// Nobody can tell who holds it, and why that is so is told.
		state := held.Seen.State
		unsure := state == observer.Undecidable || state == observer.Damaged ||
			state == observer.Held && s.w.isAlive(held.Seen.Holder.PID)
		return unsure && (f.hides() || strings.Contains(err.Error(), f.is.Error()))
	}
	if errors.Is(err, genlock.ErrQuarantined) {
		return strings.Contains(err.Error(), f.is.Error())
	}
	return f.hides() && isAny(err, genlock.ErrLost, generation.ErrRootMoved, genlock.ErrNoArtifact,
		fence.ErrNoRoot, fence.ErrMoved, protocol.ErrNotRoot)
}

func isAny(err error, targets ...error) bool {
	return slices.ContainsFunc(targets, func(t error) bool { return errors.Is(err, t) })
}

// hits tells whether the fault can happen to op.
func (f fault) hits(op faultfs.Op) bool { return f.verbs == nil || slices.Contains(f.verbs, op.Verb) }

// at is the plan by which operation k has the fault; if it lasts, so do later ones.
func (f fault) at(k int) func(faultfs.Op) error {
	return func(op faultfs.Op) error {
		if (op.N == k || f.lasting && op.N > k) && f.hits(op) {
			return f.err
		}
		return nil
	}
}

// killAfter kills p before its operation k+1.
func killAfter(p *process, k int) func(faultfs.Op) error {
	return func(op faultfs.Op) error {
		if op.N == k+1 {
			p.kill()
		}
		return nil
	}
}

// place says where something was done, for messages.
func place(ops []faultfs.Op, k int) string {
	if k < 1 || k > len(ops) {
		return fmt.Sprintf("operation %d", k)
	}
	return fmt.Sprintf("operation %d, %s", k, ops[k-1])
}
