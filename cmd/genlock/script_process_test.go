package main

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"genlock.dev/genlock/internal/exitcode"

	"github.com/rogpeppe/go-internal/testscript"
)

type processesKey struct{}

// processes are those that a script started in the background, by name.
type processes struct {
	env     *testscript.Env
	started map[string]*process
}

type process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

func processesOf(ts *testscript.TestScript) *processes {
	return ts.Value(processesKey{}).(*processes)
}

// start NAME PROG [ARG...] runs PROG in the background, in a process group of its
// own, with its output in NAME.out and NAME.err.
func cmdStart(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: start NAME PROG [ARG...]")
	}
	all, name := processesOf(ts), args[0]
	if all.started[name] != nil {
		ts.Fatalf("%s was started before", name)
	}
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), all.env.Vars
	cmd.SysProcAttr = ownGroup
	cmd.Stdout, cmd.Stderr = createFile(ts, name+".out"), createFile(ts, name+".err")
	ts.Check(cmd.Start())
	p := &process{cmd: cmd, done: make(chan struct{})}
	all.started[name] = p
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	ts.Defer(func() {
		cmd.Process.Kill()
		<-p.done
	})
}

func createFile(ts *testscript.TestScript, name string) *os.File {
	f, err := os.Create(ts.MkAbs(name))
	ts.Check(err)
	ts.Defer(func() { f.Close() })
	return f
}

// finish NAME CODE waits for a started process, which has to exit with CODE;
// 128+n stands for an end by signal n as well.
func cmdFinish(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: finish NAME CODE")
	}
	p := processesOf(ts).started[args[0]]
	if p == nil {
		ts.Fatalf("%s was not started", args[0])
	}
	select {
	case <-p.done:
	case <-time.After(patience):
		p.cmd.Process.Signal(syscall.SIGABRT) // a Go program says where it is
		<-p.done
		ts.Fatalf("%s does not end:\n%s", args[0], ts.ReadFile(args[0]+".err"))
	}
	ts.Logf("[%s.err]\n%s", args[0], ts.ReadFile(args[0]+".err"))
	expectCode(ts, p.err, args[1])
}

// exits CODE PROG [ARG...] runs PROG and wants exactly that exit status.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROG [ARG...]")
	}
	expectCode(ts, ts.Exec(args[1], args[2:]...), args[0])
}

func expectCode(ts *testscript.TestScript, err error, want string) {
	code := 0
	if err != nil {
		if code = exitcode.Of(err); code < 0 {
			ts.Check(err)
		}
	}
	if strconv.Itoa(code) != want {
		ts.Fatalf("exit status is %d, want %s", code, want)
	}
}
