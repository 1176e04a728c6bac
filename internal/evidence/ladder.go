package evidence

import "genlock.dev/genlock/protocol"

// Gather climbs the ladder for p and returns one finding per rung that applies,
// rungs 1 to 4 (completion is the caller's: it needs the whole tree). At least
// one finding is returned; a silent one says why.
func Gather(m Machine, p Party) []Finding {
	switch {
	case p.Record == nil && p.Witness == nil:
		return []Finding{silent(Witness, sayDamaged)}
	case p.mixed():
		return []Finding{witness(m, p)}
	case p.Record != nil && !p.Record.Ours():
		return []Finding{old(m, p)}
	}
	w, pr := witness(m, p), process(m, p)
	if w.Answer == Alive && pr.Answer == Gone {
		w.ChildOnly = true
		w.Why = childSentence(p.Record.PID, pr.Why)
	}
	var found []Finding
	for _, f := range []Finding{w, pr, boot(m, p)} {
		if applies(f) {
			found = append(found, f)
		}
	}
	return found
}

// applies drops rungs that have nothing to say about this party at all.
func applies(f Finding) bool { return f.Why != "" }

func silent(r Rung, sentence string, args ...any) Finding {
	return Finding{Rung: r, Why: say(sentence, args...)}
}

func finding(r Rung, a Answer, sentence string, args ...any) Finding {
	return Finding{Rung: r, Answer: a, Why: say(sentence, args...)}
}

// childSentence is careful about a pid that is another process now: a process
// restored from a checkpoint looks the same, and keeps its witness.
func childSentence(pid int, why string) string {
	if why == say(sayOtherStart, pid) {
		return say(sayChildOrRestored, pid)
	}
	return say(sayChildOnly, pid)
}

// torn tells whether only the name of the witness is left to judge by (rule 12).
// A recycled directory can show the previous generation after a power cut: then
// the name, which survives, disagrees with the id that was read.
func (p Party) torn() bool {
	return p.Witness != nil && (p.Record == nil || p.Record.Ours() && p.Witness.Of != p.ID)
}

// mixed tells whether record and witness cannot be of one making: then nothing
// that either says about the past is believed, only a lock that is held now.
func (p Party) mixed() bool {
	if p.Witness == nil || p.Record == nil || p.torn() {
		return false
	}
	if !p.Record.Ours() {
		return true
	}
	r := p.Record.Process
	return or(r.Boot, protocol.NoBoot) != p.Witness.Boot ||
		or(r.Machine, protocol.NoMachine) != p.Witness.Machine
}

// recorded returns boot and machine as the party tells them.
func (p Party) recorded() (boot, machine string) {
	switch {
	case p.torn():
		return p.Witness.Boot, p.Witness.Machine
	case p.Record != nil && p.Record.Ours():
		return p.Record.Process.Boot, p.Record.Process.Machine
	}
	return "", ""
}

// sameBoot tells whether the party was recorded under the kernel that runs now,
// and whether that can be told at all.
func sameBoot(m Machine, p Party) (same, known bool) {
	theirs, _ := p.recorded()
	ours := m.Self().Boot
	known = isKnown(theirs) && isKnown(ours)
	return known && theirs == ours, known
}

// isKnown tells an id from its absence: empty in a record, zeros in a name.
func isKnown(id string) bool {
	for _, c := range id {
		if c != '0' {
			return true
		}
	}
	return false
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
