package evidence

import (
	"errors"
	"io"
	"io/fs"
	"sync"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// TakeWitness makes and locks the witness of id in dir, a directory that nobody
// else can reach yet, and returns the open file with what the record must say
// about it. Closing the file ends the testimony.
//
// A file system that cannot lock is no error: the record then says so, and the
// file still carries identity in its name. What was made before an error is left
// to the caller, who owns dir. An error for which vfs.IsBusy holds means that the
// witness was probed before it was locked: start anew under another name.
func TakeWitness(m Machine, dir vfs.Dir, id, nonce protocol.ID, mode fs.FileMode) (vfs.File, *protocol.Process, error) {
	self := m.Self()
	name := protocol.Witness{Of: id,
		Machine: or(self.Machine, protocol.NoMachine), Boot: or(self.Boot, protocol.NoBoot)}.Name()
	f, err := dir.Open(name, vfs.Create, mode)
	if err != nil {
		return nil, nil, err
	}
	// The lock comes before the content: a witness is never seen unlocked by
	// whoever finds it complete.
	locked := false
	if !self.NoOpenFiles {
		lerr := f.Flock(vfs.Exclusive)
		if vfs.IsBusy(lerr) {
			// Who collects litter probed it before we could lock it. That must
			// not pass for a file system that cannot lock: the maker starts anew.
			return nil, nil, errors.Join(lerr, f.Close())
		}
		locked = lerr == nil
	}
	info, err := fill(f, nonce)
	if err == nil && locked {
		locked, err = excludes(self, dir, name, info)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	record := describe(self, info, locked)
	if self.NoOpenFiles {
		return &closedFile{name, info}, record, f.Close()
	}
	return f, record, nil
}

func fill(f vfs.File, nonce protocol.ID) (vfs.Info, error) {
	line := nonce.Line()
	n, err := f.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return vfs.Info{}, err
	}
	return f.Stat()
}

func describe(self *Self, witness vfs.Info, locked bool) *protocol.Process {
	p := &protocol.Process{
		Boot: self.Boot, Machine: or(self.Machine, protocol.NoMachine),
		PIDNS: self.PIDNS, TimeNS: self.TimeNS, Start: self.Start,
		Instance: self.Instance, Witness: protocol.WitnessNone,
		Dev: number(witness.Dev), Ino: number(witness.Ino),
	}
	if locked {
		p.Witness = protocol.WitnessFlock
	}
	return p
}

// excludes is the self-test: a second open file must find the lock taken. A
// network or FUSE mount may say yes to everybody, or refuse a shared lock. Not
// being able to open the file a second time is an error, not an answer.
func excludes(self *Self, dir vfs.Dir, name string, info vfs.Info) (bool, error) {
	kind, err := dir.Kind()
	if err != nil {
		return false, err
	}
	key := flockKey{info.Dev, kind.Name}
	if works, tested := self.flocks.recall(key); tested {
		return works, nil
	}
	f, err := dir.Open(name, vfs.Read, 0)
	if err != nil {
		return false, err
	}
	err = f.Flock(vfs.Shared)
	works := vfs.IsBusy(err)
	if works || err == nil {
		// Any other refusal may pass, such as a lock server that is away.
		self.flocks.learn(key, works)
	}
	return works, f.Close()
}

// flockMemory holds the outcome of the self-test per file system. Device numbers
// are given out again after an unmount, so the kind is part of the key.
type flockMemory struct{ tested sync.Map }

type flockKey struct {
	dev  uint64
	kind string
}

func (m *flockMemory) recall(k flockKey) (works, tested bool) {
	if m == nil {
		return false, false
	}
	v, ok := m.tested.Load(k)
	works, _ = v.(bool)
	return works, ok
}

func (m *flockMemory) learn(k flockKey, works bool) {
	if m != nil {
		m.tested.Store(k, works)
	}
}

// closedFile stands for a witness that could not be kept open.
type closedFile struct {
	name string
	info vfs.Info
}

func (f *closedFile) Read([]byte) (int, error)           { return 0, f.closed("read") }
func (f *closedFile) Write([]byte) (int, error)          { return 0, f.closed("write") }
func (f *closedFile) WriteAt([]byte, int64) (int, error) { return 0, f.closed("write") }
func (f *closedFile) Stat() (vfs.Info, error)            { return f.info, nil }
func (f *closedFile) Chmod(fs.FileMode) error            { return nil } // given when it was made
func (f *closedFile) Flock(how vfs.LockMode) error       { return f.closed("flock") }
func (f *closedFile) Sync() error                        { return f.closed("sync") }
func (f *closedFile) Close() error                       { return nil }

func (f *closedFile) closed(op string) error {
	return &fs.PathError{Op: op, Path: f.name, Err: fs.ErrClosed}
}
