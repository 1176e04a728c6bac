package operate

import (
	"fmt"
	"time"

	"genlock.dev/genlock/observer"
)

// skew is how far two clocks may differ without being worth a word, and ancient is
// before every lock there can be.
const skew = time.Minute

var ancient = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// clock tells about a holder that began at a time that cannot be. No verdict rests
// on it: a clock can only withhold one.
func (d *doctor) clock(p place, o *observer.Observation) error {
	h, now := o.Holder, d.env.Clock.Now()
	if h == nil {
		return nil
	}
	why := ""
	made, hasTime := o.Generation.Time()
	switch {
	case h.Started.IsZero() && h.StartedAt != "":
		why = fmt.Sprintf("it says that it began at %s, which is no time", observer.Command([]string{h.StartedAt}))
	case h.Started.IsZero():
		return nil
	case h.Started.After(now.Add(skew)):
		why = fmt.Sprintf("it says that it began at %s, which is in the future here", h.StartedAt)
	case h.Started.Before(ancient):
		why = fmt.Sprintf("it says that it began at %s, before there were such locks", h.StartedAt)
	case hasTime && apart(made, h.Started) > skew:
		why = fmt.Sprintf("it says that it began at %s, and its generation is of %s", h.StartedAt, made.UTC().Format(time.RFC3339))
	default:
		return nil
	}
	return d.found(Finding{Kind: "clock", Lock: p.lock, Path: p.dir.at(p.name), Evidence: why,
		What: fmt.Sprintf("the clock of %s and the one here disagree, or one was set", observer.Command([]string{h.Hostname})),
		Safe: true, Ignore: "yes: no lock is given or taken because of a clock; only ages that are shown are wrong",
		Mend: "compare on both hosts: date -u"})
}

func apart(a, b time.Time) time.Duration { return a.Sub(b).Abs() }
