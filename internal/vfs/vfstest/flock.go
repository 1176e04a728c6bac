package vfstest

import (
	"testing"

	"genlock.dev/genlock/internal/vfs"
)

var flockCases = []testCase{
	{"flock/excludes", testFlockExcludes},
	{"flock/belongs to the description", testFlockOfDescription},
	{"flock/conversion", testFlockConversion},
	{"flock/follows the file", testFlockFollowsFile},
	{"flock/inherited", testFlockInherited},
}

// descriptions opens the file f so many times.
func descriptions(t *testing.T, s *stage, how vfs.OpenFlag, n int) []vfs.File {
	t.Helper()
	var list []vfs.File
	for range n {
		f, err := s.root.Open("f", how, 0)
		must(t, err)
		t.Cleanup(func() { f.Close() })
		list = append(list, f)
	}
	return list
}

func wantBusy(t *testing.T, what string, err error) {
	t.Helper()
	if !vfs.IsBusy(err) {
		t.Errorf("%s: got %v, want busy", what, err)
	}
}

func testFlockExcludes(t *testing.T, s *stage) {
	s.make(t, "f")
	f := descriptions(t, s, vfs.Read, 3)
	must(t, f[0].Flock(vfs.Exclusive))
	must(t, f[0].Flock(vfs.Exclusive))
	wantBusy(t, "exclusive beside exclusive", f[1].Flock(vfs.Exclusive))
	wantBusy(t, "shared beside exclusive", f[1].Flock(vfs.Shared))
	must(t, f[0].Close())
	must(t, f[1].Flock(vfs.Shared))
	must(t, f[2].Flock(vfs.Shared))
	must(t, f[1].Close())
	fresh := descriptions(t, s, vfs.ReadWrite, 1)[0]
	wantBusy(t, "exclusive beside shared", fresh.Flock(vfs.Exclusive))
	must(t, f[2].Close())
	must(t, fresh.Flock(vfs.Exclusive))
}

// A second description of the same process is as foreign as any other, and its
// end drops nothing but its own lock.
func testFlockOfDescription(t *testing.T, s *stage) {
	s.make(t, "f")
	f := descriptions(t, s, vfs.Read, 3)
	must(t, f[0].Flock(vfs.Exclusive))
	must(t, f[1].Close())
	wantBusy(t, "after another description was closed", f[2].Flock(vfs.Shared))
}

// Turning a lock into the other kind drops it first, and loses it for good when
// somebody is in the way.
func testFlockConversion(t *testing.T, s *stage) {
	s.make(t, "f")
	f := descriptions(t, s, vfs.Read, 2)
	must(t, f[0].Flock(vfs.Exclusive))
	must(t, f[0].Flock(vfs.Shared))
	must(t, f[1].Flock(vfs.Shared))
	wantBusy(t, "upgrade beside a shared lock", f[0].Flock(vfs.Exclusive))
	must(t, f[1].Flock(vfs.Exclusive)) // f[0] has none any more
}

func testFlockFollowsFile(t *testing.T, s *stage) {
	s.make(t, "current/", "f")
	current := s.open(t, "current")
	must(t, s.root.Rename("f", current, "f", vfs.Plain))
	f, err := current.Open("f", vfs.Read, 0)
	must(t, err)
	defer closing(t, f)
	must(t, f.Flock(vfs.Exclusive))
	must(t, s.root.Rename("current", s.root, "retired", vfs.Plain))
	must(t, current.Rename("f", current, "complete", vfs.Plain))
	probe, err := s.open(t, "retired").Open("complete", vfs.Read, 0)
	must(t, err)
	defer closing(t, probe)
	wantBusy(t, "after its directory and it were renamed", probe.Flock(vfs.Shared))
	s.make(t, "current/", "current/f")
	other, err := s.open(t, "current").Open("f", vfs.Read, 0)
	must(t, err)
	defer closing(t, other)
	must(t, other.Flock(vfs.Exclusive)) // the same name, another file
}

// The lock goes with the last descriptor of the description.
func testFlockInherited(t *testing.T, s *stage) {
	parent := need[Inheritor](t, s.fs, "pass descriptors on")
	s.make(t, "f")
	f := descriptions(t, s, vfs.Read, 2)
	must(t, f[0].Flock(vfs.Exclusive))
	drop, err := parent.Inherit(f[0])
	must(t, err)
	must(t, f[0].Close())
	wantBusy(t, "while a child has it", f[1].Flock(vfs.Shared))
	must(t, drop())
	must(t, f[1].Flock(vfs.Shared))
}
