package explore

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"strings"

	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/tree"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Foreign is a model of another program of the ttsc format: it claims whenever it
// looks, judges by pid alone, never withdraws, keeps no witness, and retires by
// fence alone, without a look right before it. It tries a few times.
func Foreign(p *Proc) {
	p.marks.foreign = true
	f := &foreign{p: p, claimed: map[protocol.ID]bool{}}
	for range 3 {
		if f.turn() {
			return
		}
		p.call()
	}
}

type foreign struct {
	p       *Proc
	claimed map[protocol.ID]bool // confirmed or not
}

const currentPath = rootPath + "/" + protocol.CurrentName

// turn is one look and what follows from it; true when it held the lock.
func (f *foreign) turn() bool {
	fsys := f.p.env.FS
	root, err := fsys.OpenDir(rootPath)
	if err != nil {
		return false
	}
	defer root.Close()
	current, err := root.OpenDir(protocol.CurrentName)
	if err != nil {
		return f.tenure(root)
	}
	defer current.Close()
	id, _, err := tree.ReadID(current)
	if err != nil || id == "" {
		return false
	}
	rec, _, err := tree.ReadRecord(current)
	if err != nil || rec == nil || rec.Generation != id {
		return false
	}
	if _, again := f.claimed[id]; !again {
		f.claimed[id] = f.claim(root, id)
	}
	if f.claimed[id] && strings.EqualFold(rec.Hostname, "vm") && f.p.self.Process(rec.PID).State == evidence.Absent {
		// However much later this comes.
		fsys.Rename(currentPath, rootPath+"/"+protocol.RetiredName+"/"+string(id), vfs.Plain)
	}
	return false
}

// claim goes by path, so it can land in a successor; then it means nothing.
func (f *foreign) claim(root vfs.Dir, id protocol.ID) (confirmed bool) {
	p := f.p
	claim, _ := p.newID()
	name := protocol.ClaimCandidateName(claim, id)
	if root.Mkdir(name, 0o755) != nil {
		return false
	}
	dir, err := root.OpenDir(name)
	if err != nil {
		return false
	}
	defer dir.Close()
	if f.record(dir, id) != nil {
		return false
	}
	current, err := root.OpenDir(protocol.CurrentName)
	if err != nil {
		return false
	}
	defer current.Close()
	current.Mkdir(protocol.ObserversName, 0o755)
	err = p.env.FS.Rename(path.Join(rootPath, name), path.Join(currentPath, protocol.ObserversName, string(claim)), vfs.Plain)
	if err != nil {
		return false
	}
	now, err := root.OpenDir(protocol.CurrentName)
	if err != nil {
		return false
	}
	defer now.Close()
	is, _, err := tree.ReadID(now)
	return err == nil && is == id
}

func (f *foreign) record(dir vfs.Dir, id protocol.ID) error {
	nonce, _ := f.p.newID()
	data, _ := json.Marshal(protocol.Record{Generation: id, Nonce: nonce, Hostname: "vm", PID: f.p.self.self.PID})
	return vfs.WriteFile(dir, protocol.RecordName, data, 0o644)
}

// tenure takes the free lock, works and releases it.
func (f *foreign) tenure(root vfs.Dir) bool {
	p := f.p
	id, _ := p.newID()
	name := protocol.CandidateName(id)
	if root.Mkdir(name, 0o755) != nil {
		return false
	}
	dir, err := root.OpenDir(name)
	if err != nil {
		return false
	}
	defer dir.Close()
	if f.record(dir, id) != nil || vfs.WriteFile(dir, protocol.GenerationName, id.Line(), 0o644) != nil {
		return false
	}
	if root.Rename(name, root, protocol.CurrentName, vfs.Plain) != nil {
		vfs.RemoveAll(root, name, nil)
		return false
	}
	p.marks.inTenure = id
	p.Work()
	tomb := rootPath + "/" + protocol.RetiredName + "/" + string(id)
	if p.env.FS.Rename(currentPath, tomb, vfs.Plain) != nil && !p.dead {
		p.w.fail(ruleLost, "%s, another program, lost generation %s", p.name, id)
		return true
	}
	if err := dir.Rmdir(protocol.ObserversName); err == nil || errors.Is(err, fs.ErrNotExist) {
		p.env.FS.Rename(tomb, path.Join(rootPath, name), vfs.Plain)
		vfs.RemoveAll(root, name, nil)
	}
	return true
}
