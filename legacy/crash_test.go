package legacy_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"genlock.dev/genlock/internal/vfs/faultfs"
)

// lists are the sets of dialects that are held, and the old program that meets
// what we leave.
var lists = []struct{ list, name string }{
	{"mkdir", "mkdir"}, {"v2", "v2"}, {"mkdir,v2", "v2"}, {"v2,mkdir", "mkdir"},
	{"token=here", "token"}, {"heartbeat=10s", "heartbeat"},
}

// Hold mode, killed before every single operation of taking and releasing: the old
// program, and ours, get the lock from what is left. Ours needs no time for it
// where a directory can be renamed without replacing.
func TestCrashAtEveryStep(t *testing.T) {
	for _, tt := range lists {
		for start, prepare := range starts(tt.list, tt.name) {
			for _, plain := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, from %s, plain %v", tt.list, tt.name, start, plain), func(t *testing.T) {
					t.Parallel()
					for k := 1; ; k += crashStride() {
						w, ended := crashedAt(t, tt.list, prepare, plain, k)
						w.oldRecovers(tt.name, k)
						if ended {
							break
						}
						w, _ = crashedAt(t, tt.list, prepare, plain, k)
						w.oursRecovers(tt.list, plain, k)
					}
				})
			}
		}
	}
}

// crashStride is 1: every step, unless the race detector makes it too slow.
func crashStride() int {
	if racing && os.Getenv("GENLOCK_LONG") == "" {
		return 5
	}
	return 1
}

// noReplaceRefused is a file system that cannot rename without replacing.
func noReplaceRefused(op faultfs.Op) error {
	if op.Verb == faultfs.Rename && op.How == "noreplace" {
		return syscall.EINVAL
	}
	return nil
}

// crashedAt is the world after a process of ours was killed before operation k of
// taking and releasing the lock; ended tells that it made fewer.
func crashedAt(t *testing.T, list string, prepare func(*world), plain bool, k int) (w *world, ended bool) {
	t.Helper()
	w = newWorld(t)
	prepare(w)
	set := mustParse(t, list)
	p := w.proc()
	n := 0
	done := make(chan bool)
	p.before = func(op faultfs.Op) error {
		// A crash before an operation that changes nothing is a crash before the
		// next one that does.
		if op.Writes() || op.Verb == faultfs.Touch {
			n++
		}
		if n == k {
			n++
			p.kill()
			done <- false
			runtime.Goexit()
		}
		if plain {
			return noReplaceRefused(op)
		}
		return nil
	}
	go func() {
		l, s, err := p.acquire(set, true, 5)
		if l == nil {
			t.Errorf("cannot take the lock: %+v %v\n%s", s, err, w.disk.Dump())
		} else if err := l.Release(); err != nil {
			t.Errorf("release: %v", err)
		}
		done <- true
	}()
	ended = <-done
	p.kill()
	return w, ended
}

// oldRecovers: no longer than its own age rules, and nothing is thrown.
func (w *world) oldRecovers(name string, k int) {
	w.t.Helper()
	program := w.proc().program(name)
	for range 6 {
		got, err := program.Try(lock)
		if err != nil {
			w.t.Errorf("k=%d: the old program throws %v\n%s", k, err, w.disk.Dump())
			return
		}
		if got {
			w.ok(program.Release(lock))
			return
		}
		w.pass(16 * time.Second)
	}
	w.t.Errorf("k=%d: the old program is wedged\n%s", k, w.disk.Dump())
}

func (w *world) oursRecovers(list string, plain bool, k int) {
	w.t.Helper()
	p := w.proc()
	if plain {
		p.before = noReplaceRefused
	}
	l, s, err := p.acquire(mustParse(w.t, list), true, 5)
	if l == nil && err == nil && plain {
		w.pass(31 * time.Second)
		l, s, err = p.acquire(mustParse(w.t, list), true, 5)
	}
	if l == nil {
		w.t.Errorf("k=%d: we are wedged: %+v %v\n%s", k, s, err, w.disk.Dump())
		return
	}
	if err := l.Check(); err != nil {
		w.t.Errorf("k=%d: %v", k, err)
	}
	if err := l.Release(); err != nil {
		w.t.Errorf("k=%d: release: %v", k, err)
	}
	wantNoLeak(w.t, p)
}

// Every operation fails once: the lock is taken or the error is the true one,
// nothing stays open, and the next process gets the lock.
func TestFaultAtEveryStep(t *testing.T) {
	for _, tt := range lists {
		for start, prepare := range starts(tt.list, tt.name) {
			t.Run(tt.list+", from "+start, func(t *testing.T) {
				t.Parallel()
				for k := 1; ; k += stride() {
					w := newWorld(t)
					prepare(w)
					p := w.proc()
					n := 0
					p.before = func(op faultfs.Op) error {
						if n++; n == k {
							return syscall.EIO
						}
						return nil
					}
					l, s, err := p.acquire(mustParse(t, tt.list), true, 5)
					if err != nil && !errors.Is(err, syscall.EIO) || l == nil && err == nil {
						t.Errorf("k=%d: got %+v, %v\n%s", k, s, err, w.disk.Dump())
					}
					if l != nil {
						if err := l.Release(); err != nil && !errors.Is(err, syscall.EIO) {
							t.Errorf("k=%d: release: %v", k, err)
						}
					}
					wantNoLeak(t, p)
					if n < k {
						break
					}
					p.kill()
					w.oursRecovers(tt.list, true, k)
				}
			})
		}
	}
}

// A full or read-only disk is reported as itself, long before any wait ends.
func TestDiskIsFull(t *testing.T) {
	for _, tt := range lists {
		for name, cause := range map[string]error{"full": syscall.ENOSPC, "read-only": syscall.EROFS} {
			t.Run(tt.list+" "+name, func(t *testing.T) {
				for k := 1; ; k++ {
					w := newWorld(t)
					p := w.proc()
					writes := 0
					p.before = func(op faultfs.Op) error {
						if !op.Writes() {
							return nil
						}
						space := op.Verb == faultfs.Mkdir || op.Verb == faultfs.Create || op.Verb == faultfs.Write
						if writes++; writes >= k && (space || cause == syscall.EROFS) {
							return cause
						}
						return nil
					}
					before := w.time()
					l, s, err := p.acquire(mustParse(t, tt.list), true, 5)
					if l != nil {
						l.Release()
						break
					}
					if !errors.Is(err, cause) {
						t.Errorf("k=%d: got %+v, %v", k, s, err)
					}
					if took := w.time().Sub(before); took > 10*time.Second {
						t.Errorf("k=%d: it took %s", k, took)
					}
					wantNoLeak(t, p)
				}
			})
		}
	}
}
