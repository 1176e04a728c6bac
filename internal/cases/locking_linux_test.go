package cases

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
)

// noLock is what is said of a witness that means nothing.
const noLock = "no lock could be proven on its witness"

// lockingCases are group P: file systems that lie, refuse or forget.
var lockingCases = []scenario{
	{id: "P1", what: "ENOLCK, holder alive", hold: hold{World: world{Flock: "ENOLCK"}}, world: world{Flock: "ENOLCK"},
		want: "alive", says: "runs and is the same process", next: blocked},
	{id: "P1", what: "ENOLCK, holder dead", hold: hold{World: world{Flock: "ENOLCK"}}, world: world{Flock: "ENOLCK"}, then: killed,
		want: "gone", says: "does not exist any more", next: takes},
	{id: "P1", what: "ENOSYS, holder dead in a container", holder: container, hold: hold{World: world{Flock: "ENOSYS"}},
		world: world{Flock: "ENOSYS"}, then: killed, want: "undecidable", says: noLock, next: blocked},
	{id: "P1", what: "locks fail later, holder dead", then: killed, world: world{Flock: "ENOLCK"},
		want: "undecidable", says: "its witness could not be looked at (no locks available)", next: blocked},
	{id: "P1", what: "locks fail later, holder alive", world: world{Flock: "ENOLCK"},
		want: "alive", says: "runs and is the same process", next: blocked},
	{id: "P2", what: "EBADF from every lock", hold: hold{World: world{Flock: "EBADF"}}, world: world{Flock: "EBADF"},
		want: "alive", says: "runs and is the same process", next: blocked},
	{id: "P2", what: "what is locked exclusively was opened to write", play: openFlags, want: "read-write", says: "O_RDWR"},
	{id: "P3", what: "flock says yes to all, 2 x 100 turns", play: pretended, want: "no overlap", says: noLock},
	{id: "P3", what: "flock says yes to all, holder alive", hold: hold{World: world{Flock: "pretend"}}, world: world{Flock: "pretend"},
		want: "alive", says: "runs and is the same process", next: blocked},
	{id: "P3", what: "flock says yes to all, holder dead", hold: hold{World: world{Flock: "pretend"}}, world: world{Flock: "pretend"},
		then: killed, want: "gone", says: "does not exist any more", next: takes},
	{id: "P3", what: "flock says yes to all, holder in a container", holder: container, hold: hold{World: world{Flock: "pretend"}},
		world: world{Flock: "pretend"}, want: "undecidable", says: noLock, next: blocked},
	{id: "P4", what: "ESTALE once, at every operation", play: staleOnce, want: "vanished, looked again"},
	{id: "P4", what: "ESTALE for ever", play: staleForEver, want: "stale file handle", says: "stale"},
}

// openFlags watches the command itself.
func openFlags(s *scene) seen {
	strace, err := exec.LookPath("strace")
	if err != nil {
		s.skip("strace is not installed")
	}
	exe, err := genlockProgram()
	if err != nil {
		s.Fatal(err)
	}
	log := filepath.Join(s.dir, "trace")
	began := time.Now()
	cmd := exec.Command(strace, "-f", "-o", log, "-e", "trace=openat,flock", exe, "run", s.lock, "--", "true")
	if out, err := cmd.CombinedOutput(); err != nil {
		s.skip("strace does not work here: %v: %s", err, out)
	}
	file, err := os.Open(log)
	if err != nil {
		s.Fatal(err)
	}
	defer file.Close()
	flags := map[string]string{} // by descriptor
	opened := regexp.MustCompile(`openat\([^,]+, "([^"]*)", ([A-Z_|0]+).*\) = (\d+)`)
	locked := regexp.MustCompile(`flock\((\d+), LOCK_EX`)
	v := told("read-write", time.Since(began), "")
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if m := opened.FindStringSubmatch(lines.Text()); m != nil {
			flags[m[3]] = m[2]
		}
		if m := locked.FindStringSubmatch(lines.Text()); m != nil {
			if !strings.Contains(flags[m[1]], "O_RDWR") {
				s.Errorf("locked exclusively, but opened with %s", flags[m[1]])
			}
			v.Evidence = "the witness was opened with " + flags[m[1]]
		}
	}
	return v
}

// pretended lets two processes take turns where no lock excludes.
func pretended(s *scene) seen {
	lies := world{Flock: "pretend"}
	took := s.contend([]place{here, here}, turns{World: lies, Turns: 100})
	s.take(container, hold{World: lies})
	v := s.look(here, look{World: lies})
	_, stdout, _ := s.genlock(here, "status", s.lock)
	s.says(stdout, noLock, "witness:    none: locks exclude nobody here")
	return told("no overlap", took, "%s", v.Evidence)
}

// under is the world with a fault in its file system.
func under(hook func(faultfs.Op) error) (*env.Env, *faultfs.FS) {
	ctx, _ := world{}.in()
	e := *env.From(ctx)
	fs := faultfs.Wrap(vfs.OS(), faultfs.Hooks{Before: hook})
	e.FS = fs
	return &e, fs
}

// staleOnce lets a whole turn meet ESTALE at each of its operations: nobody may
// notice.
func staleOnce(s *scene) seen {
	began := time.Now()
	for k := 1; ; k++ {
		e, fs := under(faultfs.Once(k, syscall.ESTALE))
		lease, err := genlock.New(s.lock, nil).TryAcquire(env.With(s.Context(), e))
		if err == nil {
			err = lease.Release()
		}
		if err != nil {
			s.Fatalf("operation %d: %v", k, err)
		}
		if fs.Count() < k {
			return told("vanished, looked again", time.Since(began), "at each of %d operations of a turn", k-1)
		}
	}
}

// staleForEver: bounded, and reported as what it is.
func staleForEver(s *scene) seen {
	s.take(here, hold{})
	e, _ := under(faultfs.On(syscall.ESTALE, faultfs.Open, faultfs.OpenDir, faultfs.Stat, faultfs.Lstat, faultfs.Names, faultfs.Rename))
	began := time.Now()
	_, err := genlock.New(s.lock, nil).TryAcquire(env.With(s.Context(), e))
	if !errors.Is(err, syscall.ESTALE) || errors.Is(err, genlock.ErrHeld) {
		s.Errorf("%v", err)
	}
	return told("stale file handle", time.Since(began), "%v", err)
}
