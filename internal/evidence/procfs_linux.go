package evidence

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"genlock.dev/genlock/protocol"
)

// procfs is /proc with signal 0 beside it. Tests put a made-up one in its place.
type procfs struct {
	root string
	pid  int
	kill func(pid int) error // signalZero
	// own tells whether /proc counts as we do.
	own func() bool
}

func newProcfs(root string) *procfs {
	p := &procfs{root: root, pid: os.Getpid(), kill: signalZero}
	p.own = sync.OnceValue(p.countsAsWeDo)
	return p
}

// describe fills in what /proc tells about this process. /proc/self is this very
// process in whatever namespace /proc counts.
func (p *procfs) describe(self *Self) {
	self.Boot = plainUUID(p.text("sys/kernel/random/boot_id"))
	self.PIDNS = p.namespace("pid")
	self.TimeNS = p.namespace("time")
	self.InitialPIDNS = self.PIDNS == initialPIDNS
	if st, ok := parseStat(p.read("self/stat")); ok {
		self.Start = st.start
	}
}

// process looks at one process number of our own PID namespace.
func (p *procfs) process(pid int) ProcessInfo {
	if info, settled := ask(p.kill, pid); settled {
		return info
	}
	if !p.own() {
		return unknown(sayProcForeign)
	}
	data, err := os.ReadFile(p.root + "/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		// It may have ended between the two questions; if not, it is hidden.
		if info, settled := ask(p.kill, pid); settled {
			return info
		}
		return unknown(sayHidden)
	}
	st, ok := parseStat(data)
	if !ok {
		return unknown(sayProcUnreadable)
	}
	return ProcessInfo{State: st.state(), Start: st.start}
}

// anywhere looks through the processes of all PID namespaces, as the first one
// sees them. It knows nothing unless it can see them all.
func (p *procfs) anywhere(pid int) (exists, known bool) {
	if !p.own() || p.hides() || p.isWSL() {
		return false, false
	}
	entries, err := os.ReadDir(p.root)
	if err != nil {
		return false, false
	}
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		data, err := os.ReadFile(p.root + "/" + e.Name() + "/status")
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // it ended meanwhile
		}
		st, ok := parseStatus(data)
		if err != nil || !ok {
			return false, false
		}
		if st.nspid[len(st.nspid)-1] == pid && !st.dead {
			return true, true
		}
	}
	return false, true
}

// countsAsWeDo tells whether /proc was mounted for our own PID namespace. One
// mounted for a namespace further out shows us under another number, and lists
// more than one.
func (p *procfs) countsAsWeDo() bool {
	st, ok := parseStatus(p.read("self/status"))
	if !ok {
		// Kernels before 4.1 do not list the numbers.
		link, err := os.Readlink(p.root + "/self")
		return err == nil && link == strconv.Itoa(p.pid)
	}
	return len(st.nspid) == 1 && st.nspid[0] == p.pid
}

// hides tells whether /proc may keep processes from us. Root in a user namespace
// is not enough to see through hidepid, so nobody is trusted to.
func (p *procfs) hides() bool {
	if _, ok := parseStatus(p.read("1/status")); !ok {
		return true
	}
	found := false
	for line := range strings.Lines(p.text("self/mountinfo")) {
		mount, super, _ := strings.Cut(line, " - proc ")
		fields := strings.Fields(mount)
		if super == "" || len(fields) < 6 || fields[4] != "/proc" {
			continue
		}
		found = true
		for opt := range strings.SplitSeq(strings.TrimSpace(super), ",") {
			if v, ok := strings.CutPrefix(opt, "hidepid="); ok && v != "0" && v != "off" {
				return true
			}
		}
	}
	return !found
}

// isWSL holds where a Windows program of the same host name, whose pid is none of
// ours, may hold a lock on our file system.
func (p *procfs) isWSL() bool {
	return strings.Contains(strings.ToLower(p.text("sys/kernel/osrelease")), "microsoft")
}

// namespace returns the inode number of one of our namespaces. Kernels before 5.6
// have no time namespaces, which shows in the one name missing beside others.
func (p *procfs) namespace(kind string) protocol.Number {
	link, err := os.Readlink(p.root + "/self/ns/" + kind)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Readlink(p.root + "/self/ns/mnt"); err == nil {
			return noNamespace
		}
	}
	s, ok := strings.CutPrefix(link, kind+":[")
	s, closed := strings.CutSuffix(s, "]")
	if _, err := strconv.ParseUint(s, 10, 64); err != nil || !ok || !closed {
		return ""
	}
	return protocol.Number(s)
}

// text is for what /proc says in a line or a table; empty when unreadable.
func (p *procfs) text(name string) string { return string(bytes.TrimSpace(p.read(name))) }

func (p *procfs) read(name string) []byte {
	data, err := os.ReadFile(p.root + "/" + name)
	if err != nil {
		return nil
	}
	return data
}
