package faultfs_test

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/internal/vfs/memfs"
)

func TestInsteadHappenedPretend(t *testing.T) {
	for _, tc := range []struct {
		name  string
		fault error
		err   error
		there bool
	}{
		{"instead", syscall.ENOSPC, syscall.ENOSPC, false},
		{"happened", faultfs.Happened(syscall.ENOSPC), syscall.ENOSPC, true},
		{"pretend", faultfs.Pretend(), nil, false},
		{"nothing", nil, nil, true},
	} {
		disk := memfs.New(memfs.Options{})
		root := openRoot(t, disk.Process(), faultfs.On(tc.fault, faultfs.Mkdir))
		if err := root.Mkdir("d", 0o755); !errors.Is(err, tc.err) {
			t.Errorf("%s: reported %v", tc.name, err)
		}
		if _, err := root.Lstat("d"); (err == nil) != tc.there {
			t.Errorf("%s: afterwards %v", tc.name, err)
		}
	}
}

// An operation that fails by itself says why, also when a fault waits behind it.
func TestHappenedReportsTheOperationsOwnError(t *testing.T) {
	root := openRoot(t, memfs.New(memfs.Options{}).Process(), faultfs.On(faultfs.Happened(syscall.EIO), faultfs.Rmdir))
	if err := root.Rmdir("missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reported %v", err)
	}
}

func TestPretendCannotMakeThingsUp(t *testing.T) {
	disk := memfs.New(memfs.Options{})
	always := faultfs.When(func(faultfs.Op) bool { return true }, faultfs.Pretend())
	p := disk.Process()
	root := openRoot(t, p, always)
	f, err := root.Open("f", vfs.Create, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := f.Write([]byte("lost")); n != 4 || err != nil {
		t.Errorf("pretended write: %d, %v", n, err)
	}
	if info, err := f.Stat(); info.Size != 0 || err != nil {
		t.Errorf("stat after a pretended write: %d bytes, %v", info.Size, err)
	}
	if err := errors.Join(f.Flock(vfs.Exclusive), f.Close(), root.Close()); err != nil {
		t.Error(err)
	}
	if open := p.Descriptors(); len(open) > 0 {
		t.Errorf("a pretended close left open: %v", open)
	}
}

func TestShortReads(t *testing.T) {
	disk := memfs.New(memfs.Options{})
	disk.WriteFile("/f", "contents")
	reads := 0
	hook := faultfs.When(func(op faultfs.Op) bool {
		if op.Verb == faultfs.Read {
			reads++
		}
		return op.Verb == faultfs.Read
	}, faultfs.Partial(1, nil))
	root := openRoot(t, disk.Process(), hook)
	data, err := vfs.ReadFile(root, "f", 100)
	if string(data) != "contents" || err != nil {
		t.Errorf("read %q, %v", data, err)
	}
	if reads != 8 {
		t.Errorf("%d reads of one byte, want 8", reads)
	}
}

func TestTornWriteAndListing(t *testing.T) {
	disk := memfs.New(memfs.Options{})
	root := openRoot(t, disk.Process(), faultfs.On(faultfs.Partial(3, syscall.EDQUOT), faultfs.Write, faultfs.Names))
	if err := vfs.WriteFile(root, "f", []byte("contents"), 0o644); !vfs.IsNoSpace(err) {
		t.Errorf("torn write: %v", err)
	}
	if got, _ := disk.ReadFile("/f"); got != "con" {
		t.Errorf("torn write left %q", got)
	}
	for i := range 5 {
		root.Mkdir(fmt.Sprint(i), 0o755)
	}
	if names, err := root.Names(0); len(names) != 3 || err == nil {
		t.Errorf("listing that breaks off: %v, %v", names, err)
	}
}

func TestFromFailsForEver(t *testing.T) {
	got := runEvery(faultfs.From(5, syscall.EROFS))
	if !vfs.IsReadOnly(got.err) || len(got.leaked) > 0 {
		t.Errorf("%v, leaked %v", got.err, got.leaked)
	}
	if want := "/ drwxr-xr-x\n/d drwxr-xr-x\n/d/file -rw-r--r-- \"\"\n"; got.disk.Dump() != want {
		t.Errorf("left:\n%s", got.disk.Dump())
	}
}
