package operate

import (
	"fmt"
	"strings"
	"time"

	"genlock.dev/genlock/observer"
)

// state tells about a held generation what an operator should know.
func (d *doctor) state(p place, o *observer.Observation) error {
	if o.Old != nil {
		if err := d.oldLock(p, o); err != nil || o.Generation == "" {
			return err
		}
	}
	f := Finding{Kind: string(o.State), Lock: p.lock, Path: p.dir.at(p.name), Evidence: o.Evidence, Mend: o.Next}
	who := fmt.Sprintf("generation %s %s", o.Generation, heldBy(o.Holder, d.env.Clock.Now()))
	lock := quote(p.lock)
	switch o.State {
	case observer.Abandoned:
		f.What = who + ", and its holder is gone or finished"
		f.Safe, f.Ignore, f.Mend = true, "yes: the next genlock run takes the lock over by itself", "genlock prune "+lock
	case observer.Undecidable:
		f.What = who + ", and nothing proves that its holder is alive or gone"
		f.Ignore = "no, if the holder is gone: then everybody waits until somebody breaks the lock"
		f.Mend = "if that holder is gone for good: " + o.Next
	case observer.Damaged:
		return d.damaged(f, o, who)
	case observer.Quarantined:
		f.What = who + ", and a guard forbids to take it"
		f.Ignore = "no: nobody can take the lock"
		f.Mend = "when none of its commands runs any more: " + o.Next
	case observer.Held:
		return d.holder(f, o, who)
	default:
		return nil
	}
	return d.found(f)
}

// damaged is what a power cut leaves: files without content.
func (d *doctor) damaged(f Finding, o *observer.Observation, who string) error {
	f.What = who + ", and there is nothing left to judge its holder by"
	f.Ignore = "no: nobody can take the lock"
	f.Mend = "if nobody works under it: " + o.Next
	if o.Generation == "" {
		// It names nothing that could be broken, so that no fence can exist.
		f.What = "something lies in the place of the held generation that says neither which one it is nor whose"
		f.Mend = "if nobody works under it: rm -r " + quote(f.Path+"/current")
	}
	return d.found(f)
}

// holder tells about one that is alive and yet may never end by itself.
func (d *doctor) holder(f Finding, o *observer.Observation, who string) error {
	h := o.Holder
	switch {
	case h == nil:
		return nil
	case h.ChildOnly:
		f.Kind, f.What = "child-only", who+"; it is gone, and only a command it started keeps the lock"
		f.Safe, f.Ignore = true, "yes, if that command ends; a daemon never does, unless it was started with genlock run -o"
		f.Mend = "to see which command: fuser -v " + quote(f.Path+"/current/") + "witness.*"
		if who := keepers(o.Generation); len(who) > 0 {
			f.What += ": " + strings.Join(who, ", ")
			f.Mend = "if it should not keep the lock, end it: kill " + pidsOf(who)
		}
	case h.Stopped:
		f.Kind, f.What = "stopped", who+", which is stopped (a job in the background, or a debugger)"
		f.Ignore = "no: it keeps the lock until it goes on"
		f.Mend = fmt.Sprintf("on %s: kill -CONT %d", observer.Command([]string{h.Hostname}), h.PID)
	default:
		return nil
	}
	return d.found(f)
}

// pidsOf are the numbers in what keepers says.
func pidsOf(who []string) string {
	var pids []string
	for _, w := range who {
		pids = append(pids, strings.Fields(w)[1])
	}
	return strings.Join(pids, " ")
}

func heldBy(h *observer.Holder, now time.Time) string {
	if h == nil {
		return "is held by an unknown holder"
	}
	return "is held by " + (&observer.Holder{PID: h.PID, Hostname: h.Hostname, Label: h.Label, Argv: h.Argv,
		User: h.User, Started: h.Started}).Describe(now)
}
