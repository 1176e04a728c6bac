package evidence_test

import (
	"syscall"

	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/judge"
	"genlock.dev/genlock/internal/vfs/faultfs"
)

// situationsOdd are those in which something is missing, hidden or contradictory.
var situationsOdd = map[string][]situation{
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
		{name: "gone", then: func(s *scene) { s.old(); s.died() }, want: judge.Gone, why: "has the number 4711 in any PID namespace"},
		{name: "zombie", then: func(s *scene) { s.old(); s.process(evidence.Dead, "4711") }, want: judge.Gone, why: "has the number 4711 in any PID namespace"},
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
			want: judge.Undecidable, why: "pid 4711 could not be judged (hidden)"},
		{name: "other host", holder: func(s *evidence.Self) { s.Hostname = "ghost" }, then: func(s *scene) { s.old(); s.died() },
			want: judge.Undecidable, why: "recorded on ghost, this is vm"},
		{name: "namespace in the host name", holder: func(s *evidence.Self) { s.Hostname = "vm/pidns:4026532001" },
			then: func(s *scene) { s.old(); s.died() }, want: judge.Undecidable, why: "recorded on vm/pidns:4026532001"},
		{name: "our own pid", holder: func(s *evidence.Self) { s.PID = ourPID }, then: (*scene).old,
			want: judge.Undecidable, why: "pid 815 is this very process"},
		{name: "localhost", holder: func(s *evidence.Self) { s.Hostname = "localhost.localdomain" },
			then: func(s *scene) { s.old(); s.died(); s.us.self.Hostname = "localhost.localdomain" },
			want: judge.Undecidable, why: "a name that every machine can have"},
		{name: "no host", then: func(s *scene) { s.old(); s.died(); s.p.Record.Hostname = "" },
			want: judge.Undecidable, why: "names no host"},
	},
	"record and witness disagree": {
		{name: "free", then: func(s *scene) { s.died(); s.p.Record.Process.Machine = machineB },
			want: judge.Undecidable, why: "disagree, so neither is believed"},
		{name: "free, another boot in the record", then: func(s *scene) { s.died(); s.p.Record.Process.Boot = bootB },
			want: judge.Undecidable, why: "disagree, so neither is believed"},
		{name: "held", then: func(s *scene) { s.p.Record.Process.Boot = bootB }, want: judge.Alive, why: "its witness is locked"},
		{name: "process taken out of the record", then: func(s *scene) { s.died(); s.p.Record.Process = nil },
			want: judge.Undecidable, why: "disagree"},
	},
}
