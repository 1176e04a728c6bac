package cases

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// unusable is what is said of a dead holder whose record means nothing, in the
// boot in which it died.
func unusable(why string) string {
	return "its witness is free, but its record is torn and does not say that this means anything (owner.json: unusable record: " + why
}

// pidCases are group A: numbers that are no process, or another one's, and
// processes that are there and dead.
var pidCases = []scenario{
	{id: "A1", what: "pid 0 in the record of a dead holder", then: both(killed, pid(0)),
		want: "undecidable", says: unusable("pid 0 is not one"), next: blocked},
	{id: "A1", what: "pid -1", then: both(killed, pid(-1)), want: "undecidable", says: unusable("pid -1 is not one"), next: blocked},
	{id: "A1", what: "pid 1.5", then: both(killed, pid(1.5)), want: "undecidable", says: unusable("field pid is a n"), next: blocked},
	{id: "A1", what: "pid 2^40", then: both(killed, pid(1<<40)), want: "undecidable", says: unusable("pid 1099511627776 is not one"), next: blocked},
	{id: "A1", what: "pid 0, and the holder lives", then: pid(0), want: "alive", says: "its witness is locked", next: blocked},
	{id: "A1", what: "pid of a running sleep", then: both(killed, ofSleep),
		want: "gone", says: "is a different process now (start time)", next: takes},
	{id: "A1", what: "our own pid", play: ownPID, want: "gone", says: "is a different process now (start time)", next: takes},
	{id: "A3", what: "pid given out again in its namespace", play: reused,
		want: "gone", says: "is a different process now (start time)", next: takes},
	{id: "A4", what: "holder a zombie, never reaped", then: undead,
		want: "gone", says: "has ended and only waits to be reaped", next: takes},
	{id: "A4", what: "zombie whose command goes on", hold: hold{Command: lingering}, then: undead,
		want: "alive", says: "is gone: a command it started goes on", next: blocked},
	{id: "A4", what: "first thread ended, others go on", play: leaderless,
		want: "alive", says: "runs and is the same process", next: blocked},
	{id: "A4", what: "dead, and no /proc to look at", then: undead, from: withoutPID,
		want: "undecidable", says: "without both boot ids", next: blocked},
	{id: "A4", what: "alive, and no /proc to look at", from: withoutPID,
		want: "alive", says: "its witness is locked", next: blocked},
}

// ofSleep puts the number of an innocent process into the record.
func ofSleep(s *scene) {
	s.Helper()
	tick()
	sleep := exec.Command("sleep", "600")
	if err := sleep.Start(); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { sleep.Process.Kill(); sleep.Wait() })
	pid(sleep.Process.Pid)(s)
}

// ownPID looks from this very process, whose number the record has.
func ownPID(s *scene) seen {
	s.take(here, hold{})
	killed(s)
	pid(os.Getpid())(s)
	l := look{Lock: s.lock, Try: true}
	return l.look()
}

// reused plays in a namespace where nobody else takes numbers.
func reused(s *scene) (v seen) {
	a := s.start(container, "reuse", reuse{s.lock})
	line := a.expect("seen")
	if err := json.Unmarshal([]byte(line), &v); err != nil {
		s.Fatalf("%v: %s", err, line)
	}
	if v.State == "" {
		s.skip("%s", v.Err)
	}
	return v
}

// reuse is the first process of a namespace. It kills a holder, gives its number
// to another process, and looks.
type reuse struct{ Lock string }

func (r *reuse) run() error {
	v, err := r.play()
	if err != nil {
		v = seen{Err: err.Error()}
	}
	data, err := json.Marshal(v)
	if err == nil {
		fmt.Println("seen", string(data))
	}
	return err
}

func (r *reuse) play() (seen, error) {
	pid, err := r.deadHolder()
	if err != nil {
		return seen{}, err
	}
	tick()
	// A thread of this very program may be faster, so try more than once.
	for range 50 {
		if err := os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(pid-1)), 0); err != nil {
			return seen{}, err
		}
		other := exec.Command("sleep", "600")
		if err := other.Start(); err != nil {
			return seen{}, err
		}
		var v seen
		if other.Process.Pid == pid {
			l := look{Lock: r.Lock, Try: true}
			v = l.look()
		}
		other.Process.Kill()
		other.Wait()
		if other.Process.Pid == pid {
			return v, nil
		}
	}
	return seen{}, fmt.Errorf("number %d was never given out again", pid)
}

// deadHolder is the number of a holder that was killed.
func (r *reuse) deadHolder() (int, error) {
	argv := self("hold", hold{Lock: r.Lock})
	cmd := exec.Command(argv[0], argv[1:]...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	if _, err := stdout.Read(make([]byte, 100)); err != nil {
		return 0, err
	}
	cmd.Process.Kill()
	cmd.Wait()
	return cmd.Process.Pid, nil
}

// tick waits for the next one. Start times are told in ticks of 10 ms: a process that
// takes over a number must not begin in the same one as the holder.
func tick() {
	for began := ticks(); ticks() == began; {
		runtime.Gosched()
	}
}

func ticks() int64 {
	var now unix.Timespec
	unix.ClockGettime(unix.CLOCK_BOOTTIME, &now)
	return now.Nano() / 1e7
}

func init() {
	if len(os.Args) == 3 && os.Args[1] == rolePrefix+"leaderless" {
		runtime.LockOSThread() // the first thread is to end, no other
	}
	roles["leaderless"] = func() role { return new(headless) }
}

// headless is a holder that goes on without its first thread.
type headless struct{ hold }

func (h *headless) run() error {
	held := make(chan struct{})
	h.ready = func() { close(held) }
	go func() {
		h.hold.run()
		os.Exit(0)
	}()
	<-held
	syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0)
	return fmt.Errorf("still here")
}

func leaderless(s *scene) seen {
	s.holder = s.start(here, "leaderless", headless{hold{Lock: s.lock}})
	s.holder.expect("held")
	s.until("the first thread ends", func() bool {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.holder.Process.Pid))
		return err == nil && stateOf(data) == 'Z'
	})
	return s.look(here, look{Try: true})
}

// stateOf is the letter of a process's state.
func stateOf(stat []byte) byte {
	for i := len(stat) - 1; i > 0; i-- {
		if stat[i] == ')' && i+2 < len(stat) {
			return stat[i+2]
		}
	}
	return 0
}
