package legacy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs"
)

// Holding is every old lock that one tenure holds in hold mode.
type Holding struct {
	env  *env.Env
	held []Held
	// stop ends the goroutine that refreshes; ended is closed when it has.
	stop  context.CancelFunc
	ended chan struct{}
}

// CheckHold tells whether the dialects can be held together: where one has a
// record in L and another must find L empty, only one can be. The error is a
// *protocol.UsageError.
func (s Set) CheckHold() error {
	for _, d := range s {
		k, _ := kindOf(d.Name())
		for _, o := range s {
			if other, _ := kindOf(o.Name()); k.bare && !other.bare && k.place == other.place && o.Name() != d.Name() {
				return usage(d.Name(), fmt.Sprintf("it cannot be held together with %s: the one needs %s empty, "+
					"the other a record in it", o.Name(), "the lock directory"))
			}
		}
	}
	return nil
}

// Hold takes the old lock of every dialect, or of none. The caller holds v3, whose
// record announced it (Names), and has called Clear. A sight means that somebody
// stands in the way, and nothing at all that somebody did and is gone already: in
// both cases the caller releases v3, and waits or looks again. Dialects that
// share one directory take it once.
//
// Old locks that live by being refreshed are refreshed by a goroutine, which ends
// in Release.
func (s Set) Hold(ctx context.Context, at Place) (h *Holding, inTheWay *Sight, err error) {
	h = &Holding{env: env.From(ctx)}
	if err := s.CheckHold(); err != nil {
		return nil, nil, err
	}
	taken := map[string]bool{}
	for _, d := range s {
		k, known := kindOf(d.Name())
		if known && taken[k.place] {
			continue
		}
		held, err := d.Hold(ctx, at)
		if errors.Is(err, ErrHeld) || errors.Is(err, ErrMoved) {
			inTheWay, err = s.Look(ctx, at)
			return nil, inTheWay, errors.Join(err, h.letGo())
		}
		if err != nil {
			return nil, nil, errors.Join(err, h.letGo())
		}
		taken[k.place] = true
		h.held = append(h.held, held)
	}
	// Dialects that keep their locks in several places are not atomic: who came
	// to one of the places while we took the others is seen now.
	err = vfs.Again(func() (err error) {
		inTheWay, err = s.Look(ctx, at)
		return err
	})
	if inTheWay == nil && err == nil {
		// And who took one of them away meanwhile may be gone already.
		err = vfs.Again(h.Check)
	}
	if errors.Is(err, ErrLost) {
		return nil, nil, h.letGo() // a race like any other: nothing was held yet
	}
	if inTheWay != nil || err != nil {
		return nil, inTheWay, errors.Join(err, h.letGo())
	}
	h.keep()
	return h, nil, nil
}

// Check looks whether every old lock is still ours; ErrLost if not. The answer may
// be old when it is read.
func (h *Holding) Check() error {
	if h == nil {
		return nil
	}
	for _, held := range h.held {
		if err := held.Check(); err != nil {
			return err
		}
	}
	return nil
}

// Release ends the holding in reverse order. See Held.Release.
func (h *Holding) Release() error {
	if h == nil {
		return nil
	}
	if h.stop != nil {
		h.stop()
		<-h.ended
	}
	var err error
	for _, held := range slices.Backward(h.held) {
		err = errors.Join(err, held.Release())
	}
	return err
}

// letGo gives back what was taken in vain; that somebody else took it is no matter
// then.
func (h *Holding) letGo() error {
	if err := h.Release(); err != nil && !errors.Is(err, ErrLost) {
		return err
	}
	return nil
}

// keep refreshes what has to be, until Release. What cannot be refreshed now is
// tried again: that it is lost for good, Check says.
func (h *Holding) keep() {
	every := time.Duration(0)
	for _, held := range h.held {
		if e := held.Every(); e > 0 && (every == 0 || e < every) {
			every = e
		}
	}
	if every == 0 {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	h.stop, h.ended = cancel, make(chan struct{})
	go func() {
		defer close(h.ended)
		for h.env.Clock.Sleep(ctx, every) == nil {
			for _, held := range h.held {
				held.Refresh()
			}
		}
	}()
}
