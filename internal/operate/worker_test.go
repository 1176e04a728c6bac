package operate_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/operate"
)

// workerVariable makes a copy of the test binary act as a builder: its value is the
// directory of the locks.
const workerVariable = "GENLOCK_OPERATE_WORKER"

// verbVariable names what else such a copy does.
const verbVariable = "GENLOCK_OPERATE_VERB"

const (
	workerKeys  = 3
	workerTurns = 40
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(workerVariable); dir != "" {
		work := takeTurns
		if verb := os.Getenv(verbVariable); verb != "" {
			work = verbs[verb]
		}
		if err := work(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		tellPeak()
		return
	}
	os.Exit(m.Run())
}

// takeTurns takes each lock again and again. Inside it makes a directory that must
// not be there.
func takeTurns(dir string) error {
	for turn := range workerTurns {
		name := filepath.Join(dir, fmt.Sprintf("k%d.lock", turn%workerKeys))
		if err := oneTurn(name); err != nil {
			return fmt.Errorf("turn %d: %w", turn, err)
		}
	}
	return nil
}

func oneTurn(name string) error {
	return genlock.New(name, nil).With(context.Background(), func(ctx context.Context, l *genlock.Lease) error {
		inside := name + ".inside"
		if err := os.Mkdir(inside, 0o777); err != nil {
			return fmt.Errorf("two at once: %w", err)
		}
		return os.Remove(inside)
	})
}

// TestPruneBesideBuilders: two prunes that also remove roots, again and again, beside
// building processes. Nobody overlaps, nobody fails, nobody waits for ever, and in the
// end nothing is left. GENLOCK_ROUNDS says how often.
func TestPruneBesideBuilders(t *testing.T) {
	rounds := 1
	if n, err := strconv.Atoi(os.Getenv("GENLOCK_ROUNDS")); err == nil {
		rounds = n
	}
	for range rounds {
		pruneBesideBuilders(t)
	}
}

func pruneBesideBuilders(t *testing.T) {
	dir := t.TempDir()
	const builders = 4
	ended := make(chan error, builders)
	for range builders {
		startBuilder(t, dir, ended)
	}
	stop, removed := make(chan struct{}), make(chan int, 2)
	for range 2 {
		go func() {
			n := 0
			for {
				select {
				case <-stop:
					removed <- n
					return
				default:
					n += prune(t, dir, operate.PruneOptions{Roots: true}).Removed
				}
			}
		}()
	}
	for range builders {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	close(stop)
	t.Logf("removed meanwhile: %d and %d", <-removed, <-removed)
	prune(t, dir, operate.PruneOptions{Roots: true})
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}

func startBuilder(t *testing.T, dir string, ended chan<- error) { startWorker(t, dir, "", ended) }

func startWorker(t *testing.T, dir, verb string, ended chan<- error) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), workerVariable+"="+dir, verbVariable+"="+verb)
	out := new(cappedBuffer)
	cmd.Stderr, cmd.Stdout = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		err := cmd.Wait()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		ended <- err
	}()
}

// prune fills in whom to tell.
func prune(t testing.TB, dir string, opt operate.PruneOptions) operate.Pruned {
	t.Helper()
	if opt.Removed == nil {
		opt.Removed = func(operate.Removal) error { return nil }
	}
	opt.Progress = func(operate.Pruned) {}
	opt.Problem = func(path string, err error) { t.Errorf("%s: %v", path, err) }
	done, err := operate.Prune(context.Background(), operate.Target{Path: dir}, opt)
	if err != nil {
		t.Error(err)
	}
	return done
}

// cappedBuffer keeps the head of what a process says.
type cappedBuffer struct{ text []byte }

func (b *cappedBuffer) Write(p []byte) (int, error) {
	if len(b.text) < 4096 {
		b.text = append(b.text, p...)
	}
	return len(p), nil
}

func (b *cappedBuffer) String() string { return string(b.text) }
