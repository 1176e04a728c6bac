package artifact

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

const files = 20

func (w *world) makeWide(path, v string) {
	w.t.Helper()
	w.mkdir(path)
	for i := range files {
		w.ok(os.WriteFile(filepath.Join(path, fmt.Sprint(i)), []byte(v), 0o644))
	}
}

// Readers without a lock see a whole old or a whole new directory.
func TestReadersDuringReplacement(t *testing.T) {
	for _, apart := range []bool{false, true} {
		w := newWorld(t, scratch(t))
		w.apart, w.replace = apart, true
		w.makeWide(w.path, "0")
		stop := make(chan bool)
		var wg sync.WaitGroup
		var whole [2]int
		for i := range whole {
			wg.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					if ok, err := readOnce(w.path); err != nil {
						t.Error(err)
						return
					} else if ok {
						whole[i]++
					}
				}
			})
		}
		a := w.acquire()
		for i := range 100 {
			out, err := a.Prepare()
			w.ok(err)
			w.makeWide(out, fmt.Sprint(i+1))
			w.ok(a.publish())
		}
		close(stop)
		wg.Wait()
		if whole[0]+whole[1] == 0 {
			t.Error("no reader ever read a whole directory")
		}
	}
}

// readOnce reads the directory as package doc says: through one handle. It tells
// whether all was read; what is missing is an error unless the directory had
// been replaced.
func readOnce(path string) (bool, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return false, err // there is always one
	}
	defer root.Close()
	mine, err := root.Stat(".")
	if err != nil {
		return false, err
	}
	first := ""
	for i := range files {
		data, err := root.ReadFile(fmt.Sprint(i))
		if errors.Is(err, fs.ErrNotExist) {
			now, err := os.Stat(path)
			if err == nil && os.SameFile(mine, now) {
				err = fmt.Errorf("file %d is missing from the published directory", i)
			}
			return false, err
		}
		if err != nil {
			return false, err
		}
		if i == 0 {
			first = string(data)
		}
		if string(data) != first {
			return false, fmt.Errorf("file 0 is of version %s, file %d of %q", first, i, data)
		}
	}
	return true, nil
}

// A running executable is not touched by a publication that replaces it, and no
// "text file busy" comes up.
func TestRunningExecutable(t *testing.T) {
	if os.Getenv("ARTIFACT_TEST_CHILD") != "" {
		fmt.Println("running")
		bufio.NewReader(os.Stdin).ReadString('\n')
		os.Exit(7)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	for _, apart := range []bool{false, true} {
		w := newWorld(t, t.TempDir())
		w.apart, w.replace = apart, true
		w.ok(os.WriteFile(w.path, binary, 0o755))
		cmd := exec.Command(w.path, "-test.run=^TestRunningExecutable$")
		cmd.Env = append(os.Environ(), "ARTIFACT_TEST_CHILD=1")
		in, err := cmd.StdinPipe()
		w.ok(err)
		outPipe, err := cmd.StdoutPipe()
		w.ok(err)
		w.ok(cmd.Start())
		if line, err := bufio.NewReader(outPipe).ReadString('\n'); line != "running\n" {
			t.Fatalf("%q, %v", line, err)
		}
		a := w.acquire()
		a.build("new")
		w.ok(a.publish())
		w.wantVersion("new")
		fmt.Fprintln(in, "end")
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 7 {
			t.Errorf("the running one ended with %v", err)
		}
	}
}
