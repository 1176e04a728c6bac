//go:build unix

package genlock_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"genlock.dev/genlock"
	"genlock.dev/genlock/protocol"
)

// floor makes, bare, exactly the calls that docs/protocol.md demands for one turn
// that nobody else wants, and nothing else: what is under every lock that follows
// it. The root stays open, as it is with ours. docs/performance.md says which call is
// there for which rule.
type floor struct {
	lock, path string // L, and its root
	root       int
	rootID     [2]uint64
	record     []byte
	witness    string // after the generation
}

func newFloor(tb testing.TB) *floor {
	tb.Helper()
	lock := genlock.New(filepath.Join(tb.TempDir(), "k.lock"), nil)
	lease, err := lock.TryAcquire(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	f := &floor{lock: lock.Path(), path: lock.Path() + protocol.RootSuffix}
	current := filepath.Join(f.path, protocol.CurrentName)
	f.record, err = os.ReadFile(filepath.Join(current, protocol.RecordName)) // as long as ours
	if err != nil {
		tb.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(current, "witness.*"))
	if err != nil || len(names) != 1 {
		tb.Fatal(names, err)
	}
	f.witness = filepath.Base(names[0])[len("witness.")+len(lease.Generation()):]
	if err := lease.Release(); err != nil {
		tb.Fatal(err)
	}
	if f.root, err = unix.Open(f.path, dirFlags, 0); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { unix.Close(f.root) })
	var st unix.Stat_t
	if err := unix.Fstat(f.root, &st); err != nil {
		tb.Fatal(err)
	}
	f.rootID = [2]uint64{uint64(st.Dev), st.Ino}
	return f
}

const (
	dirFlags  = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fileFlags = unix.O_RDWR | unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC
)

// calls remembers the first error of a row of calls.
type calls struct{ err error }

func (b *calls) do(err error) {
	if b.err == nil {
		b.err = err
	}
}

// missing demands that there is nothing.
func (b *calls) missing(err error) {
	if err != unix.ENOENT {
		b.do(errors.Join(unix.EEXIST, err))
	}
}

func (b *calls) is(st *unix.Stat_t, id [2]uint64) {
	if b.err == nil && id != [2]uint64{uint64(st.Dev), st.Ino} {
		b.err = unix.ESTALE
	}
}

func (f *floor) turn() error { return f.turnWith(nil) }

// turnWith calls held, if not nil, between acquiring and releasing.
func (f *floor) turnWith(held func()) error {
	var b calls
	var st unix.Stat_t
	noFollow := unix.AT_SYMLINK_NOFOLLOW
	var ids [4]string
	for i := range ids {
		id, err := protocol.NewID()
		b.do(err)
		ids[i] = string(id)
	}
	id, candidate, nonce, away := ids[0], "candidate-"+ids[1], ids[2], "candidate-"+ids[3]

	// No old lock stands in the way, and nobody holds ours: then nothing may be written.
	b.missing(unix.Fstatat(unix.AT_FDCWD, f.lock, &st, noFollow))
	b.missing(unix.Fstatat(unix.AT_FDCWD, f.lock+".v2", &st, noFollow))
	_, err := unix.Openat(f.root, protocol.CurrentName, dirFlags, 0)
	b.missing(err)
	// A whole generation, its witness locked.
	b.do(unix.Mkdirat(f.root, candidate, 0o777))
	dir, err := unix.Openat(f.root, candidate, dirFlags, 0)
	b.do(err)
	b.do(unix.Fstat(dir, &st))
	dirID := [2]uint64{uint64(st.Dev), st.Ino}
	name := "witness." + id + f.witness
	witness, err := unix.Openat(dir, name, fileFlags, 0o666)
	b.do(err)
	b.do(unix.Flock(witness, unix.LOCK_EX|unix.LOCK_NB))
	b.write(witness, nonce+"\n")
	b.do(unix.Fstat(witness, &st))
	b.file(dir, protocol.GenerationName, id+"\n")
	b.file(dir, protocol.RecordName, string(f.record))
	// One rename publishes it, provided that the root is still there, and that no
	// old lock came before us.
	b.do(unix.Renameat(f.root, candidate, f.root, protocol.CurrentName))
	b.do(unix.Fstatat(unix.AT_FDCWD, f.path, &st, noFollow))
	b.is(&st, f.rootID)
	b.missing(unix.Fstatat(unix.AT_FDCWD, f.lock, &st, noFollow))
	b.missing(unix.Fstatat(unix.AT_FDCWD, f.lock+".v2", &st, noFollow))
	if held != nil {
		held()
	}
	// The retirement of exactly this one, looked at before and after, to where others
	// will look for it: no link, and not where that was some time ago.
	b.do(unix.Fstatat(f.root, protocol.CurrentName, &st, noFollow))
	b.is(&st, dirID)
	retired, err := unix.Openat(f.root, protocol.RetiredName, dirFlags, 0)
	b.do(err)
	b.do(unix.Renameat(f.root, protocol.CurrentName, retired, id))
	b.do(unix.Fstatat(retired, id, &st, noFollow))
	b.is(&st, dirID)
	// Nobody has a claim. The tombstone moves away, the witness is closed, and
	// what moved is deleted.
	b.missing(unix.Unlinkat(dir, protocol.ObserversName, unix.AT_REMOVEDIR))
	b.do(unix.Renameat(retired, id, f.root, away))
	b.do(unix.Close(witness))
	for _, name := range []string{protocol.GenerationName, protocol.RecordName, name} {
		b.do(unix.Unlinkat(dir, name, 0))
	}
	b.do(unix.Unlinkat(f.root, away, unix.AT_REMOVEDIR))
	b.do(unix.Close(retired))
	b.do(unix.Close(dir))
	return b.err
}

func (b *calls) file(dir int, name, content string) {
	fd, err := unix.Openat(dir, name, fileFlags, 0o666)
	b.do(err)
	b.write(fd, content)
	b.do(unix.Close(fd))
}

func (b *calls) write(fd int, content string) {
	if b.err == nil {
		_, b.err = unix.Write(fd, []byte(content))
	}
}

// BenchmarkFloor is what BenchmarkUncontended is to be compared with.
func BenchmarkFloor(b *testing.B) { loop(b, newFloor(b).turn) }

// TestFloor: the bare calls are a turn of this protocol. While it lasts a lock of ours
// is kept out, and nothing is left of it.
func TestFloor(t *testing.T) {
	f := newFloor(t)
	lock := genlock.New(f.lock, nil)
	var during error
	if err := f.turnWith(func() { _, during = lock.TryAcquire(t.Context()) }); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(during, genlock.ErrHeld) {
		t.Errorf("during the turn ours comes to %v, want %v", during, genlock.ErrHeld)
	}
	if err := leftovers(lock); err != nil {
		t.Error(err)
	}
}
