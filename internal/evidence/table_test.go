package evidence_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/judge"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/protocol"
)

// situation is one line of the trust table in docs/evidence.md. Most lines there
// have several here.
type situation struct {
	name string
	// holder changes what the holder says about itself.
	holder func(*evidence.Self)
	// then is what happened since.
	then func(*scene)
	want judge.Answer
	// why is part of the sentence.
	why                string
	childOnly, stopped bool
}

func inContainer(s *evidence.Self) { s.PIDNS, s.InitialPIDNS = "4026532001", false }

var situations = map[string][]situation{
	"same process": {
		{name: "another process runs", want: judge.Alive, why: "pid 4711 runs and is the same process"},
		{name: "this very process", holder: func(s *evidence.Self) { s.PID, s.Start = ourPID, "815" },
			want: judge.Alive, why: "this very process"},
		{name: "killed", then: (*scene).died, want: judge.Gone, why: "pid 4711 does not exist any more"},
		{name: "its pid is another process", then: func(s *scene) { s.letGo(); s.process(evidence.Running, "9000") },
			want: judge.Gone, why: "pid 4711 is a different process now (start time)"},
		{name: "its pid is ours", holder: func(s *evidence.Self) { s.PID, s.Start = ourPID, "7" },
			then: (*scene).letGo, want: judge.Gone, why: "pid 815 is a different process now"},
		{name: "hidden from us", then: func(s *scene) { s.process(evidence.Unknown, "") },
			want: judge.Alive, why: "its witness is locked"},
		{name: "hidden and dead", then: func(s *scene) { s.process(evidence.Unknown, ""); s.letGo() },
			want: judge.Gone, why: "its witness is free"},
		{name: "no start time", holder: func(s *evidence.Self) { s.Start = "" },
			want: judge.Alive, why: "its witness is locked"},
	},
	"child only": {
		{name: "holder killed", then: (*scene).killed, want: judge.Alive, why: "although pid 4711 is gone", childOnly: true},
		{name: "holder a zombie", then: func(s *scene) { s.process(evidence.Dead, "4711") },
			want: judge.Alive, why: "a command it started goes on", childOnly: true},
		{name: "seen from another PID namespace", holder: inContainer, then: (*scene).killed,
			want: judge.Alive, why: "its witness is locked"},
	},
	"zombie": {
		{name: "unreaped", then: func(s *scene) { s.letGo(); s.process(evidence.Dead, "4711") },
			want: judge.Gone, why: "only waits to be reaped"},
	},
	"stopped": {
		{name: "by a signal", then: func(s *scene) { s.process(evidence.Stopped, "4711") },
			want: judge.Alive, why: "is stopped", stopped: true},
	},
	"other PID namespace": {
		{name: "alive", holder: inContainer, want: judge.Alive, why: "its witness is locked"},
		{name: "dead", holder: inContainer, then: (*scene).died, want: judge.Gone, why: "its witness is free"},
		{name: "dead, same pid lives here", holder: func(s *evidence.Self) { inContainer(s); s.PID, s.Start = ourPID, "815" },
			then: (*scene).letGo, want: judge.Gone, why: "its witness is free"},
		{name: "without a witness", holder: func(s *evidence.Self) { inContainer(s); s.NoOpenFiles = true },
			then: (*scene).died, want: judge.Undecidable, why: "belongs to another PID namespace (4026532001, this is 4026531836)"},
		{name: "namespace unknown, no witness", holder: func(s *evidence.Self) { s.PIDNS, s.NoOpenFiles = "", true },
			then: (*scene).died, want: judge.Undecidable, why: "cannot be told whether pid 4711 was counted in this PID namespace"},
		{name: "inode number used again", then: func(s *scene) { s.letGo(); s.process(evidence.Running, "9000") },
			want: judge.Gone, why: "different process"},
	},
	"other time namespace": {
		{name: "alive", holder: func(s *evidence.Self) { s.TimeNS = "4026532009" }, want: judge.Alive, why: "its witness is locked"},
		{name: "dead", holder: func(s *evidence.Self) { s.TimeNS = "4026532009" }, then: (*scene).died, want: judge.Gone,
			why: "its witness is free"},
		{name: "without a witness, start differs",
			holder: func(s *evidence.Self) { s.TimeNS, s.Start, s.NoOpenFiles = "4026532009", "12", true },
			want:   judge.Undecidable, why: "another time namespace"},
	},
	"other container, same host name": {
		{name: "alive, other boot id bound over", holder: func(s *evidence.Self) { inContainer(s); s.Boot = bootB },
			want: judge.Alive, why: "its witness is locked"},
		{name: "other boot id bound over, no lock to see",
			holder: func(s *evidence.Self) { inContainer(s); s.Boot = bootB }, then: (*scene).letGo,
			want: judge.Undecidable, why: "it is not older than this one"},
		{name: "recorded with its namespace in the host name", holder: func(s *evidence.Self) { inContainer(s); s.Hostname = "vm/pidns:4026532001" },
			then: (*scene).died, want: judge.Gone, why: "its witness is free"},
	},
	"guest sharing a directory": {
		{name: "gVisor: no boot id", holder: func(s *evidence.Self) { s.Boot = "" }, then: (*scene).letGo,
			want: judge.Undecidable, why: "without both boot ids"},
		{name: "microVM with machine id and name of its host",
			holder: func(s *evidence.Self) { s.Boot = bootB }, then: (*scene).letGo,
			want: judge.Undecidable, why: "it may be a guest of this machine"},
		{name: "host seen from the guest", holder: func(s *evidence.Self) { s.Boot = bootB },
			then: func(s *scene) { s.letGo(); s.on("9p"); s.us.self.BootedAt = booted.Add(3 * time.Hour) },
			want: judge.Undecidable, why: "on 9p it may be another machine of that name"},
		{name: "Linux VM on a macOS host", holder: func(s *evidence.Self) { s.Boot, s.Machine, s.Hostname = bootB, machineB, "lima" },
			then: (*scene).letGo, want: judge.Undecidable,
			why: "recorded on lima, this is vm, and nothing proves that it is the same machine"},
		{name: "guest that all call localhost", holder: func(s *evidence.Self) { s.Boot, s.Hostname = bootB, "localhost" },
			then: func(s *scene) {
				s.letGo()
				s.us.self.Hostname, s.us.self.BootedAt = "localhost", booted.Add(3*time.Hour)
			},
			want: judge.Undecidable, why: "a name that every machine can have"},
	},
	"NFS": {
		{name: "alive on this machine", then: func(s *scene) { s.on("nfs") }, want: judge.Alive, why: "pid 4711 runs"},
		{name: "dead on this machine", then: func(s *scene) { s.on("nfs"); s.died() }, want: judge.Gone, why: "does not exist any more"},
		{name: "dead here in another PID namespace", holder: inContainer, then: func(s *scene) { s.on("nfs"); s.died() },
			want: judge.Undecidable, why: "its witness is free, but on nfs that alone proves nothing"},
		{name: "child only", then: func(s *scene) { s.on("nfs"); s.killed() }, want: judge.Alive, why: "goes on", childOnly: true},
		{name: "other host, server locks", holder: func(s *evidence.Self) { s.Boot, s.Machine, s.Hostname = bootB, machineB, "b" },
			then: func(s *scene) { s.on("nfs") }, want: judge.Alive, why: "its witness is locked"},
		{name: "other host, local locks", holder: func(s *evidence.Self) { s.Boot, s.Machine, s.Hostname = bootB, machineB, "b" },
			then: func(s *scene) { s.on("nfs"); s.letGo() }, want: judge.Undecidable, why: "recorded on b, this is vm"},
		{name: "reboot", then: func(s *scene) { s.on("nfs"); s.rebooted() }, want: judge.Undecidable, why: "on nfs it may be another machine"},
	},
	"checkpoint and restore": {
		{name: "restored", then: func(s *scene) { s.process(evidence.Running, "9000") },
			want: judge.Alive, why: "or it was restored from a checkpoint", childOnly: true},
		{name: "restored under another boot", then: func(s *scene) { s.us.self.Boot = bootB }, want: judge.Alive, why: "its witness is locked"},
	},
	"cloned machine id": {
		{name: "other host name", holder: func(s *evidence.Self) { s.Boot, s.Hostname = bootB, "clone" },
			then: func(s *scene) { s.letGo(); s.us.self.BootedAt = booted.Add(3 * time.Hour) },
			want: judge.Undecidable, why: "recorded on clone, this is vm"},
		{name: "other machine of the same name", holder: func(s *evidence.Self) { s.Boot, s.Machine = bootB, machineB },
			then: func(s *scene) { s.letGo(); s.us.self.BootedAt = booted.Add(3 * time.Hour) },
			want: judge.Undecidable, why: "with another machine id"},
	},
	"reboot": {
		{name: "of this machine", then: (*scene).rebooted, want: judge.Gone, why: "this machine was started anew"},
		{name: "host name in other case", then: func(s *scene) { s.rebooted(); s.us.self.Hostname = "VM" },
			want: judge.Gone, why: "started anew"},
		{name: "within the margin", then: func(s *scene) { s.rebooted(); s.us.self.BootedAt = booted.Add(time.Hour + 59*time.Second) },
			want: judge.Undecidable, why: "it is not older than this one"},
		{name: "time of boot unknown", then: func(s *scene) { s.rebooted(); s.us.self.BootedAt = time.Time{} },
			want: judge.Undecidable, why: "it is unknown when this one began"},
		{name: "no machine id", holder: func(s *evidence.Self) { s.Machine = protocol.NoMachine }, then: (*scene).rebooted,
			want: judge.Undecidable, why: "without both machine ids"},
		{name: "our boot id unreadable", then: func(s *scene) { s.rebooted(); s.us.self.Boot = "" },
			want: judge.Undecidable, why: "without both boot ids"},
		{name: "pid lives again", then: func(s *scene) { s.rebooted(); s.process(evidence.Running, "4711") },
			want: judge.Gone, why: "started anew"},
		{name: "witness unreadable", then: func(s *scene) { s.rebooted(); s.fail(syscall.EACCES, faultfs.Open) },
			want: judge.Gone, why: "started anew"},
		{name: "id tells no time, old directory", then: func(s *scene) { s.rebooted(); s.foreignID(); s.p.Born = booted },
			want: judge.Gone, why: "started anew"},
		{name: "id tells no time, fresh directory", then: func(s *scene) { s.rebooted(); s.foreignID(); s.p.Born = booted.Add(4 * time.Hour) },
			want: judge.Undecidable, why: "not older"},
		{name: "id tells no time, nor its directory", then: func(s *scene) { s.rebooted(); s.foreignID() },
			want: judge.Undecidable, why: "it is unknown when it began"},
	},
	"power cut": {
		{name: "torn", then: func(s *scene) { s.rebooted(); s.torn() }, want: judge.Gone, why: "started anew"},
		{name: "torn, recycled directory shows the previous generation", then: func(s *scene) {
			s.rebooted()
			s.p.ID = idAt(booted.Add(time.Minute))
		}, want: judge.Gone, why: "started anew"},
		{name: "torn, recycled after this boot", then: func(s *scene) {
			s.rebooted()
			s.p.ID = idAt(booted.Add(4 * time.Hour))
		}, want: judge.Undecidable, why: "not older"},
		{name: "torn in this boot, held", then: (*scene).torn, want: judge.Alive, why: "its witness is locked"},
		{name: "torn in this boot, free", then: func(s *scene) { s.torn(); s.died() }, want: judge.Undecidable,
			why: "its record is torn"},
		{name: "torn, no machine id", holder: func(s *evidence.Self) { s.Machine = "" },
			then: func(s *scene) { s.rebooted(); s.torn() }, want: judge.Undecidable,
			why: "recorded on a machine that its torn record does not name under another boot"},
		{name: "torn on another machine", holder: func(s *evidence.Self) { s.Machine = machineB },
			then: func(s *scene) { s.rebooted(); s.torn() }, want: judge.Undecidable, why: "another machine id"},
		{name: "damaged, no witness", then: func(s *scene) { s.rebooted(); s.torn(); s.p.Witness = nil },
			want: judge.Undecidable, why: "its record is unusable and no witness tells who made it"},
	},
	"host renamed": {
		{name: "alive", then: func(s *scene) { s.us.self.Hostname = "new" }, want: judge.Alive, why: "pid 4711 runs"},
		{name: "dead", then: func(s *scene) { s.us.self.Hostname = "new"; s.died() }, want: judge.Gone, why: "does not exist"},
		{name: "and rebooted", then: func(s *scene) { s.us.self.Hostname = "new"; s.rebooted() },
			want: judge.Undecidable, why: "recorded on vm, this is new"},
	},
	"another view of the directory": {
		{name: "looks free, other namespace", holder: inContainer, then: func(s *scene) { s.died(); s.p.Record.Process.Ino = "1" },
			want: judge.Undecidable, why: "not the file that the holder locked"},
		{name: "looks free, process runs", then: func(s *scene) { s.letGo(); s.p.Record.Process.Dev = "1" },
			want: judge.Alive, why: "pid 4711 runs"},
		{name: "sees the lock and no process", then: (*scene).letGo, want: judge.Alive, why: "although its witness is free"},
	},
	"unreadable witness": {
		{name: "no permission, process gone", then: func(s *scene) { s.killed(); s.fail(syscall.EACCES, faultfs.Open) },
			want: judge.Undecidable, why: "could not be looked at (permission denied), and a command it started may go on"},
		{name: "no permission, process runs", then: func(s *scene) { s.fail(syscall.EACCES, faultfs.Open) },
			want: judge.Alive, why: "pid 4711 runs"},
		{name: "no descriptors left", then: func(s *scene) { s.died(); s.fail(syscall.EMFILE, faultfs.Open) },
			want: judge.Undecidable, why: "too many open files"},
		{name: "locks are out", then: func(s *scene) { s.died(); s.fail(syscall.ENOLCK, faultfs.Flock) },
			want: judge.Undecidable, why: "no locks available"},
		{name: "stale handle", then: func(s *scene) { s.died(); s.fail(syscall.ESTALE, faultfs.Open) },
			want: judge.Undecidable, why: "could not be looked at"},
		{name: "deleted by hand", then: func(s *scene) { s.died(); s.fail(syscall.ENOENT, faultfs.Open) },
			want: judge.Gone, why: "pid 4711 does not exist any more"},
		{name: "deleted by hand, other namespace", holder: inContainer,
			then: func(s *scene) { s.died(); s.fail(syscall.ENOENT, faultfs.Open) },
			want: judge.Undecidable, why: "it has no witness"},
	},
	"old record": {
		{name: "pid exists", then: (*scene).old, want: judge.Alive, why: "pid 4711 exists on this host"},
		{name: "stopped", then: func(s *scene) { s.old(); s.process(evidence.Stopped, "") },
			want: judge.Alive, why: "pid 4711 exists", stopped: true},
		{name: "gone", then: func(s *scene) { s.old(); s.died() }, want: judge.Gone, why: "in no PID namespace"},
		{name: "zombie", then: func(s *scene) { s.old(); s.process(evidence.Dead, "4711") }, want: judge.Gone, why: "in no PID namespace"},
		{name: "lives in a container", then: func(s *scene) { s.old(); s.died(); s.us.anywhere = map[int]bool{holderPID: true} },
			want: judge.Undecidable, why: "exists in another PID namespace of this machine"},
		{name: "not all processes seen", then: func(s *scene) { s.old(); s.died(); s.us.blind = true },
			want: judge.Undecidable, why: "from here not all can be seen"},
		{name: "judged from a container", then: func(s *scene) { s.old(); s.died(); inContainer(&s.us.self) },
			want: judge.Undecidable, why: "from here not all can be seen"},
		{name: "network file system", then: func(s *scene) { s.old(); s.died(); s.on("nfs") },
			want: judge.Undecidable, why: "on nfs the holder may be on another machine"},
		{name: "guest's file system", then: func(s *scene) { s.old(); s.died(); s.on("fuse") },
			want: judge.Undecidable, why: "on fuse"},
		{name: "hidden", then: func(s *scene) { s.old(); s.process(evidence.Unknown, "") },
			want: judge.Undecidable, why: "could not be judged"},
		{name: "other host", holder: func(s *evidence.Self) { s.Hostname = "ghost" }, then: func(s *scene) { s.old(); s.died() },
			want: judge.Undecidable, why: "recorded on ghost, this is vm"},
		{name: "namespace in the host name", holder: func(s *evidence.Self) { s.Hostname = "vm/pidns:4026532001" },
			then: func(s *scene) { s.old(); s.died() }, want: judge.Undecidable, why: "recorded on vm/pidns:4026532001"},
		{name: "localhost", holder: func(s *evidence.Self) { s.Hostname = "localhost.localdomain" },
			then: func(s *scene) { s.old(); s.died(); s.us.self.Hostname = "localhost.localdomain" },
			want: judge.Undecidable, why: "a name that every machine can have"},
		{name: "no host", then: func(s *scene) { s.old(); s.died(); s.p.Record.Hostname = "" },
			want: judge.Undecidable, why: "names no host"},
	},
	"record and witness disagree": {
		{name: "free", then: func(s *scene) { s.died(); s.p.Record.Process.Machine = machineB },
			want: judge.Undecidable, why: "disagree, so neither is believed"},
		{name: "held", then: func(s *scene) { s.p.Record.Process.Boot = bootB }, want: judge.Alive, why: "its witness is locked"},
		{name: "process taken out of the record", then: func(s *scene) { s.died(); s.p.Record.Process = nil },
			want: judge.Undecidable, why: "disagree"},
	},
}

// TestTrustTable judges every situation of the trust table. With -v it prints
// the table as it came out.
func TestTrustTable(t *testing.T) {
	for group, list := range situations {
		for _, c := range list {
			t.Run(group+"/"+c.name, func(t *testing.T) {
				s := newScene(t, c.holder)
				if c.then != nil {
					c.then(s)
				}
				began := time.Now()
				v := judge.Weigh(evidence.Gather(s.us, s.p))
				t.Logf("%-11s %s (%v)", v.Answer, v.Why, time.Since(began).Round(time.Microsecond))
				if v.Answer != c.want || !strings.Contains(v.Why, c.why) {
					t.Errorf("got %v: %s\nwant %v: …%s…", v.Answer, v.Why, c.want, c.why)
				}
				if v.ChildOnly != c.childOnly || v.Stopped != c.stopped {
					t.Errorf("child only %v, stopped %v; want %v, %v", v.ChildOnly, v.Stopped, c.childOnly, c.stopped)
				}
			})
		}
	}
}
