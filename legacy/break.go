package legacy

import (
	"context"
	"errors"
	"fmt"

	"genlock.dev/genlock/protocol"
)

// OtherDialectError: the old lock that stands there is of another dialect than the
// one named, so that it has to be moved by other rules. Nothing was changed.
type OtherDialectError struct {
	Named string
	Sight *Sight
}

func (e *OtherDialectError) Error() string {
	return fmt.Sprintf("%s is no lock of the dialect %s, it is one of %s; nothing was changed",
		e.Sight.Path, e.Named, e.Sight.Dialect)
}

// Break takes the old lock of one dialect away from its holder, on an operator's
// word in place of the verdict and by the same exact steps as Reclaim: fence,
// confirm, move that very lock, verify. It returns whom it was taken from; nil
// when nobody holds it any more.
//
// The caller must hold v3 (Place.Mine). A holder that is alive after all is not
// told: old programs look at nothing.
func Break(ctx context.Context, at Place, dialect string) (*Sight, error) {
	k, ok := kindOf(dialect)
	if !ok {
		_, err := Parse(dialect)
		if err == nil {
			err = &protocol.UsageError{What: "dialect", Why: "one has to be named"}
		}
		return nil, err
	}
	d, err := k.make("")
	if err != nil {
		return nil, err
	}
	at.word = true
	for range lookAgain {
		sight, err := named(ctx, at, d)
		if sight == nil || err != nil {
			return nil, err
		}
		sight.Next = "" // it is done
		if _, err = d.Reclaim(ctx, at); !errors.Is(err, ErrMoved) {
			return sight, err
		}
	}
	return nil, fmt.Errorf("%s changes hands too fast to break it", at.Lock)
}

// named is what stands there in the dialect d.
func named(ctx context.Context, at Place, d Dialect) (*Sight, error) {
	sights, err := Set{d}.See(ctx, at)
	if err != nil {
		return nil, err
	}
	k, _ := kindOf(d.Name())
	var other *Sight
	for _, s := range sights {
		if s.Dialect == d.Name() {
			return s, nil
		}
		if o, _ := kindOf(s.Dialect); o.place == k.place {
			other = s
		}
	}
	if other != nil && other.Strange {
		return nil, &BlockedError{Sight: other}
	}
	if other != nil {
		return nil, &OtherDialectError{Named: d.Name(), Sight: other}
	}
	return nil, nil
}
