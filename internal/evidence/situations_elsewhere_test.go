package evidence_test

import (
	"syscall"
	"time"

	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/judge"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/protocol"
)

// situationsElsewhere are those in which the holder may be on another machine, or under another boot.
var situationsElsewhere = map[string][]situation{
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
	"cloned machine id": {
		{name: "other host name", holder: func(s *evidence.Self) { s.Boot, s.Hostname = bootB, "clone" },
			then: func(s *scene) { s.letGo(); s.us.self.BootedAt = booted.Add(3 * time.Hour) },
			want: judge.Undecidable, why: "recorded on clone, this is vm"},
		{name: "other machine of the same name", holder: func(s *evidence.Self) { s.Boot, s.Machine = bootB, machineB },
			then: func(s *scene) { s.letGo(); s.us.self.BootedAt = booted.Add(3 * time.Hour) },
			want: judge.Undecidable, why: "is not that of this machine"},
	},
	"reboot": {
		{name: "of this machine", then: (*scene).rebooted, want: judge.Gone, why: "this machine was started anew"},
		{name: "host name in other case", then: func(s *scene) { s.rebooted(); s.us.self.Hostname = "VM" },
			want: judge.Gone, why: "started anew"},
		{name: "of a container under this host's name",
			holder: func(s *evidence.Self) { inContainer(s); s.Hostname = "vm/pidns:4026532001" },
			then:   (*scene).rebooted, want: judge.Gone, why: "started anew"},
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
		{name: "torn, recycled after this boot by its witness", then: func(s *scene) {
			s.rebooted()
			s.us.self.BootedAt, s.p.ID = booted.Add(30*time.Minute), idAt(booted.Add(time.Minute))
		}, want: judge.Undecidable, why: "not older"},
		{name: "recycled, in this boot, free", holder: inContainer, then: func(s *scene) {
			s.died()
			s.p.ID = idAt(booted.Add(time.Minute))
		}, want: judge.Undecidable, why: "its record is torn"},
		{name: "torn in this boot, held", then: (*scene).torn, want: judge.Alive, why: "its witness is locked"},
		{name: "torn in this boot, free", then: func(s *scene) { s.torn(); s.died() }, want: judge.Undecidable,
			why: "its record is torn"},
		{name: "torn, no machine id", holder: func(s *evidence.Self) { s.Machine = "" },
			then: func(s *scene) { s.rebooted(); s.torn() }, want: judge.Undecidable,
			why: "recorded on a machine that its torn record does not name under another boot"},
		{name: "torn on another machine", holder: func(s *evidence.Self) { s.Machine = machineB },
			then: func(s *scene) { s.rebooted(); s.torn() }, want: judge.Undecidable, why: "is not that of this machine"},
		{name: "damaged, no witness", then: func(s *scene) { s.rebooted(); s.torn(); s.p.Witness = nil },
			want: judge.Undecidable, why: "its record is unusable and no witness tells who made it"},
	},
}
