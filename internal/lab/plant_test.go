package lab

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"genlock.dev/genlock/protocol"
)

// A planter grows a tree in a root's place from bytes, out of the protocol's own
// words, so that what a fuzzer tries is near what the code looks at. Each step is
// one byte for what to do, and one or two that choose a name and a content.
type planter struct {
	w    *world
	data []byte
	dir  string
}

// Ids and processes of the vocabulary.
const (
	idA     = "0198a4b2c3d470008000000000000001" // a UUIDv7 of before the world began
	idB     = "0123456789abcdef0123456789abcdef"
	idC     = "fedcba9876543210fedcba9876543210"
	machine = "00000000000000aa"
	deadPID = 4711
)

// livePID is the first process of every world.
const livePID = 1

var boots = []string{fmt.Sprintf("%032x", 1), fmt.Sprintf("%032x", 99)}

var plantedGuard = &protocol.Guard{Version: 1, TaskToken: "task", BoundaryToken: "boundary", State: protocol.GuardPending,
	FenceRoot: rootPath, RetainedPaths: []string{}}

// plantedNames are the names a step can choose. Append only: seeds count on it.
var plantedNames = []string{
	protocol.CurrentName, protocol.RetiredName, protocol.ObserversName, protocol.GenerationName, protocol.RecordName,
	protocol.MarkerName, protocol.CompletionName, protocol.LastName, protocol.QueueName, protocol.GuardsName,
	plantedGuard.Name(), idA, idB, idC,
	protocol.CandidateName(idA), protocol.CandidateName(idB), protocol.ClaimCandidateName(idC, idA), protocol.StageName(idA),
	witnessName(idA, 0), witnessName(idA, 1), witnessName(idB, 0), witnessName(idC, 0), "x", "tool",
}

func witnessName(id string, boot int) string {
	return protocol.Witness{Of: protocol.ID(id), Machine: machine, Boot: boots[boot]}.Name()
}

// plantedTexts are the contents a step can choose. Append only.
var plantedTexts = []string{
	"", string(protocol.Genlock.Marker()), string(protocol.TTSC.Marker()), "genlock-v4\n", "genlock-v3", strings.Repeat("\x00", 33),
	idA + "\n", idB + "\n", idC + "\n", " " + idA + "\r\n",
	foreignRecord(idA, deadPID), foreignRecord(idB, livePID), foreignRecord(idB, deadPID)[:60],
	ourRecord(idA, livePID, 0), ourRecord(idA, deadPID, 0), ourRecord(idA, deadPID, 1), ourRecord(idB, deadPID, 0), ourRecord(idC, livePID, 0),
	`{"schema":1,"generation":"` + idA + `","outcome":"failed","exit":1,"time":"2026-03-01T12:00:00Z"}`, "{", "null", "[]",
	guardText(protocol.GuardPending), guardText(protocol.GuardUnknown),
}

func ourRecord(id string, pid, boot int) string {
	data, err := (&protocol.Record{Generation: protocol.ID(id), Nonce: idC, Hostname: "vm", PID: pid, Process: &protocol.Process{
		Boot: boots[boot], Machine: machine, PIDNS: "1", TimeNS: "1", Start: protocol.Number(fmt.Sprint(pid)),
		Instance: idB, Witness: protocol.WitnessFlock, Dev: "1", Ino: "9"}}).Encode()
	must(err)
	return string(data)
}

func guardText(state string) string {
	g := *plantedGuard
	g.State = state
	data, err := g.Encode()
	must(err)
	return string(data)
}

// plantedTargets are where links lead: outside, to a tree that looks like a lock.
var plantedTargets = []string{"/outside", "/outside/current", "/outside/file", "../other.lock.v3", "current", "nowhere", ".", "/"}

// Steps.
const (
	plantFile = iota
	plantDir  // and go into it
	plantUp
	plantLink
	plantFifo
	plantMode
	plantSteps
)

func (p *planter) next() int {
	if len(p.data) == 0 {
		return 0
	}
	b := p.data[0]
	p.data = p.data[1:]
	return int(b)
}

func pick(list []string, i int) string { return list[i%len(list)] }

// grow plants until the bytes are used up. Steps that cannot be are left out.
func (p *planter) grow() {
	disk := p.w.disk
	for steps := 0; len(p.data) > 0 && steps < 200; steps++ {
		switch step := p.next() % plantSteps; step {
		case plantUp:
			if p.dir != rootPath {
				p.dir = path.Dir(p.dir)
			}
		case plantMode:
			disk.Chmod(p.dir, fs.FileMode(p.next()&0o7)<<6|0o055)
		default:
			p.plant(step, path.Join(p.dir, pick(plantedNames, p.next())))
		}
	}
}

func (p *planter) plant(step int, at string) {
	disk := p.w.disk
	switch step {
	case plantFile:
		if text := pick(plantedTexts, p.next()); !p.w.exists(at) {
			disk.WriteFile(at, text)
		}
	case plantDir:
		if disk.MkdirAll(at, 0o755) == nil && len(at) < 500 {
			if info, err := p.w.stat(at); err == nil && info.IsDir() {
				p.dir = at
			}
		}
	case plantLink:
		disk.Symlink(pick(plantedTargets, p.next()), at)
	case plantFifo:
		disk.Mknod(at, fs.ModeNamedPipe|0o644)
	}
}

// plantWorld is a world whose root was grown from data: the first byte says what
// stands in its place, the second whether an old lock stands beside it, and in
// which format the lock is asked for.
func plantWorld(data []byte) *world {
	p := &planter{data: data, dir: rootPath}
	place, options := p.next(), p.next()
	format := protocol.Genlock
	if options&1 != 0 {
		format = protocol.TTSC
	}
	w := newWorld(plain, format)
	p.w = w
	plantOutside(w)
	if options&2 != 0 {
		must(w.disk.MkdirAll(lockPath, 0o755))
	}
	switch place % 8 {
	case 1:
		must(w.disk.Symlink(pick(plantedTargets, options>>2), rootPath))
	case 2:
		must(w.disk.WriteFile(rootPath, "x"))
	case 3:
		must(w.disk.Mknod(rootPath, fs.ModeNamedPipe|0o644))
	case 4: // no marker yet
		must(w.disk.MkdirAll(rootPath, 0o755))
		p.grow()
	default:
		must(w.disk.WriteFile(rootPath+"/"+protocol.MarkerName, string(format.Marker())))
		p.grow()
	}
	return w
}

// plantOutside: a tree that looks like a lock of a dead holder, for whoever follows
// a link, and another lock beside ours.
func plantOutside(w *world) {
	for _, dir := range []string{"/outside", cacheDir + "/other.lock.v3"} {
		must(w.disk.WriteFile(dir+"/"+protocol.MarkerName, string(protocol.Genlock.Marker())))
		must(w.disk.MkdirAll(dir+"/"+protocol.RetiredName, 0o755))
		current := dir + "/" + protocol.CurrentName + "/"
		must(w.disk.WriteFile(current+protocol.GenerationName, idA+"\n"))
		must(w.disk.WriteFile(current+protocol.RecordName, ourRecord(idA, deadPID, 0)))
		must(w.disk.WriteFile(current+witnessName(idA, 0), idC+"\n"))
		must(w.disk.WriteFile(dir+"/"+protocol.CandidateName(idB)+"/"+witnessName(idB, 0), idC+"\n"))
	}
	must(w.disk.WriteFile("/outside/file", idA+"\n"))
}
