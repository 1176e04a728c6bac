package oldprograms

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// Turns is what processes that take turns at one lock share: how long they go on,
// and the log that shows afterwards who was inside together with whom. Every
// line of it is written by one append, so that their order is that of what
// happened:
//
//	ready NAME   the process has started
//	in NAME      it has the lock, in this turn
//	out NAME     it is about to release it
//	lost NAME    it found out that its lock of that turn was taken away
//
// A name is KIND:PID:TURN. Of kind Ours are genlock's processes.
type Turns struct {
	Log   string
	Turns int
	Most  time.Duration // and no longer
	All   int           // so many processes start together
}

// Ours is the kind of genlock's own processes.
const Ours = "ours"

// Note appends one line.
func (t Turns) Note(what, name string) error {
	f, err := os.OpenFile(t.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(what + " " + name + "\n"); err != nil {
		return err
	}
	return f.Close()
}

// Together waits until all processes have started: without the others there is no
// contention.
func (t Turns) Together(name string) error {
	if err := t.Note("ready", name); err != nil {
		return err
	}
	for {
		data, err := os.ReadFile(t.Log)
		if err != nil || strings.Count("\n"+string(data), "\nready ") >= t.All {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

// Run takes turns by enter, which returns with the lock held and says how to
// release it; lost tells that an error means that the lock was taken away. It
// returns the number of turns and the longest wait for the lock.
func (t Turns) Run(kind string, enter func() (leave func() error, err error), lost func(error) bool) (Stats, error) {
	s := Stats{Program: kind}
	who := fmt.Sprintf("%s:%d", kind, os.Getpid())
	if err := t.Together(who); err != nil {
		return s, err
	}
	for began := time.Now(); s.Turns < t.Turns && time.Since(began) < t.Most; s.Turns++ {
		asked := time.Now()
		leave, err := enter()
		if err != nil {
			return s, err
		}
		wait := time.Since(asked)
		s.LongestMS, s.WaitedMS = max(s.LongestMS, wait.Milliseconds()), s.WaitedMS+wait.Milliseconds()
		name := fmt.Sprintf("%s:%d", who, s.Turns)
		if err := t.inside(name); err != nil {
			return s, err
		}
		if err = leave(); lost(err) {
			s.Lost++
			err = t.Note("lost", name)
		}
		if err != nil {
			return s, err
		}
		time.Sleep(time.Millisecond) // the others' turn
	}
	return s, nil
}

func (t Turns) inside(name string) error {
	if err := t.Note("in", name); err != nil {
		return err
	}
	time.Sleep(time.Millisecond) // the work
	return t.Note("out", name)
}

// Stats is what one process tells of its turns.
type Stats struct {
	Program             string
	Turns               int
	LongestMS, WaitedMS int64
	// Waits is in how many turns it found the lock taken, where it knows.
	Waits int `json:",omitempty"`
	Lost  int `json:",omitempty"`
	// Errors is what an old program threw.
	Errors map[string]int `json:",omitempty"`
}

// Overlaps is who was inside together.
type Overlaps struct {
	Turns int // in the log
	// Theirs are among old programs: they break their own exclusion.
	Theirs []string
	// Taken are those in which one side is ours and was told that an old
	// program had taken its lock away.
	Taken []string
	// Wrong are all others: ours with ours, or with an old one unknowingly.
	Wrong []string
}

func (o Overlaps) String() string {
	return fmt.Sprintf("%d turns; overlaps: %d among old programs, %d after one had taken our lock away and we were told, %d others",
		o.Turns, len(o.Theirs), len(o.Taken), len(o.Wrong))
}

// Judge reads a log.
func Judge(log string) (o Overlaps) {
	lost := map[string]bool{}
	for line := range strings.Lines(log) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "lost "); ok {
			lost[name] = true
		}
	}
	var inside []string
	for line := range strings.Lines(log) {
		what, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch what {
		case "in":
			o.Turns++
			for _, other := range inside {
				o.overlap(other, name, lost)
			}
			inside = append(inside, name)
		case "out":
			inside = slices.DeleteFunc(inside, func(n string) bool { return n == name })
		}
	}
	return o
}

func (o *Overlaps) overlap(a, b string, lost map[string]bool) {
	ours := 0
	for _, name := range []string{a, b} {
		if strings.HasPrefix(name, Ours+":") {
			ours++
		}
	}
	pair := a + " " + b
	switch {
	case ours == 0:
		o.Theirs = append(o.Theirs, pair)
	case ours == 1 && (lost[a] || lost[b]):
		o.Taken = append(o.Taken, pair)
	default:
		o.Wrong = append(o.Wrong, pair)
	}
}
