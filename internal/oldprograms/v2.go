package oldprograms

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// V2 is a process of ttsc 0.30.
type V2 struct {
	Self
	generation string
}

const v2Marker = "ttsc-plugin-build-lock-v2\n"

// Try implements Program: acquire, and when that fails one look of the wait, which
// reclaims what it takes for abandoned.
func (p *V2) Try(lock string) (bool, error) {
	got, err := p.acquire(lock)
	if got || err != nil {
		return got, err
	}
	return false, p.inspect(lock)
}

func (p *V2) acquire(lock string) (bool, error) {
	root := lock + ".v2"
	if exists, err := p.exists(lock); exists || err != nil {
		return false, err
	}
	if err := p.ensure(root); err != nil {
		return false, err
	}
	if exists, err := p.exists(lock); exists || err != nil {
		return false, err
	}
	id := p.NewID()
	candidate := root + "/candidate-" + id
	if err := p.mkdir(candidate); err != nil {
		return false, err
	}
	defer p.rmAll(candidate)
	if err := p.write(candidate+"/generation", []byte(id+"\n")); err != nil {
		return false, err
	}
	if err := p.writeOwner(candidate, id); err != nil {
		return false, err
	}
	err := p.rename(candidate, root+"/current")
	if missing(err) || err != nil && occupied(err) {
		return false, nil
	}
	if err == nil {
		p.generation = id
	}
	return err == nil, err
}

func (p *V2) exists(lock string) (bool, error) {
	info, err := p.stat(lock)
	if err != nil {
		return false, missingIsFine(err)
	}
	if !info.IsDir() {
		return false, errors.New("unsafe plugin build lock path")
	}
	return true, nil
}

func (p *V2) isRoot(dir string) bool {
	info, err := p.stat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	data, err := p.read(dir + "/protocol-v2")
	return err == nil && string(data) == v2Marker
}

func (p *V2) ensure(root string) error {
	if p.isRoot(root) {
		return nil
	}
	candidate := root + ".candidate-" + p.NewID()
	if err := p.mkdir(candidate); err != nil {
		return err
	}
	defer p.rmAll(candidate)
	if err := p.mkdir(candidate + "/retired"); err != nil {
		return err
	}
	if err := p.write(candidate+"/protocol-v2", []byte(v2Marker)); err != nil {
		return err
	}
	err := p.rename(candidate, root)
	if err != nil && occupied(err) && p.isRoot(root) {
		return nil
	}
	return err
}

// Steal is what it does after waiting for 10 min, whoever holds.
func (p *V2) Steal(lock string) error {
	root := lock + ".v2"
	if data, err := p.read(root + "/current/generation"); err == nil {
		return p.retire(root, strings.TrimSpace(string(data)))
	}
	f, err := p.capture(lock)
	if f == nil || err != nil {
		return err
	}
	return missingIsFine(p.rename(lock, lock+".retired-"+f.Generation))
}

// Release implements Program.
func (p *V2) Release(lock string) error { return p.retire(lock+".v2", p.generation) }

func (p *V2) retire(root, generation string) error {
	if err := p.mkdir(root + "/retired"); err != nil && !occupied(err) {
		return missingIsFine(err)
	}
	err := p.rename(root+"/current", root+"/retired/"+generation)
	if err != nil && occupied(err) {
		return nil
	}
	return missingIsFine(err)
}

func (p *V2) inspect(lock string) error {
	root := lock + ".v2"
	if p.isRoot(root) {
		held, err := p.inspectV2(root)
		if held || err != nil {
			return err
		}
	}
	return p.inspectLegacy(lock)
}

func (p *V2) inspectV2(root string) (held bool, err error) {
	current := root + "/current"
	data, err := p.read(current + "/generation")
	id := strings.TrimSpace(string(data))
	if err != nil || len(id) != 32 {
		if _, err := p.stat(current); missing(err) {
			return false, nil
		}
		return true, fmt.Errorf("ttsc plugin build lock has no valid generation: %s", current)
	}
	if o := p.readOwner(current); o != nil {
		if p.dead(o) {
			return true, p.retire(root, id)
		}
		return true, nil
	}
	info, err := p.stat(current)
	if missing(err) {
		return false, nil
	}
	if err == nil && p.Now().Sub(info.ModTime) > recordless {
		return true, p.retire(root, id)
	}
	return true, nil
}

type legacyFence struct {
	Generation string  `json:"generation"`
	MtimeMs    float64 `json:"legacyMtimeMs"`
}

func (p *V2) inspectLegacy(lock string) error {
	f, err := p.capture(lock)
	if f == nil || err != nil {
		return err
	}
	abandoned := false
	if o := p.readOwner(lock); o != nil {
		abandoned = p.dead(o)
	} else {
		abandoned = p.Now().Sub(time.UnixMicro(int64(f.MtimeMs*1000))) > recordless
	}
	if !abandoned {
		return nil
	}
	now := p.readFence(lock + "/legacy-generation")
	if now == nil || now.Generation != f.Generation {
		return nil
	}
	err = p.rename(lock, lock+".retired-"+f.Generation)
	if err != nil && occupied(err) {
		return nil
	}
	return missingIsFine(err)
}

func (p *V2) capture(lock string) (*legacyFence, error) {
	if p.isRoot(lock) {
		return nil, nil
	}
	info, err := p.stat(lock)
	if err != nil {
		return nil, missingIsFine(err)
	}
	place := lock + "/legacy-generation"
	f := p.readFence(place)
	if f == nil {
		if f, err = p.publishFence(lock, place, float64(info.ModTime.UnixNano())/1e6); f == nil || err != nil {
			return nil, err
		}
	}
	now := p.readFence(place)
	if p.isRoot(lock) || now == nil || now.Generation != f.Generation {
		return nil, nil
	}
	return f, nil
}

func (p *V2) publishFence(lock, place string, mtime float64) (*legacyFence, error) {
	f := &legacyFence{p.NewID(), mtime}
	candidate := lock + ".legacy-candidate-" + f.Generation
	defer p.rmAll(candidate)
	if err := p.mkdir(candidate); err != nil {
		return nil, missingIsFine(err)
	}
	data, _ := json.Marshal(f)
	if err := p.write(candidate+"/fence.json", append(data, '\n')); err != nil {
		return nil, missingIsFine(err)
	}
	err := p.rename(candidate, place)
	if err == nil {
		return f, nil
	}
	if !occupied(err) {
		return nil, missingIsFine(err)
	}
	if f = p.readFence(place); f == nil {
		return nil, fmt.Errorf("invalid legacy plugin build lock fence: %s", place)
	}
	return f, nil
}

func (p *V2) readFence(place string) *legacyFence {
	data, err := p.read(place + "/fence.json")
	var f legacyFence
	if err != nil || json.Unmarshal(data, &f) != nil || len(f.Generation) != 32 || f.MtimeMs < 0 {
		return nil
	}
	return &f
}
