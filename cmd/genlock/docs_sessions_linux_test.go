package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"genlock.dev/genlock"
	"genlock.dev/genlock/observer"
)

const sessionsPage = "../../docs/sessions.md"

// TestDocsSessions plays what docs/sessions.md shows, on terminals, and compares. All
// that the page shows between commands has to appear, apart from what differs from
// run to run: numbers, times, names of machines, users and directories.
func TestDocsSessions(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("the page shows make: ", err)
	}
	var shown sync.Map
	t.Run("play", func(t *testing.T) {
		for name, play := range map[string]func(*stage){
			"wait": playWait, "interrupt": playInterrupt, "ended": playEnded, "hand-over": playHandOver, "failed": playFailed,
			"killed": playKilled, "lost": playLost, "nested": playNested, "wiped": playWiped,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p := newStage(t)
				play(p)
				for _, s := range p.sessions {
					for _, line := range regexp.MustCompile(`\r\n|\r`).Split(s.shown(), -1) {
						shown.Store(timeless(line), true)
					}
				}
			})
		}
	})
	if t.Failed() {
		return
	}
	data, err := os.ReadFile(sessionsPage)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(string(data), -1) {
		for line := range strings.Lines(block[1]) {
			line = strings.TrimSuffix(line, "\n")
			if line == "" || strings.HasPrefix(line, "$") || strings.HasPrefix(line, "^C") {
				continue
			}
			n++
			if _, ok := shown.Load(timeless(line)); !ok {
				t.Errorf("the page shows what does not appear:\n%s\nas\n%s", line, timeless(line))
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d lines", n)
	}
	if t.Failed() {
		shown.Range(func(line, _ any) bool {
			t.Log(line)
			return true
		})
	}
}

// differs is what is not the same in two runs.
var differs = []struct {
	re *regexp.Regexp
	by string
}{
	{regexp.MustCompile(`\x1b\[K|\^C`), ""},
	{regexp.MustCompile(`[0-9a-f]{32}`), "ID"},
	{regexp.MustCompile(`\bpid \d+`), "pid N"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d `), ""},
	{regexp.MustCompile(`\d\d:\d\d:\d\d`), "TIME"},
	{regexp.MustCompile(`\b\d+(\.\d+)?m?s\b`), "SPAN"},
	{regexp.MustCompile(`\bon \S+ as \S+`), "on HOST as USER"},
	{regexp.MustCompile(`by \S+@\S+:`), "by USER@HOST:"},
	{regexp.MustCompile(`/[^ ;:,)]*/(out|cache)/`), "DIR/$1/"},
	{regexp.MustCompile(`it works in [^;]*;`), "it works in DIR;"},
	{regexp.MustCompile(`build\.sh \d+`), "build.sh N"},
	{regexp.MustCompile(`PATH=\S+`), "PATH=P"},
	{regexp.MustCompile(`-w \d+`), "-w N"},
	{regexp.MustCompile(`untilfile go;|sleep 3;`), "sleep;"},
	{regexp.MustCompile(`(held by pid N \([^)]*\)) on .*…$`), "$1…"}, // the live line is cut at the terminal's width
}

func timeless(line string) string {
	for _, d := range differs {
		line = d.re.ReplaceAllString(line, d.by)
	}
	return strings.TrimRight(line, " ")
}

// stage is a directory with what the page uses, and the terminals that look at it.
type stage struct {
	t        *testing.T
	dir      string
	sessions []*session
}

func newStage(t *testing.T) *stage {
	t.Helper()
	p := &stage{t: t, dir: t.TempDir()}
	if err := os.Mkdir(filepath.Join(p.dir, "cache"), 0o777); err != nil {
		t.Fatal(err)
	}
	// build.sh ends when it is told to, and not after so many seconds. It does not wait
	// in the foreground: a shell that is about to start a child keeps an INT to itself.
	exe, err := exec.LookPath("genlock")
	if err == nil {
		err = os.Symlink(exe, filepath.Join(p.dir, "genlock")) // for a short PATH
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"build.sh": "untilfile go.$1 &\n: >began\nwait $!\ntest -z \"$GENLOCK_OUT\" || echo x >\"$GENLOCK_OUT\"\n",
		"Makefile": "tool:\n\tgenlock run cache/tool.lock -- sh build.sh 1\n",
	} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// terminal opens a terminal and types a command.
func (p *stage) terminal(line string) *session {
	p.t.Helper()
	s := newSessionIn(p.t, p.dir)
	p.sessions = append(p.sessions, s)
	s.send(line + "\n")
	return s
}

// holder is a terminal whose command runs and holds the lock.
func (p *stage) holder(line string) *session {
	p.t.Helper()
	s := p.terminal(line)
	if !poll(func() bool { _, err := os.Stat(filepath.Join(p.dir, "began")); return err == nil }) {
		p.t.Fatalf("%s does not begin: %q", line, s.shown())
	}
	return s
}

// look waits until the lock is as wanted.
func (p *stage) look(wanted func(*observer.Observation) bool) *observer.Observation {
	p.t.Helper()
	lock := genlock.New(filepath.Join(p.dir, "cache", "tool.lock"), nil)
	var seen *observer.Observation
	if !poll(func() bool {
		var err error
		seen, err = lock.Status(context.Background())
		return err == nil && wanted(seen)
	}) {
		p.t.Fatalf("the lock is %s", seen.State)
	}
	return seen
}

func isHeld(o *observer.Observation) bool { return o.Holder != nil }

func playWait(p *stage) {
	h := p.holder("genlock run --artifact out/tool cache/tool.lock -- sh build.sh 6")
	w := p.terminal("genlock run --artifact out/tool cache/tool.lock -- sh build.sh 6")
	w.expect(`\rgenlock: waiting 2s`)
	h.touch("go.6")
	w.expect(`adopted [^\n]*\n(?s:.*)ready> `)
}

func playInterrupt(p *stage) {
	h := p.holder("genlock run cache/tool.lock -- sh build.sh 30")
	w := p.terminal("genlock run cache/tool.lock -- make; echo status $?")
	w.expect(`\rgenlock: waiting 2s`)
	w.send("\x03")
	w.expect(`status 130\r\nready> `)
	w.send("ls -A cache/tool.lock.v3\n")
	w.expect("retired(?s:.*)ready> ")
	h.touch("go.30")
	h.expect("ready> ") // before its directory is removed
}

func playEnded(p *stage) {
	h := p.holder("genlock run cache/tool.lock -- sh build.sh 30")
	h.send("\x03")
	h.expect("ready> ")
	h.send("echo status $?; genlock status cache/tool.lock\n")
	h.expect(`last fault: [^\n]*\n(?s:.*)ready> `)
}

func playHandOver(p *stage) {
	h := p.holder("genlock run cache/tool.lock -- sh build.sh 5")
	second := p.terminal("genlock run cache/tool.lock -- sh build.sh 3")
	second.expect(`genlock: waiting: `)
	third := p.terminal("genlock run cache/tool.lock -- echo third")
	third.expect(`\rgenlock: waiting \ds`)
	h.touch("go.5")
	second.expect(`took lock`)
	third.expect(`\rgenlock: waiting \d+s for [^\r]*build.sh 3`)
	h.touch("go.3")
	third.expect(`third\r\n(?s:.*)ready> `)
}

func playFailed(p *stage) {
	h := p.terminal("genlock run cache/tool.lock -- sh -c 'untilfile go; exit 3'")
	p.look(isHeld)
	w := p.terminal("genlock run cache/tool.lock -- echo mine")
	w.expect(`genlock: waiting: `)
	h.touch("go")
	w.expect(`mine\r\n(?s:.*)ready> `)
}

func playKilled(p *stage) {
	h := p.holder("genlock run cache/tool.lock -- sh build.sh 4")
	if err := syscall.Kill(p.look(isHeld).Holder.PID, syscall.SIGKILL); err != nil {
		p.t.Fatal(err)
	}
	p.look(func(o *observer.Observation) bool { return isHeld(o) && o.Holder.ChildOnly })
	w := p.terminal("genlock run cache/tool.lock -- echo mine")
	w.expect(`genlock: waiting: `)
	h.touch("go.4")
	w.expect(`mine\r\n(?s:.*)ready> `)
}

func playLost(p *stage) {
	h := p.holder("genlock run --artifact out/tool cache/tool.lock -- sh build.sh 30; echo status $?")
	w := p.terminal("genlock run --artifact out/tool cache/tool.lock -- sh build.sh 1; echo status $?")
	w.expect(`genlock: waiting: `)
	h.touch("go.1")
	o := p.terminal("genlock break cache/tool.lock --generation " + string(p.look(isHeld).Generation) + " --reason 'wrong branch'")
	o.expect(`broke [^\n]*\n(?s:.*)ready> `)
	h.expect(`status 76\r\n`)
	w.expect(`status 0\r\n`)
}

func playNested(p *stage) {
	s := p.terminal("genlock run cache/tool.lock -- make tool; echo status $?")
	s.expect(`status 2\r\n`)
}

func playWiped(p *stage) {
	s := p.terminal(`genlock run cache/tool.lock -- env -i PATH=. genlock run -w 2 cache/tool.lock -- true; echo status $?`)
	s.expect(`status 75\r\n`)
}
