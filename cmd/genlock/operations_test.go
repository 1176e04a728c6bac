package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestOperations types what docs/operations.md says, section by section, and compares
// what is printed. Ids, pids, times and sizes may differ; an id or a pid that was
// printed before is filled into the commands that name it, as a reader would.
// UPDATE_GOLDEN=1 writes what is printed now into the page.
func TestOperations(t *testing.T) {
	const page = "../../docs/operations.md"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.SplitAfter("\n"+string(data), "\n## ")
	if len(sections) < 11 {
		t.Errorf("the page has %d situations, of ten", len(sections)-1)
	}
	var updated strings.Builder
	for i, text := range sections {
		s := &section{text: text}
		title, _, _ := strings.Cut(text, "\n")
		if i > 0 {
			t.Run(title, s.run)
		}
		updated.WriteString(s.text)
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(page, []byte(updated.String()[1:]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// section is one situation. What stands in a comment "<!-- setup" is run before what
// comes after it, and not shown to readers.
type section struct {
	text  string
	dir   string
	names map[string]string // ids and pids of the page, and what they are here
}

// prelude are words that setups use: a process in the background that the test waits
// for, and waiting for states.
const prelude = `
background() { name=$1; shift; "$@" >"$name" 2>&1 & echo $! >>.pids; pid=$!; }
state() { for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40; do
	genlock status "$2" | grep -q "^$1\$" && return; done; echo "no state $1"; genlock status "$2"; exit 9; }
`

var block = regexp.MustCompile("(?s)<!-- setup\n(.*?)-->|```console\n(.*?)```")

func (s *section) run(t *testing.T) {
	if strings.Contains(s.text, "<!-- setup: needs root -->") {
		if os.Getuid() != 0 || exec.Command("unshare", "-mpf", "true").Run() != nil {
			t.Skip("needs to mount, or to make namespaces")
		}
	}
	s.dir, s.names = t.TempDir(), make(map[string]string)
	if err := os.Mkdir(filepath.Join(s.dir, "cache"), 0o777); err != nil {
		t.Fatal(err)
	}
	defer s.endAll(t)
	s.text = block.ReplaceAllStringFunc(s.text, func(found string) string {
		m := block.FindStringSubmatch(found)
		if m[1] != "" {
			if out, err := s.sh(prelude + m[1]); err != nil {
				t.Fatalf("setup: %v\n%s", err, out)
			}
			return found
		}
		return "```console\n" + s.console(t, m[2]) + "```"
	})
}

// console runs the commands of one block and returns it with what was printed.
func (s *section) console(t *testing.T, text string) string {
	t.Helper()
	var now strings.Builder
	for _, part := range strings.Split("\n"+text, "\n$ ")[1:] {
		command, want, _ := strings.Cut(part, "\n")
		for theirs, ours := range s.names {
			command = strings.ReplaceAll(command, theirs, ours)
		}
		out, err := s.sh(command)
		if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		theirs, _, _ := strings.Cut(part, "\n")
		if s.compare(t, command, strings.TrimRight(want, "\n"), strings.TrimRight(out, "\n")) {
			out = want // ids and times of the page stay as they are
		}
		fmt.Fprintf(&now, "$ %s\n%s", theirs, strings.TrimRight(out, "\n"))
		if out != "" {
			now.WriteByte('\n')
		}
	}
	return now.String()
}

// sh runs a line as the reader's shell would, in the directory of the section.
func (s *section) sh(command string) (string, error) {
	args := []string{"sh", "-c", command}
	if _, err := os.Stat(filepath.Join(s.dir, "wrap")); err == nil {
		args = append([]string{"sh", "./wrap"}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "TZ=UTC", "GENLOCK_LOG=")
	out, err := cmd.CombinedOutput()
	return s.anonymous(string(out)), err
}

// anonymous puts the page's names in the place of those of this machine.
func (s *section) anonymous(out string) string {
	host, _ := os.Hostname()
	out = strings.ReplaceAll(out, s.dir, "/srv/build")
	out = strings.ReplaceAll(out, "this is "+host+",", "this is build-1,")
	out = regexp.MustCompile(`\bon `+regexp.QuoteMeta(host)+`\b`).ReplaceAllString(out, "on build-1")
	out = regexp.MustCompile(`(?m)(^|@|\bfor |  )`+regexp.QuoteMeta(host)+`\b`).ReplaceAllString(out, "${1}build-1")
	if u, err := user.Current(); err == nil {
		out = regexp.MustCompile(`\b(as|by) `+regexp.QuoteMeta(u.Username)+`\b`).ReplaceAllString(out, "$1 ada")
	}
	return out
}

var (
	idOrPID = regexp.MustCompile(`\b[0-9a-f]{32}\b|\bpid \d+|\bkill -[A-Z]+ \d+|build-1/\d+`)
	varying = []struct {
		what *regexp.Regexp
		with string
	}{
		{idOrPID, "ID"},
		{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?`), "TIME"},
		{regexp.MustCompile(`\d\d:\d\d:\d\d(\.\d+)?`), "TIME"},
		{regexp.MustCompile(`\b(\d+h)?(\d+m)?\d+(\.\d+)?m?s\b`), "SPAN"},
		{regexp.MustCompile(`\d+(\.\d+)? ([KM]iB|bytes?)`), "SIZE"},
		{regexp.MustCompile(`\d+ names?`), "NAMES"},
		{regexp.MustCompile(`[=.]`), ""}, // bars, which may be too short to be seen
		{regexp.MustCompile(`\s+`), " "},
	}
)

func plainly(s string) string {
	for _, v := range varying {
		s = v.what.ReplaceAllString(s, v.with)
	}
	return strings.TrimSpace(s)
}

// compare also learns what the ids and pids of the page are here.
func (s *section) compare(t *testing.T, command, want, got string) (same bool) {
	t.Helper()
	same = true
	update := os.Getenv("UPDATE_GOLDEN") != ""
	wantLines, gotLines := strings.Split(want, "\n"), strings.Split(got, "\n")
	if len(wantLines) != len(gotLines) {
		if !update {
			t.Errorf("$ %s\nprints\n%s\n\nand the page says\n%s", command, got, want)
		}
		return false
	}
	for i, line := range wantLines {
		differ := plainly(line) != plainly(gotLines[i])
		same = same && !differ
		if differ && !update {
			t.Errorf("$ %s\nprints\n%s\nand the page says\n%s", command, gotLines[i], line)
		}
		theirs, ours := idOrPID.FindAllString(line, -1), idOrPID.FindAllString(gotLines[i], -1)
		for j := range min(len(theirs), len(ours)) {
			s.learn(theirs[j], ours[j])
		}
	}
	return same
}

// learn keeps an id, or how a command would name a pid.
func (s *section) learn(theirs, ours string) {
	if !strings.ContainsAny(theirs, " /") {
		s.names[theirs] = ours
		return
	}
	number := func(s string) string { return s[strings.LastIndexAny(s, " /")+1:] }
	for _, signal := range []string{"CONT", "KILL", "TERM"} {
		s.names["kill -"+signal+" "+number(theirs)] = "kill -" + signal + " " + number(ours)
	}
}

// endAll lets what still runs end, so that the directory can go.
func (s *section) endAll(t *testing.T) {
	t.Helper()
	os.WriteFile(filepath.Join(s.dir, "go"), nil, 0o666)
	data, err := os.ReadFile(filepath.Join(s.dir, ".pids"))
	if err != nil {
		return
	}
	for _, pid := range strings.Fields(string(data)) {
		exec.Command("kill", "-CONT", pid).Run()
		if !poll(func() bool { return exec.Command("kill", "-0", pid).Run() != nil }) {
			t.Errorf("process %s does not end", pid)
		}
	}
}
