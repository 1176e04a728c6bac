package main

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"genlock.dev/genlock/internal/env"

	"github.com/rogpeppe/go-internal/testscript"
)

// The scenarios in testdata/script run genlock, and the helpers below, as real
// processes. Nothing in them waits for a time: they wait for states.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"genlock":   main,
		"untilfile": untilFile,
	})
}

// ignoredAtStart is what whoever runs the tests ignores. Asked later, a signal that
// another test handles just now is not ignored.
var ignoredAtStart = slices.DeleteFunc([]os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM},
	func(s os.Signal) bool { return !signal.Ignored(s) })

// heedSignals makes the commands that a test starts begin with signals at their
// defaults, also where whoever runs the tests ignores some, as nohup does: an
// ignored signal stays ignored across an exec, a handled one does not.
func heedSignals(t *testing.T) {
	if len(ignoredAtStart) == 0 {
		return // Notify without a signal would take them all
	}
	c := make(chan os.Signal, 16)
	signal.Notify(c, ignoredAtStart...)
	t.Cleanup(func() { signal.Stop(c) })
}

func TestScripts(t *testing.T) {
	heedSignals(t)
	keepDescriptors()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setUp,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"start":       cmdStart,
			"finish":      cmdFinish,
			"exits":       cmdExits,
			"signal":      cmdSignal,
			"waitfile":    cmdWaitFile,
			"waitstatus":  cmdWaitStatus,
			"waitgone":    cmdWaitGone,
			"waitstopped": cmdWaitStopped,
			"generation":  cmdGeneration,
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Getuid() == 0, nil
			case "decidable": // can an old program's pid prove anything here?
				return env.From(context.Background()).Machine.Self().InitialPIDNS, nil
			case "mounts": // may we mount in a namespace of our own?
				return exec.Command("unshare", "-m", "true").Run() == nil, nil
			}
			return false, os.ErrInvalid
		},
	})
}

// setUp lets scripts run the go command offline, with the caches that are there.
func setUp(env *testscript.Env) error {
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			return err
		}
		env.Setenv(name, string(value[:len(value)-1]))
	}
	for name, value := range map[string]string{"GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local",
		"GOTELEMETRY": "off", "HOME": env.WorkDir, "TZ": "UTC"} {
		env.Setenv(name, value)
	}
	env.Values[processesKey{}] = &processes{env: env, started: make(map[string]*process)}
	return nil
}

// patience bounds every wait for a state.
const patience = 30 * time.Second

// poll calls reached until it says so, and reports whether it did in time.
func poll(reached func() bool) bool {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(3 * time.Millisecond) {
		if reached() {
			return true
		}
	}
	return false
}

// untilFile is a command that runs until a file exists. It ends as well when its
// directory is gone, so that nothing outlives a test.
func untilFile() {
	dir, err := os.Getwd()
	if err != nil {
		os.Exit(4)
	}
	if !poll(func() bool {
		if _, err := os.Stat(dir); err != nil {
			os.Exit(4)
		}
		_, err := os.Stat(os.Args[1])
		return err == nil
	}) {
		os.Exit(5)
	}
}
