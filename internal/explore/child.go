package explore

// Fork starts a command: the process after this one, which inherits the witness.
func (p *Proc) Fork() {
	p.mark("starts a command")
	child := p.w.procs[p.n+1]
	child.state = ready
	for _, f := range p.locked {
		inner, err := child.fs.Inherit(f)
		if err != nil {
			p.w.fail("no panic", "%v", err)
			return
		}
		copied := &file{File: inner, p: child, node: f.node, dir: f.dir, held: &flock{child.n, f.held.exclusive}}
		p.w.disk.lock(f.node, *copied.held)
		child.locked = append(child.locked, copied)
	}
}

// Die is an end by itself, as exit(2).
func (p *Proc) Die() {
	p.mark("ends")
	p.w.leave(p)
	panic(unwound{})
}
