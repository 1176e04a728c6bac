package explore

import (
	"hash/maphash"
	"regexp"
	"strings"
)

// verb is what an operation does.
type verb uint8

const (
	vOpenDir verb = iota
	vLstat
	vStat
	vMkdir
	vCreate
	vOpen
	vTruncate
	vRead
	vWrite
	vFlock
	vChmod
	vRename
	vRemove
	vRmdir
	vNames
	vKind
	vClose
	vSync
	vTouch
	vProbe
	vSleep
	vMark
	vCrash
)

var verbNames = [...]string{"open directory", "look at", "stat", "make directory", "create", "open", "open and empty", "read", "write",
	"lock", "change the mode of", "rename", "unlink", "remove directory", "list", "ask the kind of", "close", "sync",
	"touch", "ask whether it lives:", "sleep", "", "crash"}

func (v verb) String() string { return verbNames[v] }

// op is one operation of a simulated process: what it does, on which names. It
// holds only references to strings that exist anyway, since a run has thousands.
type op struct {
	verb verb
	// dir and name are what it is about; to and toName the target of a rename.
	dir, name, to, toName string
	how                   string
	// at is what it is called when we look for scheduling points.
	at point
}

// point is a kind of operation: what is done, in which role. Whether an operation
// is a scheduling point is decided for all operations of a kind together.
type point struct {
	verb   verb
	on, to role
	// own: in a file or directory that the process made itself. Preparing one's
	// own and looking at somebody else's differ in this alone.
	own bool
	// alone: the lock is wanted exclusively.
	alone bool
}

// String says in words what the operation does, ids shortened.
func (o op) String() string {
	if o.verb == vMark {
		return o.name
	}
	s := o.verb.String() + " " + shorten(join(o.dir, o.name))
	if o.toName != "" {
		s += " to " + shorten(join(o.to, o.toName))
	}
	if o.how != "" {
		s += " (" + o.how + ")"
	}
	return s
}

func join(dir, name string) string {
	if dir == "" || name == "" {
		return dir + name
	}
	return dir + "/" + name
}

var longID = regexp.MustCompile(`[0-9a-f]{32}`)

// shorten makes paths fit on a line: ids become the letter of the process that
// made them and a number, the lock's directory goes.
func shorten(path string) string {
	path = strings.TrimPrefix(path, lockDir+"/")
	path = strings.TrimPrefix(path, lockBase+".v3/")
	return longID.ReplaceAllStringFunc(path, shortID)
}

// role is what a file is to the protocol: the path by which it was made, ids left
// out. Files keep their role wherever they are renamed to.
type role int32

// roles numbers the roles. One table serves all runs of a search.
type roles struct {
	of    map[roleKey]role
	names []string
}

type roleKey struct {
	parent role
	name   string
}

func newRoles() *roles {
	return &roles{of: map[roleKey]role{}, names: []string{""}}
}

// get is the role of name in a directory that has the role parent.
func (r *roles) get(parent role, name string) role {
	if got, ok := r.of[roleKey{parent, name}]; ok {
		return got
	}
	pattern := longID.ReplaceAllString(name, "*")
	if strings.HasPrefix(pattern, "witness.") {
		pattern = "witness" // the boot after a restart changes its name
	}
	known, ok := r.of[roleKey{parent, pattern}]
	if !ok {
		known = role(len(r.names))
		r.names = append(r.names, join(r.names[parent], pattern))
		r.of[roleKey{parent, pattern}] = known
	}
	r.of[roleKey{parent, name}] = known
	return known
}

var seed = maphash.MakeSeed()

// mix folds b into a. Hashes live as long as the program.
func mix(a, b uint64) uint64 {
	a ^= b + 0x9e3779b97f4a7c15 + a<<6 + a>>2
	a = (a ^ a>>30) * 0xbf58476d1ce4e5b9
	a = (a ^ a>>27) * 0x94d049bb133111eb
	return a ^ a>>31
}

func mixString(a uint64, s string) uint64 { return mix(a, maphash.String(seed, s)) }
