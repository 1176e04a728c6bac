package explore

import (
	"fmt"
	"strconv"
	"strings"
)

// Schedule says who moves when, operation by operation, so that it does not
// depend on what a search knew: "A57,B3,!A,B9~1" is 57 operations of A, then 3 of
// B, the crash of A, and 9 of B, the first of which gets fault 1.
type Schedule []turn

type turn struct {
	proc  int
	n     int // operations; 0 is a crash
	fault int
}

// String is what Parse reads.
func (s Schedule) String() string {
	var words []string
	for _, t := range s {
		switch {
		case t.n == 0:
			words = append(words, "!"+string(letter(t.proc)))
		case t.fault > 0:
			words = append(words, fmt.Sprintf("%c%d~%d", letter(t.proc), t.n, t.fault))
		default:
			words = append(words, fmt.Sprintf("%c%d", letter(t.proc), t.n))
		}
	}
	return strings.Join(words, ",")
}

// ParseSchedule reads what String wrote.
func ParseSchedule(s string) (Schedule, error) {
	var list Schedule
	for word := range strings.SplitSeq(s, ",") {
		bad := fmt.Errorf("%q is no turn; A57 is 57 operations of A, !A its crash", word)
		if len(word) < 2 {
			return nil, bad
		}
		if word[0] == '!' {
			list = append(list, turn{proc: int(word[1]-'A') + 1})
			continue
		}
		count, fault, _ := strings.Cut(word[1:], "~")
		t := turn{proc: int(word[0]-'A') + 1}
		var err error
		if t.n, err = strconv.Atoi(count); err != nil {
			return nil, bad
		}
		if fault != "" {
			if t.fault, err = strconv.Atoi(fault); err != nil {
				return nil, bad
			}
		}
		list = append(list, t)
	}
	return list, nil
}

// scheduleOf is the schedule by which a trace came to be.
func scheduleOf(trace []step) Schedule {
	var s Schedule
	for _, t := range trace {
		last := len(s) - 1
		switch {
		case t.crash:
			s = append(s, turn{proc: t.proc})
		case last >= 0 && s[last].proc == t.proc && s[last].n > 0 && t.fault == 0:
			s[last].n++
		default:
			s = append(s, turn{proc: t.proc, n: 1, fault: t.fault})
		}
	}
	return s
}

// replay runs a schedule, and then whoever can still run, one after the other.
// Turns that are not possible are left out.
func replay(sc *Scenario, know *knowledge, s Schedule) *World {
	w := newWorld(sc, know)
	w.everything, w.record = true, true
	for _, t := range s {
		if w.finding != nil {
			return w
		}
		w.take(t)
	}
	w.rest()
	return w
}

// rest lets whoever can still run do so, one after the other.
func (w *World) rest() {
	for w.finding == nil {
		options := w.options(false)
		if len(options) == 0 {
			w.finish()
			return
		}
		w.apply(options[0])
	}
}

// take makes one turn happen.
func (w *World) take(t turn) {
	if t.proc >= len(w.procs) {
		return
	}
	p := w.procs[t.proc]
	if t.n == 0 {
		if !p.dead && w.crashes > 0 {
			w.apply(action{proc: p.n, crash: true})
		}
		return
	}
	for done := 0; done < t.n && w.finding == nil; {
		if p.dead || p.state == ended || p.state == unborn {
			return
		}
		before, a := w.steps, action{proc: p.n}
		if done == 0 && t.fault > 0 && p.state == ready && len(w.faultsAt(p, p.doing)) >= t.fault && w.faults > 0 {
			a.fault = t.fault
		}
		w.apply(a)
		done += w.steps - before
	}
}
