package explore

import (
	"errors"
	"syscall"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/operate"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// Root opens the lock's root.
func (p *Proc) Root() *fence.Root {
	p.call()
	root, err := fence.Open(p.ctx, lockPath, p.format())
	p.alive()
	if err != nil {
		return nil
	}
	return root
}

func (p *Proc) format() protocol.Format {
	if p.w.sc.Format == "" {
		return protocol.Genlock
	}
	return p.w.sc.Format
}

// Claim claims what is current; nil when nothing is, or not any more.
func (p *Proc) Claim(root *fence.Root, id protocol.ID) *fence.Fence {
	p.call()
	f, err := fence.Claim(p.ctx, root, id)
	p.done(resultOf(err))
	if err != nil && !errors.Is(err, fence.ErrMoved) && !p.w.sc.ByHand {
		p.w.fail(ruleErrors, "%s cannot claim: %v", p.name, err)
	}
	return f
}

// Prune removes the root of a lock that nobody uses.
func (p *Proc) Prune() {
	p.call()
	_, err := operate.PruneRoot(p.ctx, lockPath, operate.PruneOptions{Roots: true,
		Removed:  func(operate.Removal) error { return nil },
		Progress: func(operate.Pruned) {},
		Problem: func(path string, err error) {
			if !p.dead {
				p.w.fail(ruleErrors, "%s cannot prune %s: %v", p.name, path, err)
			}
		}})
	p.done(resultOf(err))
	if err != nil {
		p.w.fail(ruleErrors, "%s cannot prune: %v", p.name, err)
	}
}

// Collect collects everything that can be.
func (p *Proc) Collect() {
	root := p.Root()
	if root == nil {
		return
	}
	_, err := retire.Collect(p.ctx, root, 0)
	root.Close()
	p.done(0)
	p.collected(err)
}

// Reclaim judges and retires what f fences; it tells whether it did.
func (p *Proc) Reclaim(f *fence.Fence) bool {
	p.call()
	_, err := retire.Reclaim(p.ctx, f)
	p.done(resultOf(err))
	var alive *retire.AliveError
	if err != nil && !errors.Is(err, fence.ErrMoved) && !errors.As(err, &alive) && !p.w.sc.ByHand {
		p.w.fail(ruleErrors, "%s cannot reclaim: %v", p.name, err)
	}
	return err == nil
}

// Break retires what f fences on an operator's word.
func (p *Proc) Break(f *fence.Fence) bool {
	p.marks.breaking = f.Generation()
	p.call()
	err := retire.Break(p.ctx, f, retire.Word{By: "operator", Reason: "test"})
	p.done(resultOf(err))
	if err != nil && !errors.Is(err, fence.ErrMoved) && !p.w.sc.ByHand {
		p.w.fail(ruleErrors, "%s cannot break: %v", p.name, err)
	}
	return err == nil
}

// Withdraw takes the claim back.
func (p *Proc) Withdraw(f *fence.Fence) {
	p.call()
	err := f.Withdraw()
	p.done(0)
	if err != nil && !p.w.sc.ByHand {
		p.w.fail(ruleErrors, "%s cannot withdraw: %v", p.name, err)
	}
}

// Bury deletes a tombstone if nobody can act on it.
func (p *Proc) Bury(root *fence.Root, id protocol.ID) {
	p.call()
	_, err := retire.Bury(p.ctx, root, id)
	p.done(0)
	p.collected(err)
}

// collected: what a late claimant fills faster than it can be deleted is litter,
// which the next collection finds.
func (p *Proc) collected(err error) {
	if err != nil && !errors.Is(err, syscall.ENOTEMPTY) && !p.w.sc.ByHand {
		p.w.fail(ruleErrors, "%s cannot collect: %v", p.name, err)
	}
}
