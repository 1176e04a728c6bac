package explore

import (
	"context"
	"errors"
	"path/filepath"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/artifact"
	"genlock.dev/genlock/internal/vfs"
)

// Build does under the lock what Do does: sweep and stage, look at the artifact
// once more, build, publish.
func (p *Proc) Build(l *genlock.Lease) {
	a := genlock.Artifact{Path: p.w.sc.Artifact, Replace: p.w.sc.Replace}
	p.call()
	out, err := l.Stage(a)
	p.done(resultOf(err))
	if err != nil {
		p.lostOnly(l, err)
		return
	}
	p.call()
	there, err := artifact.Exists(p.env.FS, a.Path)
	p.done(resultOf(err))
	p.mark("has looked at the artifact")
	p.marks.looked = p.w.effects
	if err != nil || there && !a.Replace {
		return
	}
	if err := p.write(out); err != nil {
		return // the staging went with the generation
	}
	p.call()
	err = l.Publish(p.ctx, a)
	p.done(resultOf(err))
	if err != nil {
		p.lostOnly(l, err)
	}
}

// Do adopts the artifact, or ends where it would begin to build: what follows has
// a clock of its own (Lease.Context), which no scheduler controls.
func (p *Proc) Do() {
	p.call()
	p.marks.untilStage = true
	res, err := p.Lock().Do(p.ctx, genlock.Artifact{Path: p.w.sc.Artifact},
		func(context.Context, *genlock.Work) error { return errDead })
	p.marks.untilStage = false
	p.done(resultOf(err))
	_, _, n := p.w.disk.at(p.w.sc.Artifact, nil)
	switch {
	case err != nil:
		p.trueRefusal(err)
	case res.How == genlock.Adopted && n == nil:
		p.w.fail(ruleAdopted, "%s adopted an artifact that is not there", p.name)
	}
}

// lostOnly: staging and publishing fail for one reason, that the lock was lost.
func (p *Proc) lostOnly(l *genlock.Lease, err error) {
	t := p.w.tenures[l.Generation()]
	lost := t.retiredBy != nil || t.byHand || p.w.sc.ByHand
	if !(errors.Is(err, genlock.ErrLost) && lost) && !(errors.Is(err, genlock.ErrExists) && lost) {
		p.w.fail(ruleErrors, "%s cannot build: %v", p.name, err)
	}
}

// write is the build itself.
func (p *Proc) write(out string) error {
	dir, err := p.env.FS.OpenDir(filepath.Dir(out))
	if err != nil {
		return err
	}
	defer dir.Close()
	return vfs.WriteFile(dir, filepath.Base(out), []byte("built by "+p.name), 0o644)
}
