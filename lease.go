package genlock

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/generation"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/internal/watch"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// Lease is the right to a generation, from Acquire to Release. It may be used by
// several goroutines.
type Lease struct {
	lock   *Lock
	env    *env.Env
	place  place
	chain  []link
	root   *fence.Root
	tenure *generation.Tenure
	// holding is the old lock, in hold mode; else nil.
	holding *legacy.Holding
	leave   func()
	once    sync.Once

	mu       sync.Mutex
	commands []command
	err      error
	done     chan struct{} // closed by Release
	waited   time.Duration
	// reclaimed: somebody else's generation was retired on the way here.
	reclaimed bool
	before    protocol.ID // whom we waited for last
}

func newLease(a *attempt, t *generation.Tenure, h *legacy.Holding) *Lease {
	return &Lease{lock: a.lock, env: a.env, place: a.at, chain: a.chain, root: a.root, tenure: t, holding: h,
		done: make(chan struct{}), waited: a.waiter.waited(), before: a.waiter.before, reclaimed: a.reclaimed}
}

// Generation names this tenure of the lock. Guarded writes may carry it.
func (l *Lease) Generation() protocol.ID { return l.tenure.Generation() }

// Lock is the lock that is held.
func (l *Lease) Lock() *Lock { return l.lock }

// Check looks whether the lease still holds; ErrLost if not, ErrReleased after
// Release. The answer may be old when it is read: it cannot replace Publish,
// which fails when the lease is lost, whenever that happens. In hold mode losing
// the old lock is losing the lease; that, Publish only looks at before.
func (l *Lease) Check() error {
	select {
	case <-l.done:
		return ErrReleased
	default:
	}
	err := l.tenure.Check()
	if err == nil {
		err = l.oldError(l.holding.Check())
	}
	select {
	case <-l.done: // meanwhile, which is no loss
		return ErrReleased
	default:
		return err
	}
}

// checkEvery is how often Context looks. It costs two system calls.
const checkEvery = 200 * time.Millisecond

type leaseKey struct{}

// Context returns a context for the work under the lock. It ends with ErrLost as
// its cause when the lease is found lost, and with ErrReleased after Release.
// It carries the lease, so that taking the same lock again below it fails with
// ErrNested instead of waiting for itself.
func (l *Lease) Context(ctx context.Context) context.Context {
	ctx = context.WithValue(ctx, leaseKey{}, append(leasesIn(ctx), l))
	ctx = withLink(ctx, link{l.Generation(), l.lock.path})
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		for {
			select {
			case <-l.done:
				cancel(ErrReleased)
				return
			case <-ctx.Done():
				return
			case <-time.After(checkEvery):
			}
			if err := l.Check(); errors.Is(err, ErrLost) {
				cancel(ErrLost)
				return
			}
		}
	}()
	return ctx
}

func leasesIn(ctx context.Context) []*Lease {
	leases, _ := ctx.Value(leaseKey{}).([]*Lease)
	return leases[:len(leases):len(leases)]
}

// leaseAt is the lease on p that the call chain holds, if any.
func leaseAt(ctx context.Context, p place) *Lease {
	for _, l := range leasesIn(ctx) {
		if l.place == p && l.tenure.Check() == nil {
			return l
		}
	}
	return nil
}

// Failed records how the work under the lock failed, so that those who wait learn
// it: exit is a command's exit status, or -1. Call it before Release.
func (l *Lease) Failed(exit int, message string) error {
	err := l.tenure.Failed(exit, message)
	if err == nil {
		l.recordFailure(exit, message)
	}
	return err
}

// Release ends the lease. It is idempotent, needs no disk space, and may block up
// to generation.ReleaseBudget when the file system refuses, and in hold mode to
// legacy.ReleaseBudget for each old lock before that. ErrLost when somebody else
// retired the generation, or took the old lock; nothing of the successor was
// touched.
func (l *Lease) Release() error {
	l.once.Do(func() {
		close(l.done)
		l.dropGuards()
		old := l.oldError(l.holding.Release()) // taken last, released first
		l.err = l.tenure.Release()
		watch.Ended(seal.Open(l.root).Info.ID())
		if old != nil {
			l.err = errors.Join(old, l.err)
		}
		l.collect()
		if l.err == nil {
			keep(l.env, l.lock, l.root)
		} else {
			l.root.Close()
		}
		l.leave()
		kind := EventReleased
		if errors.Is(l.err, ErrLost) {
			kind = EventLost
		}
		l.lock.emit(Event{Kind: kind, Generation: l.Generation(), Err: l.err}, l.env.Clock.Now())
	})
	return l.err
}

// collectBudget is how many entries one collection looks at, and collectEvery how
// many tenures share one on average: disk use stays bounded without a janitor.
const (
	collectBudget = 64
	collectEvery  = 64
)

// mostBarren is how often in a row a collection through one open root may be in vain
// before collections do not become rarer any more. Each doubles the tenures that share
// the next one, or what has to stay, in its thousands, would be looked at all the time.
const mostBarren = 6

// collect does its bounded bit: after a reclaim, which may have left something,
// and otherwise when the generation's random digits say that it is our turn.
func (l *Lease) collect() {
	id, r := l.Generation(), seal.Open(l.root)
	n, err := strconv.ParseUint(string(id[len(id)-4:]), 16, 16)
	if !l.reclaimed && (err != nil || n%(collectEvery<<r.Barren) != 0) {
		return
	}
	// What cannot be collected is for the next one, or for an operator.
	done, _ := retire.Collect(context.Background(), l.root, collectBudget)
	if done.Tombstones+done.Litter > 0 {
		r.Barren = 0
	} else {
		r.Barren = min(r.Barren+1, mostBarren)
	}
}

// With runs fn under the lock, with a context that ends when the lock is lost. It
// joins fn's error and that of the release.
func (l *Lock) With(ctx context.Context, fn func(context.Context, *Lease) error) (err error) {
	lease, err := l.Acquire(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release()) }()
	return fn(lease.Context(ctx), lease)
}
