package evidence

import (
	"errors"
	"io/fs"
	"strconv"

	"genlock.dev/genlock/internal/mutant"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// witness is rung 1: is somebody alive who inherited the lock on the witness?
//
// Locked means alive whoever asks: nobody but the holder and its commands ever
// takes that lock exclusively, so believing it can only withhold a verdict, also
// across kernels. Free means gone only where everything fits: the same kernel, a
// local file system, a self-test that had shown that the lock excludes, and the
// very file that was locked. Through overlay against its upper directory, or
// through bindfs, a live holder's witness looks free.
func witness(m Machine, p Party) Finding {
	if mutant.On(mutant.PIDAlone) {
		return Finding{Rung: Witness}
	}
	same, _ := sameBoot(m, p)
	whole := p.Record != nil && p.Record.Ours() && !p.torn() && !p.mixed()
	switch {
	case p.Witness == nil && same:
		return silent(Witness, sayNoWitness)
	case p.Witness == nil:
		return Finding{Rung: Witness}
	case whole && p.Record.Process.Witness != protocol.WitnessFlock:
		if !same {
			return Finding{Rung: Witness}
		}
		return silent(Witness, sayWitnessNone)
	}
	info, err := probe(p.Dir, p.Witness.Name())
	switch {
	case vfs.IsBusy(err):
		return finding(Witness, Alive, sayWitnessBusy)
	case p.mixed():
		return silent(Witness, sayDisagree)
	case !same:
		return Finding{Rung: Witness}
	case errors.Is(err, fs.ErrNotExist):
		// The name may be known from the record alone.
		return silent(Witness, sayNoWitness)
	case err != nil:
		f := silent(Witness, sayUnreadable, err)
		f.Withholds = true
		return f
	case !whole:
		return silent(Witness, sayFreeTorn)
	case !p.Kind.Local:
		return silent(Witness, sayFreeRemote, or(p.Kind.Name, sayUnknownKind))
	case !isRecorded(info, p.Record.Process):
		return silent(Witness, sayFreeElsewhere)
	}
	return finding(Witness, Gone, sayWitnessFree)
}

// probe tries the lock shared, without blocking, on a read-only descriptor:
// probes that lock exclusively would see each other as a holder, and fail on a
// read-only mount. Closing drops what was taken.
func probe(dir vfs.Dir, name string) (vfs.Info, error) {
	f, err := dir.Open(name, vfs.Read, 0)
	if err != nil {
		return vfs.Info{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return info, err
	}
	if !info.IsRegular() {
		return info, vfs.ErrNotRegular
	}
	if mutant.On(mutant.ExclusiveProbe) {
		return info, f.Flock(vfs.Exclusive)
	}
	return info, f.Flock(vfs.Shared)
}

// isRecorded tells whether info is the witness file that the record names.
func isRecorded(info vfs.Info, r *protocol.Process) bool {
	return r.Dev == number(info.Dev) && r.Ino == number(info.Ino)
}

func number(n uint64) protocol.Number { return protocol.Number(strconv.FormatUint(n, 10)) }
