package explore

import (
	"strings"

	"genlock.dev/genlock/protocol"
)

const ruleNothingLeft = "who is refused leaves nothing"

// Cancel ends what the process before this one waits for: its context. That changes
// nothing on disk, so each of its operations is a moment of its own.
func (p *Proc) Cancel() {
	p.alive()
	q := p.w.procs[p.n-1]
	if !p.begin(op{verb: vMark, name: "cancels " + q.name, at: point{verb: vMark, own: true}}) {
		panic(unwound{})
	}
	p.calls++
	q.touchWantedBy(p, writes)
	q.cancel()
	q.cancelled = true
	if q.state == asleep {
		q.state, q.saw = ready, p.w.effects
	}
	p.end(true, 0)
}

// touchWanted is about whether p still wants what it asked for.
func (p *Proc) touchWanted(how access) {
	if p.cancel != nil {
		p.touchWantedBy(p, how)
	}
}

func (p *Proc) touchWantedBy(by *Proc, how access) {
	p.wantedSlot = p.w.races.slot(p.wantedSlot)
	by.touches = append(by.touches, touch{object{kind: wanted, node: nodeID(p.n)}, how, p.wantedSlot})
}

// leavesNothing: whoever does not get the lock, for whatever reason, leaves neither a
// candidate nor a claim. What somebody else has taken away to delete it is his.
func (p *Proc) leavesNothing() {
	if p.w.sc.faulty() || p.w.sc.ByHand {
		return
	}
	for _, n := range p.w.disk.nodes {
		if n.maker != p.n || n.gone || n.parent == nil || n.role != p.w.know.claim && !strings.HasPrefix(n.name, protocol.CandidateName("")) &&
			!strings.Contains(n.name, ".hold-") {
			continue
		}
		if p.w.isSpare(n) {
			continue // for its next turn, until it has been idle for a moment
		}
		if id := longID.FindString(n.name); id != "" && makerOf(id) == p.n {
			p.w.fail(ruleNothingLeft, "%s did not get the lock and leaves %s", p.name, n.path())
		}
	}
}
