//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"genlock.dev/genlock/observer"
)

// spoken is one way to fail, as somebody meets it who has never seen genlock: what has
// to be in the text. DIR stands for the directory of the test.
var spoken = []struct {
	name, setup, line string
	code              int
	says              []string
}{
	{"held", "", `genlock run --label nightly a.lock -- genlock run -n --format genlock-v3 a.lock -- true`, 75,
		[]string{`lock a.lock is held by the command that started this one`, `chain: DIR/a.lock`, `hint: take the lock once, outermost`}},
	{"held by another", "", `genlock run --label nightly a.lock -- env -u GENLOCK_HELD genlock run -n a.lock -- true`, 75,
		[]string{`lock a.lock is held by pid \d+ \(nightly\) on \S+ as \S+ since \d\d:\d\d:\d\d`, `alive: `, `hint: pid \d+ has started this command`}},
	{"foreign host", foreignHost, `genlock run -w 0.05 a.lock -- true`, 75,
		[]string{`lock a.lock is held by pid 4711 \(go build\) on ci-7 as runner since`, `undecidable: recorded on ci-7, this is \S+`, `gave up after`,
			`hint: if that holder is gone for good: genlock break DIR/a.lock --generation 0192f0c1d2e37abc8def0123456789ab$`}},
	{"old tool", `mkdir a.lock`, `genlock run -n a.lock -- true`, 75,
		[]string{`lock a.lock is held by an older tool \(mkdir\)`, `no record`, `hint: if that is a lock at all, and its holder is gone for good: genlock break DIR/a.lock --old mkdir`}},
	{"foreign format", `mkdir a.lock.v3; echo tool-v3 >a.lock.v3/protocol-v3`, `genlock run a.lock -- true`, 65,
		[]string{`DIR/a.lock.v3/protocol-v3: lock format is tool-v3, wanted genlock-v3`, `hint: --format names the format`}},
	{"too new", `mkdir a.lock.v3; echo genlock-v4 >a.lock.v3/protocol-v3`, `genlock run a.lock -- true`, 65,
		[]string{`DIR/a.lock.v3/protocol-v3: lock format genlock-v4 is newer`, `hint: install the newer genlock`}},
	{"link", `ln -s nowhere a.lock.v3`, `genlock run a.lock -- true`, 65,
		[]string{`DIR/a.lock.v3 is a symbolic link, not a directory; nothing was changed`, `hint: look at what stands there before you remove it: ls -ld DIR/a.lock.v3`}},
	{"no directory", "", `genlock run no/a.lock -- true`, 73,
		[]string{`lock no/a.lock: its directory cannot be opened: open DIR/no: no such file or directory`, `hint: a lock's directory has to exist: mkdir -p DIR/no`}},
	{"no artifact", "", `genlock run --artifact out a.lock -- true`, 76,
		[]string{`out`, `hint: the command has to write to its argument \{\}, or to \$GENLOCK_OUT; inside a word, as in sh -c, \{\} stays as it is`}},
	{"unverified", "", `genlock run --artifact out --verify false a.lock -- touch {}`, 76,
		[]string{`lock a.lock: what was built fails verification: --verify: exit status 1`, `hint: nothing was published`}},
	{"deleted", "", `genlock run a.lock -- rm -r a.lock.v3`, 76,
		[]string{`lost lock a.lock: the lock's directory was deleted or moved away, and generation [0-9a-f]{32} with it`, `hint: nothing was published`, `genlock status DIR/a.lock`}},
	{"wrong generation", "", `genlock run a.lock -- genlock break a.lock --generation 0123456789abcdef0123456789abcdef`, 65,
		[]string{`lock a.lock: generation 0123456789abcdef0123456789abcdef is not held, [0-9a-f]{32} is; nothing was changed`,
			`hint: who holds it, and whether that is alive: genlock status DIR/a.lock`}},
	{"mistyped", "", `genlock break b.lock --damaged`, 65,
		[]string{`there is no lock at b.lock; nothing was changed`, `hint: the locks beside it: genlock list DIR$`}},
	{"not there", "", `genlock run a.lock -- nosuchcommand`, 127, []string{`cannot run nosuchcommand: `}},
	{"own failure", "", `genlock run a.lock -- sh -c 'echo "missing parameter" >&2; exit 3'`, 3, []string{`^missing parameter$`}},
	{"a blank in the path", `mkdir 'my cache'; ln -s nowhere 'my cache/a.lock.v3'`, `genlock run 'my cache/a.lock' -- true`, 65,
		[]string{`ls -ld 'DIR/my cache/a.lock.v3'`}},
}

const foreignHost = `mkdir -p a.lock.v3/retired a.lock.v3/current
echo genlock-v3 >a.lock.v3/protocol-v3
echo 0192f0c1d2e37abc8def0123456789ab >a.lock.v3/current/generation
echo '{"generation":"0192f0c1d2e37abc8def0123456789ab","completionNonce":"0192f0c1d2e37abc8def0123456789ac","hostname":"ci-7","pid":4711,` +
	`"startedAt":"2026-03-02T09:14:00Z","process":{"boot":"11111111111111111111111111111111","machine":"2222222222222222","pidns":"4026531836",` +
	`"timens":"","start":"77","instance":"0192f0c1d2e37abc8def0123456789ad","witness":"flock","dev":"1","ino":"2"},` +
	`"about":{"argv":["go","build"],"user":"runner"}}' >a.lock.v3/current/owner.json`

// TestErrorsSpeak: each error names the object, the cause, the holder if there is one,
// and the next step, and has its exit status. None speaks of a lock when the command
// itself has failed.
func TestErrorsSpeak(t *testing.T) {
	for _, s := range spoken {
		t.Run(s.name, func(t *testing.T) {
			dir := t.TempDir()
			if out, err := shell(dir, s.setup); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			out, err := shell(dir, s.line)
			if code := exitOf(err); code != s.code {
				t.Errorf("exit status %d, want %d", code, s.code)
			}
			for _, want := range s.says {
				want = strings.ReplaceAll(want, "DIR", regexp.QuoteMeta(dir))
				if !regexp.MustCompile("(?m)" + want).MatchString(out) {
					t.Errorf("nothing like %q in\n%s", want, out)
				}
			}
			if s.name == "own failure" && strings.Contains(out, "genlock") {
				t.Errorf("it adds to what the command said:\n%s", out)
			}
		})
	}
}

func shell(dir, line string) (string, error) {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GENLOCK_LOG=", "GENLOCK_HELD=")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func exitOf(err error) int {
	if err == nil {
		return 0
	}
	if exit, ok := err.(*exec.ExitError); ok {
		return exit.ExitCode()
	}
	return -1
}

// TestStatusOfUnknown: looking at a thousand locks that nobody ever had makes nothing.
func TestStatusOfUnknown(t *testing.T) {
	dir := t.TempDir()
	o := &oddLock{t: t}
	for i := range 1000 {
		status := 0
		seen := decode[observer.Observation](t, o.verb(&status, "status", "--json", filepath.Join(dir, fmt.Sprintf("k%d.lock", i))))
		if status != 0 || len(seen) != 1 || seen[0].State != observer.Free {
			t.Fatalf("%d: %d, %+v", i, status, seen)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("made %v (%v)", entries, err)
	}
}
