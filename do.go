package genlock

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"genlock.dev/genlock/internal/artifact"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/exitcode"
	"genlock.dev/genlock/internal/mutant"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// How tells where an artifact came from.
type How int

const (
	// Unknown is the zero value: nothing is known, because of an error.
	Unknown How = iota
	// Built: by this call.
	Built
	// Adopted: it was there, made by somebody else.
	Adopted
)

func (h How) String() string { return [...]string{"unknown", "built", "adopted"}[h] }

// Result says what Do came to.
type Result struct {
	How How
	// Generation that built it; "" for an adopted artifact of which nobody
	// knows who built it.
	Generation protocol.ID
	// Waited for other holders.
	Waited time.Duration
}

// Work is what a build function works with.
type Work struct {
	*Lease
	// Out is where to build the artifact. Nothing is there yet; its parent is
	// private to this build; its base name is the artifact's.
	Out string
}

// Do returns when the artifact is there: adopted if it was there before or somebody
// else made it while we waited, otherwise built by build under the lock. build
// gets a context that ends when the lock is lost; its error is returned in a
// *BuildFailedError and reaches those who wait. The artifact is published only
// if build returns nil, and only if the lock is still held then.
func (l *Lock) Do(ctx context.Context, a Artifact, build func(context.Context, *Work) error) (Result, error) {
	if l.err != nil {
		return Result{}, l.err
	}
	path, err := artifactPath(l, a)
	if err != nil {
		return Result{}, err
	}
	a.Path = path
	j := &job{lock: l, env: env.From(ctx), want: a, artifact: a}
	if !a.Replace {
		if ready, err := j.ready(ctx); ready || err != nil {
			return j.adopted(err, nil)
		}
	}
	return j.run(ctx, build)
}

// job is one call of Do.
type job struct {
	lock *Lock
	env  *env.Env
	want Artifact
	// artifact is want, with Replace set once what is there proved bad.
	artifact Artifact
	bad      error // why what is there proved bad
}

func (j *job) run(ctx context.Context, build func(context.Context, *Work) error) (res Result, err error) {
	var waiting *waiter
	enough := func(w *waiter) (bool, error) {
		if mutant.On(mutant.AbsenceIsBuilt) {
			return true, nil
		}
		waiting = w
		if j.want.Replace {
			return false, nil
		}
		return j.ready(ctx)
	}
	lease, err := j.lock.acquire(ctx, !j.lock.options.NoWait, enough)
	if err == errEnough {
		return j.adopted(nil, waiting)
	}
	if err != nil {
		return Result{}, err
	}
	res, err = j.under(ctx, lease, build)
	if rerr := lease.Release(); rerr != nil && !(res.How != Unknown && errors.Is(rerr, ErrLost)) {
		// Losing the lock after publishing harms nobody: the artifact is whole.
		err = errors.Join(err, rerr)
	}
	return res, err
}

// under runs with the lock held. What other builders staged on another file
// system is swept before the artifact is looked at for the last time.
func (j *job) under(ctx context.Context, lease *Lease, build func(context.Context, *Work) error) (Result, error) {
	res := Result{Waited: lease.waited, Generation: lease.before}
	if !j.want.Replace {
		if ready, err := j.ready(ctx); ready || err != nil {
			return j.adoptedAs(res, err)
		}
	}
	out, err := lease.Stage(j.artifact)
	if err != nil {
		return Result{}, err
	}
	if !j.want.Replace {
		if ready, err := j.ready(ctx); ready || err != nil {
			return j.adoptedAs(res, err)
		}
	}
	res.Generation = lease.Generation()
	if err := j.build(ctx, lease, out, build); err != nil {
		return Result{Waited: lease.waited}, err
	}
	res.How = Built
	return res, nil
}

func (j *job) build(ctx context.Context, lease *Lease, out string, build func(context.Context, *Work) error) error {
	work := lease.Context(ctx)
	err := build(work, &Work{Lease: lease, Out: out})
	if errors.Is(context.Cause(work), ErrLost) {
		return errors.Join(lease.artifactError(artifact.ErrStageGone), err)
	}
	if err != nil {
		exit := exitcode.Of(err)
		lease.Failed(exit, firstLine(err))
		return &BuildFailedError{Lock: j.lock.given, Generation: lease.Generation(), Exit: exit, Err: err}
	}
	if err := j.verified(work, lease, out); err != nil {
		return err
	}
	j.lock.emit(Event{Kind: EventBuilt, Generation: lease.Generation(), Artifact: j.want.Path}, j.env.Clock.Now())
	err = lease.Publish(ctx, j.artifact)
	if errors.Is(err, ErrNoArtifact) && j.want.InPlace {
		j.bad = nil
		if ready, rerr := j.ready(ctx); ready || rerr != nil {
			return rerr
		}
		if j.bad != nil {
			err = unverified(j.bad)
		}
	}
	if err != nil && !errors.Is(err, ErrLost) {
		lease.Failed(-1, firstLine(err))
	}
	return err
}

// adopted is the result without the lock.
func (j *job) adopted(err error, w *waiter) (Result, error) {
	var res Result
	if w != nil {
		res = Result{Generation: w.before, Waited: w.waited()}
	}
	return j.adoptedAs(res, err)
}

func (j *job) adoptedAs(res Result, err error) (Result, error) {
	if err != nil {
		return Result{Waited: res.Waited}, err
	}
	res.How = Adopted
	j.lock.emit(Event{Kind: EventAdopted, Generation: res.Generation, Artifact: j.want.Path,
		Waited: res.Waited}, j.env.Clock.Now())
	return res, nil
}

// firstLine is what of an error goes into last.json.
func firstLine(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ProcessState.String()
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return observer.Command([]string{line})
}
