package lab

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/memfs"
)

// bounds say how much is tried.
type bounds struct {
	name     string
	flavours []flavour
	faults   []fault
	// subsets is how many outcomes of a power cut are tried at each place: all
	// if there are no more, else a sample made from seed.
	subsets int
	seed    uint64
	// verb, if not empty, is the only one that is tried.
	verb string
}

// Kinds of disks. The second fails a rename onto a directory as xfs does and gives
// out inode numbers again; on the third nothing proves a holder gone but its pid.
var (
	plain   = flavour{"plain", memfs.Options{}}
	xfs     = flavour{"xfs", memfs.Options{NotEmpty: syscall.EEXIST, ReuseInodes: true}}
	network = flavour{"nfs", memfs.Options{Kind: vfs.Kind{Name: "nfs"}}}
)

// readBounds: short by default, GENLOCK_LAB=table for the table of the
// documentation, GENLOCK_LAB=long for everything.
func readBounds(t *testing.T) bounds {
	b := bounds{name: os.Getenv("GENLOCK_LAB"), seed: 1, verb: os.Getenv("GENLOCK_LAB_VERB")}
	switch b.name {
	case "long":
		b.flavours, b.faults, b.subsets = []flavour{plain, xfs, network}, faults(), 1<<12
	case "table":
		b.flavours, b.faults, b.subsets = []flavour{plain}, faults(), 1<<10
	default:
		b.name = "short"
		b.flavours, b.faults, b.subsets = []flavour{plain}, fewFaults(), 24
	}
	for _, f := range []flavour{plain, xfs, network} {
		if os.Getenv("GENLOCK_LAB_DISK") == f.name {
			b.flavours = []flavour{f}
		}
	}
	if text := os.Getenv("GENLOCK_LAB_SEED"); text != "" {
		var err error
		if b.seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// fewFaults are those that the code can tell apart.
func fewFaults() (few []fault) {
	for _, f := range faults() {
		common := f.is == syscall.EIO || f.is == syscall.ENOSPC || f.is == syscall.ESTALE
		switch {
		case f.lasting && !common && f.is != syscall.EROFS && f.is != syscall.EACCES:
		case f.is == syscall.EDQUOT, f.is == syscall.EPERM, f.is == syscall.EBUSY:
		default:
			few = append(few, f)
		}
	}
	return few
}

// step is from one operation that gets the fault to the next. The short bounds
// give every operation an EIO once, and other faults to each third one in turn;
// the race detector makes everything slow, and is for something else.
func (b bounds) step(f fault) int {
	switch {
	case b.name != "short":
		return 1
	case raceDetector:
		return 25
	case f.is == syscall.EIO && !f.lasting:
		return 1
	}
	return 3
}

// coarse makes the steps longer where old programs are concerned: each of those verbs
// takes as long as three others.
func (b bounds) coarse(v verb) int {
	switch {
	case v.dialects == "" || b.name == "long" || b.verb != "":
		return 1
	case b.name == "table":
		return 3
	}
	return 7
}

func (b bounds) crashStep() int {
	if b.name == "short" && raceDetector {
		return 5
	}
	return 1
}

func (b bounds) String() string {
	return fmt.Sprintf("bounds %q: %d kinds of disks, %d kinds of faults, at most %d outcomes of each power cut (seed %d)",
		b.name, len(b.flavours), len(b.faults), b.subsets, b.seed)
}
