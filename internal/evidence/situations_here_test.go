package evidence_test

import (
	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/judge"
)

// situationsHere are those on this machine, in this boot.
var situationsHere = map[string][]situation{
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
	"checkpoint and restore": {
		{name: "restored", then: func(s *scene) { s.process(evidence.Running, "9000") },
			want: judge.Alive, why: "or it was restored from a checkpoint", childOnly: true},
		{name: "restored under another boot", then: func(s *scene) { s.us.self.Boot = bootB }, want: judge.Alive, why: "its witness is locked"},
	},
	"host renamed": {
		{name: "alive", then: func(s *scene) { s.us.self.Hostname = "new" }, want: judge.Alive, why: "pid 4711 runs"},
		{name: "dead", then: func(s *scene) { s.us.self.Hostname = "new"; s.died() }, want: judge.Gone, why: "does not exist"},
		{name: "and rebooted", then: func(s *scene) { s.us.self.Hostname = "new"; s.rebooted() },
			want: judge.Undecidable, why: "recorded on vm, this is new"},
	},
}
