package evidence_test

import (
	"syscall"
	"testing"

	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/vfs/faultfs"
)

func TestUnpublished(t *testing.T) {
	for _, c := range []struct {
		name string
		then func(*scene)
		want evidence.Litter
	}{
		{"at work", func(*scene) {}, evidence.Attended},
		{"at work under another boot id", func(s *scene) { s.us.self.Boot = bootB }, evidence.Attended},
		{"crashed", (*scene).letGo, evidence.Unattended},
		{"of another boot", (*scene).rebooted, evidence.Unsaid},
		{"on a network file system", func(s *scene) { s.letGo(); s.on("nfs") }, evidence.Unsaid},
		{"unreadable", func(s *scene) { s.letGo(); s.fail(syscall.EACCES, faultfs.Open) }, evidence.Unsaid},
		{"without a witness", func(s *scene) { s.p.Witness = nil }, evidence.Unsaid},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t, nil)
			s.torn() // a maker writes its record last
			c.then(s)
			if got := evidence.Unpublished(s.us, s.p); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
