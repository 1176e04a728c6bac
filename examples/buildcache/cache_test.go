//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// What a copy of the test binary is instead of a test: buildcache itself, or the
// command that it runs.
const roleVariable = "BUILDCACHE_TEST_ROLE"

const (
	journalVariable = "BUILDCACHE_TEST_JOURNAL" // where the command notes its builds
	runVariable     = "BUILDCACHE_TEST_RUN"     // names one run of buildcache
)

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "buildcache":
		os.Setenv(roleVariable, "command") // for what it starts
		main()
		os.Exit(0)
	case "command":
		if err := command(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// result is what the command makes of a content: long enough that a reader could see
// a part of it.
func result(content []byte) []byte { return bytes.Repeat(bytes.ToUpper(content), 5000) }

// command builds. Before it does, it notes that in the journal; the first builders of
// some contents are killed in the middle, alone or together with their command.
func command() error {
	content, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	name := strings.TrimSpace(string(content))
	journal := filepath.Join(os.Getenv(journalVariable), name)
	overlap := journal + ".building"
	earlier, _ := os.ReadFile(journal)
	f, err := os.OpenFile(journal, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := fmt.Fprintln(f, os.Getenv(runVariable)); err != nil {
		return err
	}
	section, err := os.OpenFile(overlap, os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	// The kernel drops this one with us, whatever kills us.
	if err := syscall.Flock(int(section.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("two commands build %s at the same time: %w", name, err)
	}
	whole := result(content)
	if _, err := os.Stdout.Write(whole[:len(whole)/2]); err != nil {
		return err
	}
	if len(earlier) == 0 && strings.HasSuffix(name, "0") {
		syscall.Kill(os.Getppid(), syscall.SIGKILL)
	}
	if len(earlier) == 0 && (name == "content-20" || name == "content-40") {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	_, err = os.Stdout.Write(whole[len(whole)/2:])
	return err
}

const processes, contents = 8, 50

// TestBuildCache: eight processes want the same fifty contents, in orders of their own,
// and some are killed. Every content is built once by those that were not, and
// whatever anybody can read at any moment is whole.
func TestBuildCache(t *testing.T) {
	dir := t.TempDir()
	journal, cache := filepath.Join(dir, "journal"), filepath.Join(dir, "cache")
	if err := os.Mkdir(journal, 0o777); err != nil {
		t.Fatal(err)
	}
	var files []string
	for i := range contents {
		name := fmt.Sprintf("content-%02d", i)
		files = append(files, filepath.Join(dir, name))
		if err := os.WriteFile(files[i], []byte(name+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan struct{})
	watched := make(chan int)
	go func() { watched <- watch(t, &Cache{Dir: cache, Command: commandLine(t)}, files, done) }()
	var (
		group  sync.WaitGroup
		killed sync.Map
		deaths = make([]int, processes)
	)
	for p := range processes {
		group.Go(func() {
			for try := 0; ; try++ {
				name := fmt.Sprintf("run-%d-%d", p, try)
				err := run(t, name, cache, journal, files)
				if !wasKilled(err) {
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
					return
				}
				killed.Store(name, true)
				deaths[p]++
			}
		})
	}
	group.Wait()
	close(done)
	t.Logf("%d whole results were read meanwhile", <-watched)
	sum := 0
	for _, n := range deaths {
		sum += n
	}
	if sum == 0 {
		t.Error("nobody was killed")
	}
	builds := count(t, journal, files, &killed)
	t.Logf("%d runs were killed; %d builds for %d contents", sum, builds, contents)
}

// count fails unless every content was built at most once by a run that lived, and
// exactly once if no killed run began to build it.
func count(t *testing.T, journal string, files []string, killed *sync.Map) (builds int) {
	t.Helper()
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(journal, filepath.Base(file)))
		if err != nil {
			t.Error(err)
		}
		lived, died := 0, 0
		for _, name := range strings.Fields(string(data)) {
			if _, ok := killed.Load(name); ok {
				died++
			} else {
				lived++
			}
		}
		if lived > 1 || lived+died == 0 {
			t.Errorf("%s was built %d times, and %d times more by runs that were killed", filepath.Base(file), lived, died)
		}
		builds += lived + died
	}
	return builds
}

func commandLine(t *testing.T) []string {
	exe, err := os.Executable()
	if err != nil {
		t.Error(err)
	}
	return []string{exe}
}

// run is one process: buildcache over all files, in a random order.
func run(t *testing.T, name, cache, journal string, files []string) error {
	order := append([]string(nil), files...)
	rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	argv := append(append([]string{"-cache", cache}, order...), "--")
	argv = append(argv, commandLine(t)...)
	cmd := exec.Command(argv[len(argv)-1], argv...)
	cmd.Env = append(os.Environ(), roleVariable+"=buildcache", journalVariable+"="+journal, runVariable+"="+name)
	out, err := cmd.CombinedOutput()
	if err != nil && !wasKilled(err) {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return err
}

func wasKilled(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// watch reads results until done is closed and once more then, and counts them. What
// it reads has to be whole; at last, all have to be there.
func watch(t *testing.T, c *Cache, files []string, done chan struct{}) (read int) {
	for last := false; ; {
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Error(err)
				continue
			}
			key := c.key(content)
			got, err := os.ReadFile(filepath.Join(c.Dir, "results", key[:2], key))
			switch {
			case errors.Is(err, os.ErrNotExist) && !last:
			case err != nil:
				t.Error(err)
			case !bytes.Equal(got, result(content)):
				t.Errorf("%s: %d bytes instead of %d", file, len(got), len(result(content)))
			default:
				read++
			}
		}
		if last {
			return read
		}
		select {
		case <-done:
			last = true
		default:
		}
	}
}

// TestKey: the words of a command and the content do not run into each other.
func TestKey(t *testing.T) {
	keys := make(map[string]bool)
	for _, c := range []Cache{{Command: []string{"ab", "c"}}, {Command: []string{"a", "bc"}}, {Command: []string{"abc"}}} {
		for _, content := range []string{"", "c", "=c"} {
			keys[c.key([]byte(content))] = true
		}
	}
	if len(keys) != 9 {
		t.Errorf("%d different keys of 9", len(keys))
	}
}

// TestFailedBuild: a failed command leaves nothing, and the next one may try.
func TestFailedBuild(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "in")
	if err := os.WriteFile(file, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		bad := &Cache{Dir: filepath.Join(dir, "cache"), Command: []string{"sh", "-c", "cat; exit 3"}}
		_, path, err := bad.Get(context.Background(), file)
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 3 {
			t.Errorf("got %v", err)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a result of a failed build: %v", err)
		}
	}
}
