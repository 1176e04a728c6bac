package legacy

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"genlock.dev/genlock/internal/exact"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Names of the mkdir dialect's fence. They are those of its last programs (ttsc
// 0.23 to 0.30), with which ours share it.
const (
	fenceDir       = "legacy-generation"
	fenceRecord    = "fence.json"
	fenceCandidate = ".legacy-candidate-"
	retiredMiddle  = ".retired-"
)

// dirFence is a token by which one lock at L, and no successor, can be retired.
type dirFence struct {
	Generation protocol.ID `json:"generation"`
	// MtimeMs is L's modification time before the fence changed it.
	MtimeMs float64 `json:"legacyMtimeMs"`
}

func retiredName(base string, fence protocol.ID) string { return base + retiredMiddle + string(fence) }

// readFence reads the fence inside d; nil when there is none. One that cannot be
// understood is an error: nobody can fence that lock again.
func readFence(d vfs.Dir) (*dirFence, error) {
	sub, err := d.OpenDir(fenceDir)
	if err != nil {
		return nil, unsafeAt(d, fenceDir, "a directory", missingIsFine(err))
	}
	defer sub.Close()
	data, err := readFile(sub, fenceRecord)
	if err != nil {
		return nil, err
	}
	if data == nil {
		names, err := sub.Names(1)
		if absent(err) || err == nil && len(names) == 0 {
			return nil, nil // gone, or empty: any fence may still replace it
		}
	}
	var f dirFence
	if exact.Unmarshal(data, &f) == nil && f.MtimeMs >= 0 && !math.IsInf(f.MtimeMs, 0) {
		if _, ok := protocol.ParseID(string(f.Generation)); ok {
			return &f, nil
		}
	}
	return nil, fmt.Errorf("%s/%s: the fence in it cannot be understood", d.Path(), fenceDir)
}

// capture publishes a fence inside the very directory that was opened, or adopts
// the one that is there: the first one wins. It is confirmed by reading it back
// through L's path.
func capture(s *slot) (protocol.ID, error) {
	f, err := readFence(s.dir)
	if err == nil && f == nil {
		f, err = publishFence(s)
	}
	same, serr := s.same()
	if serr == nil && !same {
		return "", ErrMoved // whatever went wrong, it was a race (rule 9)
	}
	if err = errors.Join(err, serr); err != nil {
		return "", err
	}
	now, err := readFence(s.dir)
	if err != nil {
		return "", err
	}
	if now == nil || now.Generation != f.Generation {
		return "", ErrMoved
	}
	return f.Generation, nil
}

// publishFence prepares the fence beside L: preparing it inside would change L's
// modification time before the fence has recorded it.
func publishFence(s *slot) (*dirFence, error) {
	id, err := s.env.NewID()
	if err != nil {
		return nil, err
	}
	return publishFenceOf(s, id)
}

// fenceMoved fences the lock again with the fence id that it was moved away by. An old
// program that deletes by path had begun with it, and the fence went first. It is
// still the lock that was judged, and its tombstone must not become empty: a late
// rename would replace it. nil while the lock is not moved.
func fenceMoved(s *slot, id protocol.ID) (*dirFence, error) {
	if same, err := s.same(); same || err != nil {
		return nil, err
	}
	return publishFenceOf(s, id)
}

func publishFenceOf(s *slot, id protocol.ID) (*dirFence, error) {
	f := &dirFence{Generation: id, MtimeMs: float64(s.info.ModTime.UnixNano()) / float64(time.Millisecond)}
	name := s.base + fenceCandidate + string(id)
	err := writeFence(s, name, f)
	if err == nil {
		err = s.parent.Rename(name, s.dir, fenceDir, vfs.Plain)
	}
	if err == nil {
		return f, nil
	}
	// Nobody else publishes by the name: the id is ours, or that of what we moved.
	vfs.RemoveAll(s.parent, name, nil)
	there, rerr := readFence(s.dir)
	switch {
	case rerr != nil:
		return nil, rerr
	case there != nil:
		return there, nil // also when the rename happened all the same
	case vfs.IsVanished(err):
		return nil, fmt.Errorf("%w: %w", ErrMoved, err)
	}
	return nil, err
}

func writeFence(s *slot, name string, f *dirFence) error {
	if err := s.parent.Mkdir(name, 0o777); err != nil {
		return err
	}
	dir, err := s.parent.OpenDir(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return writeDurably(dir, fenceRecord, append(data, '\n'))
}

// writeDurably: a fence that a power cut had emptied could not be understood, and
// nobody could replace it. A file system that cannot promise it is no reason to fail.
func writeDurably(dir vfs.Dir, name string, data []byte) error {
	f, err := dir.Open(name, vfs.Create, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); !vfs.IsUnsupported(err) {
		return err
	}
	return nil
}

// fencedAge is how old L is, from its modification time before the fence if it
// has one.
func fencedAge(s *slot) (time.Duration, error) {
	f, err := readFence(s.dir)
	if err != nil || f == nil {
		return s.age(), err
	}
	return s.env.Clock.Now().Sub(time.UnixMicro(int64(f.MtimeMs * 1000))), nil
}
