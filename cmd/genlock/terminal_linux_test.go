package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"genlock.dev/genlock"
	"genlock.dev/genlock/observer"
)

func TestTerminalCommandReads(t *testing.T) {
	s := newSession(t)
	s.send("genlock run k.lock -- sh -c 'echo ask; read x; echo \"<$x>\"'\n")
	s.expect(`ask\r\n`)
	s.send("hello\n")
	s.expect(`<hello>\r\n(?s:.*)ready> `)
	// The shell has its terminal back.
	s.send("echo still $((40+2))\n")
	s.expect("still 42\r\n")
}

// In a pipeline the command gets the terminal when it asks for it.
func TestTerminalPipeline(t *testing.T) {
	s := newSession(t)
	s.send("genlock run k.lock -- sh -c 'echo ask; read x; echo \"<$x>\"' | cat\n")
	s.expect(`ask\r\n`)
	s.send("hello\n")
	s.expect(`<hello>\r\n(?s:.*)ready> `)
}

func TestTerminalInterrupt(t *testing.T) {
	s := newSession(t)
	s.send("genlock run k.lock -- sh -c 'echo began; exec untilfile never'\n")
	s.expect(`began\r\n`)
	s.send("\x03")
	s.expect("ready> ")
	s.send("echo code=$?\n")
	s.expect("code=130\r\n")
	s.state(observer.Free)
}

func TestTerminalStopAndContinue(t *testing.T) {
	s := newSession(t)
	s.send("genlock run k.lock -- sh -c 'echo began; read x; echo \"<$x>\"'\n")
	s.expect(`began\r\n`)
	s.send("\x1a")
	s.expect(`Stopped(?s:.*)ready> `)
	s.state(observer.Held)
	s.send("fg\n")
	s.expect(`genlock run`)
	s.send("hello\n")
	s.expect(`<hello>\r\n(?s:.*)ready> `)
	s.state(observer.Free)
	s.send("echo code=$?\n")
	s.expect("code=0\r\n")
}

// In the background the command does not get the terminal: it stops when it asks
// for it, as any background job does, and goes on in the foreground.
func TestTerminalBackground(t *testing.T) {
	s := newSession(t)
	s.send("genlock run k.lock -- sh -c 'read x; echo \"<$x>\" >got' &\n")
	s.state(observer.Held)
	var seen *observer.Observation
	lock := genlock.New(filepath.Join(s.dir, "k.lock"), nil)
	if !poll(func() bool {
		seen, _ = lock.Status(context.Background())
		return seen.Holder != nil && seen.Holder.Stopped
	}) {
		t.Fatal("the job does not stop")
	}
	s.send("fg\n")
	s.expect(`genlock run`)
	s.send("hello\n")
	s.state(observer.Free)
	if got, err := os.ReadFile(filepath.Join(s.dir, "got")); err != nil || string(got) != "<hello>\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

// The wait shows a whole line first, and then one that is rewritten in place.
func TestTerminalWait(t *testing.T) {
	s := newSession(t)
	s.send("genlock run k.lock -- untilfile go &\n")
	s.state(observer.Held)
	s.send("genlock run k.lock -- echo mine\n")
	s.expect(`genlock: waiting: lock k.lock is held by pid \d+ \(untilfile go\)[^\n]*without a bound[^\n]*\r\n`)
	s.expect(`\rgenlock: waiting 2s for k.lock, held by pid [^\r\n]*…\x1b\[K`)
	s.send("\x03")
	s.expect(`\r\x1b\[Kgenlock: interrupted \(SIGINT\), nothing was run: lock k.lock is held by [^\n]*\r\n(?s:.*)ready> `)
	s.send("echo code=$?\n")
	s.expect("code=130\r\n")
	s.send("genlock run k.lock -- echo mine\n")
	s.expect(`\rgenlock: waiting 2s`)
	s.touch("go")
	s.expect(`\r\x1b\[Kgenlock: took lock k.lock after \ds\r\nmine\r\n`)
	s.expect("ready> ")
	s.state(observer.Free)
}

// A command whose standard input comes from somewhere else can ask at the terminal all
// the same, as sudo and ssh do for a password.
func TestTerminalAskedFromPipe(t *testing.T) {
	s := newSession(t)
	s.send("echo data | genlock run k.lock -- sh -c 'read d; echo ask; read x </dev/tty; echo \"<$d $x>\"'\n")
	s.expect(`ask\r\n`)
	s.send("hello\n")
	s.expect(`<data hello>\r\n(?s:.*)ready> `)
	// The same, and the user thinks better of it.
	s.send("echo data | genlock run k.lock -- sh -c 'echo ask; read x </dev/tty; echo \"<$x>\"'\n")
	s.expect(`ask\r\n`)
	s.send("\x03")
	s.expect("ready> ")
	s.state(observer.Free)
}

// What stands before genlock in a pipeline may read from the terminal.
func TestTerminalPipelineBefore(t *testing.T) {
	s := newSession(t)
	s.send("(echo ask; read x; echo \"<$x>\") | genlock run k.lock -- cat\n")
	s.expect(`ask\r\n`)
	s.send("hello\n")
	s.expect(`<hello>\r\n(?s:.*)ready> `)
}

// A shell as the command has jobs of its own.
func TestTerminalShell(t *testing.T) {
	s := newSession(t)
	s.send("PS1='inner> ' genlock run k.lock -- sh -i\n")
	s.expect("inner> ")
	s.send("sh -c 'echo began; read x; echo \"<$x>\"; exec untilfile never'\n")
	s.expect(`began\r\n`)
	s.send("\x1a")
	s.expect(`Stopped(?s:.*)inner> `)
	s.state(observer.Held)
	s.send("fg\n")
	// The shell says what it continues before it gives the terminal away. Who can read
	// from it has it.
	s.send("hello\n")
	s.expect(`<hello>\r\n`)
	s.send("\x03")
	s.expect("inner> ")
	s.send("exit 7\n")
	s.expect("ready> ")
	s.send("echo code=$?\n")
	s.expect("code=7\r\n")
	s.state(observer.Free)
}

// A shell with `set -m` puts what it starts into other groups, and one of them into the
// foreground. When it dies meanwhile, the script around genlock has its terminal back.
func TestTerminalGroupOfItsOwn(t *testing.T) {
	s := newSession(t)
	if err := os.WriteFile(filepath.Join(s.dir, "script"), []byte(`genlock run k.lock -- sh -c 'set -m; sh -c "kill -9 \$PPID"; :'
echo ask $?
read x
echo "<$x>"
`), 0o666); err != nil {
		t.Fatal(err)
	}
	s.send("sh script\n")
	s.expect(`ask 137\r\n`)
	s.send("hello\n")
	s.expect(`<hello>\r\n(?s:.*)ready> `)
}
