package evidence_test

import (
	"fmt"
	"testing"
	"time"

	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/protocol"
)

// fake is a machine as a test wants it. A pid it does not list is absent.
type fake struct {
	self     evidence.Self
	procs    map[int]evidence.ProcessInfo
	anywhere map[int]bool
	// blind: not every process can be seen.
	blind bool
}

func (f *fake) Self() *evidence.Self { return &f.self }

func (f *fake) Process(pid int) evidence.ProcessInfo {
	info, ok := f.procs[pid]
	if !ok {
		return evidence.ProcessInfo{State: evidence.Absent}
	}
	return info
}

func (f *fake) Anywhere(pid int) (exists, known bool) { return f.anywhere[pid], !f.blind }

// Ids that mean something to a reader.
const (
	bootA    = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	bootB    = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	machineA = "aaaaaaaaaaaaaaaa"
	machineB = "bbbbbbbbbbbbbbbb"

	holderPID = 4711
	ourPID    = 815
)

// booted is when the kernel of both machines of a scene started, at first.
var booted = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

// scene is a holder as it took its lock, and somebody who judges it later. At
// first both are processes of one machine, both alive, on ext4.
type scene struct {
	t       *testing.T
	us      *fake
	hooks   func(faultfs.Op) error
	fs      *faultfs.FS
	p       evidence.Party
	pid     int // the holder's
	witness vfs.File
}

// newScene lets holder take the lock. What it is not told about itself stays as
// on the common machine.
func newScene(t *testing.T, holder func(*evidence.Self)) *scene {
	t.Helper()
	s := &scene{t: t, us: &fake{self: commonSelf(ourPID), procs: map[int]evidence.ProcessInfo{
		ourPID: {State: evidence.Running, Start: "815"}, holderPID: {State: evidence.Running, Start: "4711"}}}}
	s.fs = faultfs.Wrap(vfs.OS(), faultfs.Hooks{Before: func(op faultfs.Op) error {
		if s.hooks == nil {
			return nil
		}
		return s.hooks(op)
	}})
	dir, err := s.fs.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	self := commonSelf(holderPID)
	if holder != nil {
		holder(&self)
	}
	id, nonce := idAt(booted.Add(time.Hour)), idAt(booted)
	witness, process, err := evidence.TakeWitness(&fake{self: self}, dir, id, nonce, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	s.witness, s.pid = witness, self.PID
	t.Cleanup(func() { witness.Close() })
	s.p = evidence.Party{ID: id, Dir: dir, Kind: vfs.Kind{Name: "ext4", Local: true},
		Record: &protocol.Record{Generation: id, Nonce: nonce, Hostname: self.Hostname, PID: self.PID, Process: process},
		Witness: &protocol.Witness{Of: id, Machine: process.Machine,
			Boot: orZeros(process.Boot)}}
	return s
}

func commonSelf(pid int) evidence.Self {
	return evidence.Self{PID: pid, Hostname: "vm", Boot: bootA, Machine: machineA,
		PIDNS: "4026531836", TimeNS: "4026531834", Start: protocol.Number(fmt.Sprint(pid)),
		Instance: protocol.ID(bootA), InitialPIDNS: true, BootedAt: booted}
}

func orZeros(boot string) string {
	if boot == "" {
		return protocol.NoBoot
	}
	return boot
}

// idAt is a UUIDv7 of one moment.
func idAt(t time.Time) protocol.ID {
	return protocol.ID(fmt.Sprintf("%012x7000800000000000abcd", t.UnixMilli()))
}

// What may happen to the holder.

// letGo is the end of the last process that had the witness open.
func (s *scene) letGo() { s.witness.Close() }

// killed ends the holder, but not what it started.
func (s *scene) killed() { delete(s.us.procs, s.pid) }

// died ends the holder and everything it started.
func (s *scene) died() { s.killed(); s.letGo() }

func (s *scene) process(state evidence.State, start protocol.Number) {
	info := evidence.ProcessInfo{State: state, Start: start}
	if state == evidence.Unknown {
		info.Why = "hidden"
	}
	s.us.procs[s.pid] = info
}

// rebooted starts our machine anew, two hours after the holder took the lock.
func (s *scene) rebooted() {
	s.died()
	s.us.self.Boot = bootB
	s.us.self.BootedAt = booted.Add(3 * time.Hour)
}

// torn empties the files as a power cut does; names survive.
func (s *scene) torn() { s.p.Record = nil }

func (s *scene) on(kind string) { s.p.Kind = vfs.Kind{Name: kind} }

// foreignID is an id without a time, as other programs make them.
func (s *scene) foreignID() {
	s.p.ID = "0123456789abcdef0123456789abcdef"
	w := *s.p.Witness
	w.Of = s.p.ID
	s.p.Witness = &w
}

// old makes the record one of another program.
func (s *scene) old() { s.p.Record.Process, s.p.Witness = nil, nil }

// fail makes the operations with one of the verbs fail.
func (s *scene) fail(err error, verbs ...string) { s.hooks = faultfs.On(err, verbs...) }

func decimal(n uint64) protocol.Number { return protocol.Number(fmt.Sprint(n)) }
