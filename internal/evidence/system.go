package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"

	"genlock.dev/genlock/protocol"
)

// System is the machine this program runs on. What it says about itself is read
// at the first use and never again.
func System() Machine { return thisSystem }

// noNamespace stands for the number of a namespace on a system that has none of
// that kind: all its processes share what there is.
const noNamespace = "0"

var thisSystem = &system{read: sync.OnceValue(readSelf)}

type system struct{ read func() *Self }

func (s *system) Self() *Self { return s.read() }

func (s *system) Process(pid int) ProcessInfo { return lookAt(s.read(), pid) }

func (s *system) Anywhere(pid int) (exists, known bool) { return anywhere(s.read(), pid) }

// newSelf fills in what does not depend on the platform.
func newSelf(pid int) *Self {
	self := &Self{PID: pid, Machine: protocol.NoMachine, flocks: new(flockMemory)}
	if id, err := protocol.NewID(); err == nil {
		self.Instance = id
	}
	return self
}

// hashMachine hides the machine id, which its owner may want to keep to itself,
// and keeps it comparable.
func hashMachine(id string) string {
	id = strings.TrimSpace(id)
	if !isKnown(strings.ReplaceAll(id, "-", "")) {
		return protocol.NoMachine
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])[:len(protocol.NoMachine)]
}

// plainUUID takes the dashes out of a UUID. Anything that is none is unknown.
func plainUUID(s string) string {
	s = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(s), "-", ""))
	if _, ok := protocol.ParseID(s); !ok || !isKnown(s) {
		return ""
	}
	return s
}

func unknown(sentence string, args ...any) ProcessInfo {
	return ProcessInfo{Why: say(sentence, args...)}
}
