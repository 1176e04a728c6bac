package cases

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// place is where a process of a scenario lives.
type place struct {
	// flags make namespaces for it.
	flags uintptr
	// unshare is for a namespace that only children enter: it needs an exec.
	unshare uintptr
	// setup is what the process does to itself first.
	setup []string
}

var (
	here = place{}
	// container has pids and a /proc of its own; its first process is number 1.
	container = place{flags: unix.CLONE_NEWPID | unix.CLONE_NEWNS, setup: []string{"proc"}}
	// crowded is one where the low numbers belong to processes that run.
	crowded = place{flags: container.flags, setup: []string{"proc", "crowd"}}
	// renamed is a container that shares pids with its host and is named anew.
	renamed    = place{flags: unix.CLONE_NEWUTS, setup: []string{"hostname"}}
	otherTime  = place{unshare: unix.CLONE_NEWTIME}
	nobody     = place{flags: unix.CLONE_NEWNS, setup: []string{"nobody"}}
	hidden     = place{flags: unix.CLONE_NEWNS, setup: []string{"hidepid", "nobody"}}
	withoutID  = place{flags: unix.CLONE_NEWNS, setup: []string{"mask /etc/machine-id", "mask /var/lib/dbus/machine-id"}}
	withoutPID = place{flags: unix.CLONE_NEWNS, setup: []string{"noproc"}}
	bootless   = place{flags: unix.CLONE_NEWNS, setup: []string{"mask /proc/sys/kernel/random/boot_id"}}
)

const otherHostname = "ctr-a1"

// readOnly shows dir read-only.
func readOnly(dir string) place {
	return place{flags: unix.CLONE_NEWNS, setup: []string{"readonly " + dir}}
}

func (p place) needsRoot() bool { return p.flags != 0 || p.unshare != 0 }

// command is argv in that place.
func (p place) command(argv ...string) *exec.Cmd {
	if len(p.setup) > 0 {
		argv = self("enter", enter{p.setup, argv})
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0") // else each process lingers for a second
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: p.flags, Unshareflags: p.unshare}
	return cmd
}

// enter arranges the place and becomes the process that is to live there.
type enter struct{ Setup, Argv []string }

func (e *enter) run() error {
	for _, step := range e.Setup {
		what, argument, _ := strings.Cut(step, " ")
		if err := arrange[what](argument); err != nil {
			return fmt.Errorf("%s: %w", step, err)
		}
	}
	if slices.Contains(e.Setup, "child") {
		cmd := exec.Command(e.Argv[0], e.Argv[1:]...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		return cmd.Run()
	}
	return syscall.Exec(e.Argv[0], e.Argv, os.Environ())
}

var arrange = map[string]func(string) error{
	"proc":     func(string) error { return mountAlone("proc", "/proc", "") },
	"hidepid":  func(string) error { return mountAlone("proc", "/proc", "hidepid=2") },
	"noproc":   func(string) error { return mountAlone("tmpfs", "/proc", "") },
	"hostname": func(string) error { return unix.Sethostname([]byte(otherHostname)) },
	"mask":     mask,
	"readonly": showReadOnly,
	"crowd":    crowd,
	"child":    func(string) error { return nil }, // see run
	"nobody": func(string) error {
		// The group too: /proc hides nothing from group 0.
		if err := syscall.Setgroups(nil); err != nil {
			return err
		}
		if err := syscall.Setresgid(nobodyID, nobodyID, nobodyID); err != nil {
			return err
		}
		return syscall.Setresuid(nobodyID, nobodyID, nobodyID)
	},
}

const nobodyID = 65534

// alone keeps our mounts to ourselves.
func alone() error { return unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "") }

func mountAlone(kind, at, options string) error {
	if err := alone(); err != nil {
		return err
	}
	return unix.Mount(kind, at, kind, 0, options)
}

// mask puts an empty file over path.
func mask(path string) error {
	if _, err := os.Stat(path); err != nil {
		return nil // it is missing anyway
	}
	if err := alone(); err != nil {
		return err
	}
	return unix.Mount("/dev/null", path, "", unix.MS_BIND, "")
}

func showReadOnly(dir string) error {
	if err := alone(); err != nil {
		return err
	}
	if err := unix.Mount(dir, dir, "", unix.MS_BIND, ""); err != nil {
		return err
	}
	return unix.Mount("", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, "")
}

// crowd starts processes that end with the namespace.
func crowd(string) error {
	for range 20 {
		if err := exec.Command("sleep", "600").Start(); err != nil {
			return err
		}
	}
	return nil
}
