package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"genlock.dev/genlock/protocol"
)

// seed writes what a planter reads.
type seed []byte

// Places and options of a seed; see plantWorld.
const (
	inRoot, linkRoot, fileRoot, fifoRoot, bareRoot = 0, 1, 2, 3, 4
	inTTSC, withOldLock                            = 1, 2
)

func grown(place, options byte) seed { return seed{place, options} }

func (s seed) file(name, text string) seed {
	return append(s, plantFile, index(plantedNames, name), index(plantedTexts, text))
}

func (s seed) dir(name string) seed  { return append(s, plantDir, index(plantedNames, name)) }
func (s seed) up() seed              { return append(s, plantUp) }
func (s seed) fifo(name string) seed { return append(s, plantFifo, index(plantedNames, name)) }
func (s seed) link(name, to string) seed {
	return append(s, plantLink, index(plantedNames, name), index(plantedTargets, to))
}

// holder is a generation with the given record, and a witness if it has one.
func (s seed) holder(in, id, record string, boot int) seed {
	s = s.dir(in).file(protocol.GenerationName, id+"\n").file(protocol.RecordName, record)
	if boot >= 0 {
		s = s.file(witnessName(id, boot), idC+"\n")
	}
	return s
}

func index(list []string, what string) byte {
	i := slices.Index(list, what)
	if i < 0 {
		panic("not in the vocabulary: " + what)
	}
	return byte(i)
}

// treeSeeds are the situations from which the fuzzer starts.
var treeSeeds = map[string]seed{
	"free":            grown(inRoot, 0).dir(protocol.RetiredName),
	"no_root":         {},
	"root_is_link":    grown(linkRoot, 0),
	"root_is_file":    grown(fileRoot, 0),
	"root_is_fifo":    grown(fifoRoot, 0),
	"no_marker":       grown(bareRoot, 0).dir(protocol.CurrentName),
	"empty_marker":    grown(bareRoot, 0).file(protocol.MarkerName, ""),
	"too_new":         grown(bareRoot, 0).file(protocol.MarkerName, "genlock-v4\n"),
	"other_format":    grown(bareRoot, 0).file(protocol.MarkerName, string(protocol.TTSC.Marker())),
	"marker_is_link":  grown(bareRoot, 0).link(protocol.MarkerName, "/outside/file"),
	"old_lock":        grown(inRoot, withOldLock),
	"alive":           grown(inRoot, 0).holder(protocol.CurrentName, idA, ourRecord(idA, livePID, 0), 0),
	"gone":            grown(inRoot, 0).holder(protocol.CurrentName, idA, ourRecord(idA, deadPID, 0), 0),
	"gone_boot":       grown(inRoot, 0).holder(protocol.CurrentName, idA, ourRecord(idA, deadPID, 1), 1),
	"finished":        grown(inRoot, 0).holder(protocol.CurrentName, idA, ourRecord(idA, livePID, 0), -1).file(protocol.CompletionName, idC+"\n"),
	"foreign_gone":    grown(inRoot, 0).holder(protocol.CurrentName, idA, foreignRecord(idA, deadPID), -1),
	"foreign_alive":   grown(inRoot, inTTSC).holder(protocol.CurrentName, idB, foreignRecord(idB, livePID), -1),
	"torn":            grown(inRoot, 0).dir(protocol.CurrentName).file(protocol.GenerationName, "").file(protocol.RecordName, "").file(witnessName(idA, 1), ""),
	"damaged":         grown(inRoot, 0).holder(protocol.CurrentName, idB, foreignRecord(idB, deadPID)[:60], -1),
	"nameless":        grown(inRoot, 0).dir(protocol.CurrentName).file(protocol.RecordName, ""),
	"debris":          grown(inRoot, 0).dir(protocol.CurrentName).dir(protocol.StageName(idA)).file("tool", "x"[:0]),
	"empty_current":   grown(inRoot, 0).dir(protocol.CurrentName),
	"two_witnesses":   grown(inRoot, 0).holder(protocol.CurrentName, idA, ourRecord(idA, deadPID, 0), 0).file(witnessName(idB, 0), ""),
	"current_is_link": grown(inRoot, 0).link(protocol.CurrentName, "/outside/current"),
	"current_is_file": grown(inRoot, 0).file(protocol.CurrentName, "null"),
	"retired_is_link": grown(inRoot, 0).link(protocol.RetiredName, "/outside").holder(protocol.CurrentName, idA, ourRecord(idA, deadPID, 0), 0),
	"record_is_link":  grown(inRoot, 0).dir(protocol.CurrentName).file(protocol.GenerationName, idA+"\n").link(protocol.RecordName, "/outside/file"),
	"record_is_fifo":  grown(inRoot, 0).dir(protocol.CurrentName).file(protocol.GenerationName, idA+"\n").fifo(protocol.RecordName),
	"observers_link": grown(inRoot, 0).holder(protocol.CurrentName, idA, ourRecord(idA, deadPID, 0), 0).
		link(protocol.ObserversName, "/outside"),
	"claims": grown(inRoot, 0).holder(protocol.CurrentName, idA, ourRecord(idA, deadPID, 0), 0).dir(protocol.ObserversName).
		dir(idC).file(protocol.RecordName, ourRecord(idA, deadPID, 0)).file(witnessName(idC, 0), "").up().dir(idB),
	"late_claim": grown(inRoot, 0).dir(protocol.RetiredName).holder(idA, idA, ourRecord(idA, deadPID, 0), 0).
		dir(protocol.ObserversName).dir(idC).file(protocol.RecordName, foreignRecord(idA, deadPID)),
	"tombstones": grown(inRoot, 0).dir(protocol.RetiredName).holder(idA, idA, ourRecord(idA, deadPID, 0), 0).up().
		holder(idB, idB, foreignRecord(idB, livePID), -1).up().link(idC, "/outside"),
	"emptied_halfway": grown(inRoot, 0).dir(protocol.CurrentName).file(protocol.GenerationName, idA+"\n").up().
		dir(protocol.RetiredName).holder(idA, idA, ourRecord(idA, deadPID, 0), -1),
	"litter": grown(inRoot, 0).dir(protocol.CandidateName(idA)).file(witnessName(idA, 0), "").up().
		dir(protocol.ClaimCandidateName(idC, idA)).up().link(protocol.CandidateName(idB), "/outside"),
	"guard_pending": grown(inRoot, inTTSC).dir(protocol.GuardsName).file(plantedGuard.Name(), guardText(protocol.GuardPending)).up().
		holder(protocol.CurrentName, idA, foreignRecord(idA, deadPID), -1),
	"guard_unknown": grown(inRoot, inTTSC).dir(protocol.GuardsName).file(plantedGuard.Name(), guardText(protocol.GuardUnknown)).up().
		holder(protocol.CurrentName, idA, foreignRecord(idA, deadPID), -1),
	"guards_is_link": grown(inRoot, inTTSC).link(protocol.GuardsName, "/outside").holder(protocol.CurrentName, idA, foreignRecord(idA, deadPID), -1),
	"last_is_link":   grown(inRoot, 0).link(protocol.LastName, "/outside/file").holder(protocol.CurrentName, idA, ourRecord(idA, deadPID, 0), 0),
}

// TestTreeSeeds: the files of the corpus are these situations, and each passes.
// UPDATE_GOLDEN=1 writes them.
func TestTreeSeeds(t *testing.T) {
	for name, s := range treeSeeds {
		file := filepath.Join("testdata", "fuzz", "FuzzTree", name)
		want := fmt.Sprintf("go test fuzz v1\n[]byte(%q)\n", []byte(s))
		if os.Getenv("UPDATE_GOLDEN") != "" {
			must(os.MkdirAll(filepath.Dir(file), 0o777))
			must(os.WriteFile(file, []byte(want), 0o666))
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s is not the seed (UPDATE_GOLDEN=1 writes it): %q, %v", file, got, err)
		}
		if found := checkTree(s); len(found) > 0 {
			t.Errorf("%s: %v\nin\n%s", name, found, plantWorld(s).disk.Dump())
		}
	}
}
