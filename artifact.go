package genlock

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"genlock.dev/genlock/internal/artifact"
	"genlock.dev/genlock/internal/seal"
)

// Artifact is what is built once and adopted by everybody else: a file or a
// directory. A link or another type in its place is an error.
type Artifact struct {
	// Path is where it belongs. Missing parents are created.
	Path string
	// Verify, if not nil, tells whether what is there is good. An error means
	// that it is built anew and replaced. What was built is asked about as well,
	// where it was built, and published only if it is good: see ErrUnverified.
	// It must not change anything, and it runs without the lock as well.
	Verify func(ctx context.Context, path string) error
	// Replace builds anew and replaces what is there. Readers see the whole
	// old or the whole new one; a running executable keeps its file.
	Replace bool
	// InPlace accepts a build that wrote the artifact at Path by itself. What
	// that gives up: a reader can see it half written, and a builder that
	// lost the lock can overwrite its successor's.
	InPlace bool
}

// Stage prepares the private place where the artifact is built and returns the
// path to build it at: the artifact's own base name in a directory inside the
// generation. Nothing is there yet. Once the generation is retired the path
// leads nowhere, which is why a late builder cannot publish (rule 14). ErrReleased
// after Release.
func (l *Lease) Stage(a Artifact) (out string, err error) {
	site, done, err := l.site(a)
	if err != nil {
		return "", err
	}
	defer done()
	if err := site.Sweep(); err != nil {
		return "", l.artifactError(err)
	}
	out, err = site.Prepare()
	return out, l.artifactError(err)
}

// Publish moves what was built at the path that Stage gave to the artifact's own
// path, by one rename through the held generation: publishing is the check that
// the lease still holds. ErrLost when it does not, ErrNoArtifact when nothing
// was built, ErrExists when something is there and a.Replace is not set, ErrReleased
// after Release.
func (l *Lease) Publish(ctx context.Context, a Artifact) error {
	site, done, err := l.site(a)
	if err != nil {
		return err
	}
	defer done()
	if err := l.oldError(l.holding.Check()); err != nil {
		return err
	}
	if err := site.Publish(ctx); err != nil {
		return l.artifactError(err)
	}
	l.lock.emit(Event{Kind: EventPublished, Generation: l.Generation(), Artifact: a.Path}, l.env.Clock.Now())
	return nil
}

// site is where a belongs. done must be called when nobody works there any more.
func (l *Lease) site(a Artifact) (_ *artifact.Site, done func(), err error) {
	path, err := artifactPath(l.lock, a)
	if err != nil {
		return nil, nil, err
	}
	done, err = l.tenure.Use()
	if err != nil {
		return nil, nil, ErrReleased
	}
	token := seal.Open(l.tenure)
	return &artifact.Site{
		FS: l.env.FS, Path: path, Current: l.tenure.Path(), Generation: l.Generation(),
		GenerationDir: token.Generation.Dir, Replace: a.Replace, Fsync: l.lock.options.Fsync,
		Mode: token.Root.DirMode(), StillCurrent: l.tenure.Check, NewID: l.env.NewID,
	}, done, nil
}

func artifactPath(l *Lock, a Artifact) (string, error) {
	if a.Path == "" {
		return "", artifact.CheckPath("", l.path)
	}
	path, err := filepath.Abs(a.Path)
	if err != nil {
		return "", err
	}
	return path, artifact.CheckPath(path, l.path)
}

// artifactError says which generation lost its staging.
func (l *Lease) artifactError(err error) error {
	if errors.Is(err, artifact.ErrStageGone) {
		return fmt.Errorf("lock %s: generation %s cannot publish: %w: %w", l.lock.given, l.Generation(), ErrLost, err)
	}
	return err
}
