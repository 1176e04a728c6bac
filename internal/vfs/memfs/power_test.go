package memfs

import (
	"slices"
	"testing"

	"genlock.dev/genlock/internal/vfs"
)

// keeping keeps the changes with these numbers.
func keeping(numbers ...int) func(int, Change) bool {
	return func(i int, _ Change) bool { return slices.Contains(numbers, i) }
}

func everything(int, Change) bool { return true }

func nothing(int, Change) bool { return false }

func TestAfterPowerCut(t *testing.T) {
	const (
		mkCandidate = iota
		mkToken
		writeToken
		publish
		retire
		mkOther
	)
	f := New(Options{})
	root := open(t, f.Process(), "/")
	must(t, root.Mkdir("candidate", 0o755))
	candidate := openDir(t, root, "candidate")
	must(t, vfs.WriteFile(candidate, "token", []byte("A"), 0o644))
	must(t, root.Rename("candidate", root, "current", vfs.Plain))
	must(t, root.Rename("current", root, "retired", vfs.Plain))
	must(t, root.Mkdir("current", 0o755))

	wantLines(t, "pending", pending(f), `
		add /candidate/
		add /candidate/token
		write /candidate/token 1 bytes at 0
		rename /candidate to /current
		rename /current to /retired
		add /current/`)
	const top = "/ drwxr-xr-x\n"
	for _, tc := range []struct {
		name string
		keep []int
		want string
	}{
		{"nothing", nil, top},
		{"a name comes without what it holds", []int{mkCandidate}, top + `
			/candidate drwxr-xr-x`},
		{"data without its name is lost", []int{mkCandidate, writeToken}, top + `
			/candidate drwxr-xr-x`},
		{"a file without its data is empty", []int{mkCandidate, mkToken, publish}, top + `
			/current drwxr-xr-x
			/current/token -rw-r--r-- ""`},
		{"a rename brings the directory although its first name was lost", []int{mkToken, writeToken, publish}, top + `
			/current drwxr-xr-x
			/current/token -rw-r--r-- "A"`},
		{"a rename moves from wherever the directory is", []int{mkCandidate, retire}, top + `
			/retired drwxr-xr-x`},
		{"a later name takes the place of an earlier one", []int{mkCandidate, mkToken, writeToken, publish, mkOther}, top + `
			/current drwxr-xr-x`},
		{"everything", []int{0, 1, 2, 3, 4, 5}, top + `
			/current drwxr-xr-x
			/retired drwxr-xr-x
			/retired/token -rw-r--r-- "A"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			after := f.AfterPowerCut(keeping(tc.keep...))
			wantLines(t, "disk", after.Dump(), tc.want)
			if left := after.Pending(); len(left) != 0 {
				t.Errorf("pending after the power cut: %v", left)
			}
		})
	}
	if got, want := f.AfterPowerCut(everything).Dump(), f.Dump(); got != want {
		t.Errorf("everything survived, yet\n%s\ninstead of\n%s", got, want)
	}
}

func TestAfterPowerCutRemovalsPersistIndependently(t *testing.T) {
	f := New(Options{})
	must(t, f.WriteFile("/gen/owner", "A"))
	must(t, f.WriteFile("/gen/witness", ""))
	f.Settle()
	must(t, f.RemoveAll("/gen"))
	wantLines(t, "pending", pending(f), `
		remove /gen/owner
		remove /gen/witness
		remove /gen/`)

	wantLines(t, "no removal", f.AfterPowerCut(nothing).Dump(), `
		/ drwxr-xr-x
		/gen drwxr-xr-x
		/gen/owner -rw-r--r-- "A"
		/gen/witness -rw-r--r-- ""`)
	wantLines(t, "only the first", f.AfterPowerCut(keeping(0)).Dump(), `
		/ drwxr-xr-x
		/gen drwxr-xr-x
		/gen/witness -rw-r--r-- ""`)
	wantLines(t, "only the last", f.AfterPowerCut(keeping(2)).Dump(), `
		/ drwxr-xr-x`)
}

// A recycled record is rewritten in place: without its new data it shows the
// old ones.
func TestAfterPowerCutShowsThePreviousContents(t *testing.T) {
	f := New(Options{})
	must(t, f.WriteFile("/d/token", "first"))
	f.Settle()
	d := open(t, f.Process(), "/d")
	w, err := d.Open("token", vfs.ReadWrite, 0)
	must(t, err)
	if _, err := w.Write([]byte("again")); err != nil {
		t.Fatal(err)
	}
	if got, _ := f.AfterPowerCut(nothing).ReadFile("/d/token"); got != "first" {
		t.Errorf("lost write shows %q, want the previous contents", got)
	}
	if got, _ := f.AfterPowerCut(everything).ReadFile("/d/token"); got != "again" {
		t.Errorf("kept write shows %q", got)
	}
	must(t, w.Sync())
	if got, _ := f.AfterPowerCut(nothing).ReadFile("/d/token"); got != "again" {
		t.Errorf("synced write shows %q after a power cut", got)
	}
}

func TestSyncIsForDataOnly(t *testing.T) {
	f := New(Options{})
	d := open(t, f.Process(), "/")
	w, err := d.Open("new", vfs.Create, 0o644)
	must(t, err)
	w.Write([]byte("data"))
	must(t, w.Sync())
	wantLines(t, "pending", pending(f), `add /new`)
	if got, err := f.AfterPowerCut(keeping(0)).ReadFile("/new"); got != "data" || err != nil {
		t.Errorf("name kept, data synced: %q, %v", got, err)
	}
	wantLines(t, "name lost", f.AfterPowerCut(nothing).Dump(), "/ drwxr-xr-x")
}

func TestExchangeIsOneChange(t *testing.T) {
	f := New(Options{})
	must(t, f.WriteFile("/a", "A"))
	must(t, f.WriteFile("/b", "B"))
	f.Settle()
	must(t, f.Process().Rename("/a", "/b", vfs.Exchange))
	wantLines(t, "pending", pending(f), "exchange /a and /b")
	wantLines(t, "lost", f.AfterPowerCut(nothing).Dump(), `
		/ drwxr-xr-x
		/a -rw-r--r-- "A"
		/b -rw-r--r-- "B"`)
	wantLines(t, "kept", f.AfterPowerCut(everything).Dump(), `
		/ drwxr-xr-x
		/a -rw-r--r-- "B"
		/b -rw-r--r-- "A"`)
}

// What lost its place to a survivor can get another one from a later survivor,
// which must not disturb the first.
func TestAfterPowerCutLostPlace(t *testing.T) {
	f := New(Options{})
	must(t, f.WriteFile("/current/token", "old"))
	f.Settle()
	p := f.Process()
	must(t, p.Rename("/current", "/retired", vfs.Plain))
	must(t, f.MkdirAll("/current", 0o755))
	must(t, p.Rename("/retired", "/gone", vfs.Plain))
	wantLines(t, "first rename lost", f.AfterPowerCut(keeping(1, 2)).Dump(), `
		/ drwxr-xr-x
		/current drwxr-xr-x
		/gone drwxr-xr-x
		/gone/token -rw-r--r-- "old"`)
}

// Renames that survive out of order could make a loop. The root leads to none
// of it, so it is gone.
func TestAfterPowerCutLosesLoops(t *testing.T) {
	f := New(Options{})
	must(t, f.MkdirAll("/a/b", 0o755))
	f.Settle()
	p := f.Process()
	must(t, p.Rename("/a/b", "/c", vfs.Plain))
	must(t, p.Rename("/a", "/c/a", vfs.Plain))
	wantLines(t, "second rename alone", f.AfterPowerCut(keeping(1)).Dump(), "/ drwxr-xr-x")
}

// Every subset gives a file system that works and accounts for its space.
func TestAfterPowerCutAnySubset(t *testing.T) {
	f := New(Options{ReuseInodes: true, Inodes: 50})
	root := open(t, f.Process(), "/")
	must(t, f.WriteFile("/x/one", "1"))
	f.Settle()
	must(t, root.Mkdir("y", 0o755))
	must(t, root.Rename("x", root, "y", vfs.Plain))
	must(t, f.RemoveAll("/y/one"))
	must(t, f.WriteFile("/y/two", "22"))
	must(t, f.WriteFile("/y/two", "3"))
	n := len(f.Pending())
	if n != 6 {
		t.Fatalf("%d pending changes: %v", n, f.Pending())
	}
	seen := map[string]bool{}
	for set := range 1 << n {
		after := f.AfterPowerCut(func(i int, _ Change) bool { return set>>i&1 == 1 })
		seen[after.Dump()] = true
		must(t, after.WriteFile("/z", "new"))
		checkSpace(t, after)
	}
	if len(seen) < 12 {
		t.Errorf("%d subsets gave only %d different disks", 1<<n, len(seen))
	}
}
