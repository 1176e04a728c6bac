package generation

import (
	"fmt"
	"path/filepath"
	"sync"

	"genlock.dev/genlock/internal/guard"
	"genlock.dev/genlock/internal/last"
	"genlock.dev/genlock/internal/prepare"
	"genlock.dev/genlock/internal/seal"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

type tokenBox = seal.Box[*tree.Fenced]

// Tenure is the holder's right to its generation, from Publish to Release. It may
// be used by several goroutines.
type Tenure struct {
	tokenBox
	party *prepare.Party

	mu       sync.Mutex
	released bool
	err      error // what Release came to
	users    int   // of the directory, see Use
	over     bool  // it is to be closed when nobody uses it any more
	early    bool  // a mistake: see mutant.ClaimsBeforeRetirement
}

func newTenure(r *tree.Root, id protocol.ID, p *prepare.Party) *Tenure {
	g := &tree.Generation{Dir: p.Dir, Info: p.Info, ID: id, Record: p.Record,
		Witness: tree.WitnessOf(id, p.Record.Process)}
	return &Tenure{tokenBox: seal.Wrap(&tree.Fenced{Root: r, Generation: g}), party: p}
}

// Generation names the tenure.
func (t *Tenure) Generation() protocol.ID { return seal.Open(t).Generation.ID }

// Use keeps the generation's directory, and its witness, open for somebody who works
// with them, until done is called, and from being recycled. It does not hold up Release.
// After that it fails with ErrLost: by then the directory can be that of another
// generation, and the number of its descriptor anybody's.
func (t *Tenure) Use() (done func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.released {
		return nil, ErrLost
	}
	t.touch()
	t.users++
	return sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.users--; t.over {
			t.close()
		}
	}), nil
}

// close closes the directory as soon as nobody uses it any more.
func (t *Tenure) close() {
	t.over = true
	if t.users == 0 {
		t.party.Close()
	}
}

// Path is where the generation lies as long as it is held: L.v3/current. The path
// leads elsewhere, or nowhere, as soon as it is not.
func (t *Tenure) Path() string {
	t.touch()
	return filepath.Join(seal.Open(t).Root.Path, protocol.CurrentName)
}

// Check looks whether the generation is still held: the path leads to our root,
// and current is our directory. ErrLost if not. The answer may be old when it
// is read; only publishing through Path is a check that cannot be outrun.
func (t *Tenure) Check() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.check()
}

func (t *Tenure) check() error {
	if t.released {
		return ErrLost
	}
	token := seal.Open(t)
	intact, err := token.Root.Intact()
	if err == nil && intact {
		intact, err = token.Root.IsCurrent(token.Generation.Info.ID())
	}
	if err != nil {
		return err
	}
	if !intact {
		return lost(token.Root)
	}
	return nil
}

// lost is what to say about a generation that is not ours any more. Together with
// ErrRootMoved when nobody retired it, and its root is gone instead.
func lost(r *tree.Root) error {
	if intact, err := r.Intact(); err == nil && !intact {
		return fmt.Errorf("%w: %w", ErrLost, ErrRootMoved)
	}
	return ErrLost
}

// Descriptor is the descriptor of the witness. A child process that inherits it
// keeps the generation alive until it ends. ok is false where no descriptor can
// be handed on. It is valid until Release.
func (t *Tenure) Descriptor() (fd uintptr, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.touch()
	f, ok := t.party.Witness.(vfs.OSFile)
	if !ok || t.released {
		return 0, false
	}
	return f.Descriptor(), true
}

// Guard publishes a guard for a command of this tenure, in the format whose other
// clients need one; elsewhere remove is nil. Call remove only with proof that the
// command and its children are gone.
func (t *Tenure) Guard() (remove func() error, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	token := seal.Open(t)
	if token.Root.Format != protocol.TTSC {
		return nil, nil
	}
	if t.released {
		return nil, ErrLost
	}
	t.touch()
	name, err := guard.Publish(token.Root, token.Generation)
	if err != nil {
		return nil, fmt.Errorf("lock %s: cannot publish a guard for the command: %w", token.Root.Lock, err)
	}
	return func() error {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.released {
			return ErrLost // the collector removes it
		}
		return guard.Remove(token.Root, name)
	}, nil
}

// Failed records in last.json how the tenure ended, so that those who wait learn
// it. exit is -1 when there is no exit status. Call it before Release. Nothing
// is recorded once the generation is lost: the note would be a successor's.
func (t *Tenure) Failed(exit int, message string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.check(); err != nil {
		return err
	}
	t.touch()
	token := seal.Open(t)
	return last.Write(token.Root, token.Generation.Dir, &protocol.Last{
		Generation: token.Generation.ID, Outcome: protocol.OutcomeFailed, Exit: exit, Message: message})
}
