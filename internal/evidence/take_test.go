package evidence_test

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/judge"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/protocol"
)

var (
	someID    = idAt(booted.Add(1))
	someNonce = idAt(booted.Add(2))
)

// take takes a witness on a file system under hooks.
func take(t *testing.T, m evidence.Machine, hooks faultfs.Hooks) (vfs.Dir, vfs.File, *protocol.Process, error) {
	t.Helper()
	dir, err := faultfs.Wrap(vfs.OS(), hooks).OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	f, p, err := evidence.TakeWitness(m, dir, someID, someNonce, 0o644)
	if err == nil {
		t.Cleanup(func() { f.Close() })
	}
	return dir, f, p, err
}

func TestTakeWitness(t *testing.T) {
	var trace faultfs.Trace
	m := &fake{self: commonSelf(ourPID)}
	dir, f, p, err := take(t, m, faultfs.Hooks{After: trace.After})
	if err != nil {
		t.Fatal(err)
	}
	name := protocol.Witness{Of: someID, Machine: machineA, Boot: bootA}.Name()
	data, err := vfs.ReadFile(dir, name, 100)
	if err != nil || string(data) != string(someNonce)+"\n" {
		t.Errorf("the witness holds %q, %v", data, err)
	}
	info, _ := f.Stat()
	want := protocol.Process{Boot: bootA, Machine: machineA, PIDNS: m.self.PIDNS, TimeNS: m.self.TimeNS,
		Start: "815", Instance: m.self.Instance, Witness: protocol.WitnessFlock,
		Dev: decimal(info.Dev), Ino: decimal(info.Ino)}
	if *p != want {
		t.Errorf("record %+v\nwant   %+v", *p, want)
	}
	// Locked before it has content. The probes of the self-test are shared, on
	// a descriptor that cannot write.
	order := []string{"create", "flock(exclusive)", "write", "stat", "kind", "open", "flock(shared)", "close"}
	lines := strings.Split(trace.String(), "\n")
	for i, verb := range order {
		if i+1 >= len(lines) || !strings.HasPrefix(lines[i+1], verb+" ") {
			t.Fatalf("operation %d is not %s in\n%s", i, verb, trace.String())
		}
	}
}

func TestTakeWitnessNamesWhatIsUnknown(t *testing.T) {
	self := commonSelf(ourPID)
	self.Boot, self.Machine = "", ""
	dir, _, p, err := take(t, &fake{self: self}, faultfs.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	name := protocol.Witness{Of: someID, Machine: protocol.NoMachine, Boot: protocol.NoBoot}.Name()
	if _, err := dir.Lstat(name); err != nil {
		t.Error(err)
	}
	if p.Boot != "" || p.Machine != protocol.NoMachine {
		t.Errorf("boot %q, machine %q", p.Boot, p.Machine)
	}
}

// A file system that cannot lock, or says yes to everybody, is told in the
// record. The witness is made all the same: its name carries identity.
func TestWitnessWithoutLocks(t *testing.T) {
	hooks := map[string]func(faultfs.Op) error{
		"ENOLCK":              faultfs.On(syscall.ENOLCK, faultfs.Flock),
		"ENOSYS":              faultfs.On(syscall.ENOSYS, faultfs.Flock),
		"EBADF":               faultfs.On(syscall.EBADF, faultfs.Flock),
		"yes to everybody":    faultfs.On(faultfs.Pretend(), faultfs.Flock),
		"exclusive locks lie": faultfs.When(isFlock("exclusive"), faultfs.Pretend()),
		"no shared locks":     faultfs.When(isFlock("shared"), syscall.EOPNOTSUPP),
	}
	for name, before := range hooks {
		t.Run(name, func(t *testing.T) {
			m := &fake{self: commonSelf(ourPID)}
			dir, f, p, err := take(t, m, faultfs.Hooks{Before: before})
			if err != nil {
				t.Fatal(err)
			}
			if p.Witness != protocol.WitnessNone {
				t.Errorf("the record says %q", p.Witness)
			}
			w := &protocol.Witness{Of: someID, Machine: machineA, Boot: bootA}
			if _, err := dir.Lstat(w.Name()); err != nil {
				t.Error(err)
			}
			f.Close()
			v := judge.Weigh(evidence.Gather(m, evidence.Party{ID: someID, Dir: dir, Witness: w,
				Kind:   vfs.Kind{Name: "fuse"},
				Record: &protocol.Record{Generation: someID, Hostname: "elsewhere", PID: 1, Process: p}}))
			if v.Answer != judge.Gone || !strings.Contains(v.Why, "pid 1 ") {
				t.Errorf("the process is still judged: %v %s", v.Answer, v.Why)
			}
		})
	}
}

// Whoever collects litter may probe a witness before its maker has locked it. The
// maker learns that, and does not take it for a file system that cannot lock.
func TestWitnessProbedTooEarly(t *testing.T) {
	_, f, p, err := take(t, &fake{self: commonSelf(ourPID)},
		faultfs.Hooks{Before: faultfs.When(isFlock("exclusive"), syscall.EWOULDBLOCK)})
	if !vfs.IsBusy(err) || f != nil || p != nil {
		t.Errorf("%v, %v, %v", f, p, err)
	}
}

func isFlock(how string) func(faultfs.Op) bool {
	return func(op faultfs.Op) bool { return op.Verb == faultfs.Flock && op.How == how }
}

// TestWitnessFaults: an operation that fails is either an error or a record that
// says "none", never a testimony.
func TestWitnessFaults(t *testing.T) {
	for k := 1; ; k++ {
		begun := 0
		hooks := faultfs.Hooks{Before: faultfs.Once(k, syscall.EIO), After: func(op faultfs.Op, _ error) { begun = op.N }}
		dir, err := faultfs.Wrap(vfs.OS(), hooks).OpenDir(t.TempDir())
		if err != nil {
			continue // the directory is the test's own
		}
		f, p, err := evidence.TakeWitness(&fake{self: commonSelf(ourPID)}, dir, someID, someNonce, 0o644)
		switch {
		case begun < k:
			f.Close()
			dir.Close()
			if k < 8 {
				t.Errorf("only %d operations", begun)
			}
			return
		case err == nil && p.Witness != protocol.WitnessNone:
			t.Errorf("operation %d failed and nobody noticed", k)
		case err != nil && !errors.Is(err, syscall.EIO):
			t.Errorf("operation %d: %v", k, err)
		}
		if err == nil {
			f.Close()
		} else if f != nil || p != nil {
			t.Errorf("operation %d: an error, and a result", k)
		}
		dir.Close()
	}
}

// TestSelfTestOnce: this machine remembers, per file system.
func TestSelfTestOnce(t *testing.T) {
	probes := 0
	hooks := faultfs.Hooks{Before: func(op faultfs.Op) error {
		if isFlock("shared")(op) {
			probes++
		}
		return nil
	}}
	for range 3 {
		if _, _, p, err := take(t, evidence.System(), hooks); err != nil || p.Witness != protocol.WitnessFlock {
			t.Skipf("flock does not exclude here (%v)", err)
		}
	}
	if probes > 1 {
		t.Errorf("%d self-tests", probes)
	}
}

// TestNoOpenFiles: where an open file would keep its directory from being moved,
// what is returned is closed already and harmless.
func TestNoOpenFiles(t *testing.T) {
	self := commonSelf(ourPID)
	self.NoOpenFiles = true
	open := 0
	_, f, p, err := take(t, &fake{self: self}, faultfs.Hooks{After: func(op faultfs.Op, err error) {
		switch {
		case err != nil:
		case op.Verb == faultfs.Create || op.Verb == faultfs.Open:
			open++
		case op.Verb == faultfs.Close:
			open--
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if open != 0 || p.Witness != protocol.WitnessNone {
		t.Errorf("%d files open, witness %s", open, p.Witness)
	}
	_, werr := f.Write([]byte("x"))
	_, rerr := f.Read(make([]byte, 1))
	for _, err := range []error{werr, rerr, f.Flock(vfs.Exclusive), f.Sync()} {
		if !errors.Is(err, fs.ErrClosed) {
			t.Error(err)
		}
	}
	if info, err := f.Stat(); err != nil || decimal(info.Ino) != p.Ino {
		t.Error(info, err)
	}
	if err := errors.Join(f.Chmod(0o600), f.Close(), f.Close()); err != nil {
		t.Error(err)
	}
}

// TestProbesDoNotDisturb: any number of lookers see a live witness as busy and a
// free one as free, and only ever open it for reading.
func TestProbesDoNotDisturb(t *testing.T) {
	s := newScene(t, nil)
	s.hooks = faultfs.First(
		faultfs.When(func(op faultfs.Op) bool { return op.How == "rw" || op.Verb == faultfs.Create }, syscall.EROFS),
		faultfs.When(isFlock("exclusive"), syscall.EBADF))
	look := func(want judge.Answer) {
		done := make(chan judge.Verdict)
		for range 8 {
			go func() {
				var v judge.Verdict
				for range 50 {
					if v = judge.Weigh(evidence.Gather(s.us, s.p)); v.Answer != want {
						break
					}
				}
				done <- v
			}()
		}
		for range 8 {
			if v := <-done; v.Answer != want {
				t.Errorf("%v: %s", v.Answer, v.Why)
			}
		}
	}
	look(judge.Alive)
	s.died()
	look(judge.Gone)
}
