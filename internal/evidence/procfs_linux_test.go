package evidence

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const (
	mountProc = "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
	statLine  = "%d (%s) %s 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 %d 18 %d 20 21\n"
)

// fakeProc is a /proc in which process 100 is this one.
func fakeProc(t *testing.T, files map[string]string) *procfs {
	t.Helper()
	root := t.TempDir()
	all := map[string]string{
		"self/status":               "Name:\tx\nState:\tR (running)\nNSpid:\t100\nThreads:\t1\n",
		"self/stat":                 fmt.Sprintf(statLine, 100, "x", "R", 1, 555),
		"self/mountinfo":            "21 1 0:1 / / rw - ext4 /dev/vda rw\n" + mountProc,
		"1/status":                  "State:\tS (sleeping)\nNSpid:\t1\nThreads:\t1\n",
		"sys/kernel/osrelease":      "6.1.0-generic\n",
		"sys/kernel/random/boot_id": "346E7F61-3133-4a49-a7fb-8cbb1ec7c524\n",
		"self/ns/pid":               "-> pid:[4026531836]",
		"self/ns/time":              "-> time:[4026531834]",
		"self/ns/mnt":               "-> mnt:[4026531832]",
	}
	for name, content := range files {
		all[name] = content
	}
	for name, content := range all {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			err = os.Symlink(target, path)
		} else if content != "" {
			err = os.WriteFile(path, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	p := newProcfs(root)
	p.pid = 100
	p.kill = func(int) error { return nil }
	return p
}

func TestProcess(t *testing.T) {
	dying := 0
	for _, c := range []struct {
		name  string
		files map[string]string
		kill  func(int) error
		want  State
		start string
	}{
		{name: "sleeps", files: map[string]string{"7/stat": fmt.Sprintf(statLine, 7, "a", "S", 1, 42)}, want: Running, start: "42"},
		{name: "odd name", files: map[string]string{"7/stat": fmt.Sprintf(statLine, 7, "a) Z 1 (b c", "D", 1, 42)}, want: Running, start: "42"},
		{name: "stopped", files: map[string]string{"7/stat": fmt.Sprintf(statLine, 7, "a", "T", 1, 42)}, want: Stopped, start: "42"},
		{name: "traced", files: map[string]string{"7/stat": fmt.Sprintf(statLine, 7, "a", "t", 1, 42)}, want: Stopped, start: "42"},
		{name: "zombie", files: map[string]string{"7/stat": fmt.Sprintf(statLine, 7, "a", "Z", 1, 42)}, want: Dead, start: "42"},
		{name: "dead", files: map[string]string{"7/stat": fmt.Sprintf(statLine, 7, "a", "X", 0, 42)}, want: Dead, start: "42"},
		{name: "zombie with threads", files: map[string]string{"7/stat": fmt.Sprintf(statLine, 7, "a", "Z", 3, 42)}, want: Running, start: "42"},
		{name: "another user's", files: map[string]string{"7/stat": fmt.Sprintf(statLine, 7, "a", "S", 1, 42)},
			kill: func(int) error { return syscall.EPERM }, want: Running, start: "42"},
		{name: "gone", kill: func(int) error { return syscall.ESRCH }, want: Absent},
		{name: "gone although listed", files: map[string]string{"7/stat": fmt.Sprintf(statLine, 7, "a", "S", 1, 42)},
			kill: func(int) error { return syscall.ESRCH }, want: Absent},
		{name: "hidden", kill: func(int) error { return syscall.EPERM }, want: Unknown},
		{name: "vanishes between the questions", kill: func(int) error {
			if dying++; dying > 1 {
				return syscall.ESRCH
			}
			return nil
		}, want: Absent},
		{name: "signals forbidden", kill: func(int) error { return syscall.ENOSYS }, want: Unknown},
		{name: "garbage", files: map[string]string{"7/stat": "7 (a"}, want: Unknown},
		{name: "too short", files: map[string]string{"7/stat": "7 (a) S 1 2 3"}, want: Unknown},
		{name: "no number", files: map[string]string{"7/stat": strings.Replace(fmt.Sprintf(statLine, 7, "a", "S", 1, 42), " 42 ", " x ", 1)}, want: Unknown},
		{name: "/proc of a namespace further out", want: Unknown, files: map[string]string{
			"7/stat": fmt.Sprintf(statLine, 7, "a", "S", 1, 42), "self/status": "NSpid:\t100\t100\n"}},
		{name: "/proc counts us otherwise", want: Unknown, files: map[string]string{
			"7/stat": fmt.Sprintf(statLine, 7, "a", "S", 1, 42), "self/status": "NSpid:\t99\n"}},
		{name: "no /proc", files: map[string]string{"self/status": ""}, want: Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := fakeProc(t, c.files)
			if c.kill != nil {
				p.kill = c.kill
			}
			got := p.process(7)
			if got.State != c.want || string(got.Start) != c.start {
				t.Errorf("%v, start %q (%s); want %v, %q", got.State, got.Start, got.Why, c.want, c.start)
			}
			if (got.State == Unknown) != (got.Why != "") {
				t.Errorf("%v because %q", got.State, got.Why)
			}
		})
	}
}

func TestAnywhere(t *testing.T) {
	const living = "State:\tS (sleeping)\nNSpid:\t%s\nThreads:\t%d\n"
	for _, c := range []struct {
		name          string
		files         map[string]string
		exists, known bool
	}{
		{name: "nobody", known: true},
		{name: "here", files: map[string]string{"7/status": fmt.Sprintf(living, "7", 1)}, exists: true, known: true},
		{name: "in a container", files: map[string]string{"900/status": fmt.Sprintf(living, "900\t31\t7", 1)}, exists: true, known: true},
		{name: "only on the way in", files: map[string]string{"900/status": fmt.Sprintf(living, "900\t7\t31", 1)}, known: true},
		{name: "a zombie", files: map[string]string{"7/status": "State:\tZ (zombie)\nNSpid:\t7\nThreads:\t1\n"}, known: true},
		{name: "a zombie with threads", files: map[string]string{"7/status": "State:\tZ (zombie)\nNSpid:\t7\nThreads:\t2\n"},
			exists: true, known: true},
		{name: "ended meanwhile", files: map[string]string{"900/comm": "x"}, known: true},
		{name: "unreadable", files: map[string]string{"900/status/x": "a directory reads as an error"}},
		{name: "without NSpid", files: map[string]string{"900/status": "State:\tS (sleeping)\n"}},
		{name: "init hidden", files: map[string]string{"1/status": ""}},
		{name: "hidepid", files: map[string]string{"self/mountinfo": "22 27 0:21 / /proc rw - proc proc rw,hidepid=invisible\n"}},
		{name: "hidepid by number", files: map[string]string{"self/mountinfo": mountProc + "9 22 0:22 / /proc rw - proc proc rw,gid=1,hidepid=2\n"}},
		{name: "hidepid off", files: map[string]string{"self/mountinfo": "22 27 0:21 / /proc rw - proc proc rw,hidepid=off\n"}, known: true},
		{name: "hidepid elsewhere", files: map[string]string{"self/mountinfo": mountProc + "9 1 0:9 / /jail/proc rw - proc proc rw,hidepid=2\n"}, known: true},
		{name: "mounts unreadable", files: map[string]string{"self/mountinfo": ""}},
		{name: "/proc of another namespace", files: map[string]string{"self/status": "NSpid:\t100\t3\n"}},
		{name: "WSL", files: map[string]string{"sys/kernel/osrelease": "5.15.1-Microsoft-standard-WSL2\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			exists, known := fakeProc(t, c.files).anywhere(7)
			if exists != c.exists || known != c.known {
				t.Errorf("exists %v, known %v", exists, known)
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  Self
	}{
		{name: "host", want: Self{Boot: "346e7f6131334a49a7fb8cbb1ec7c524", PIDNS: initialPIDNS, TimeNS: initialTimeNS,
			Start: "555", InitialPIDNS: true}},
		{name: "container", files: map[string]string{"self/ns/pid": "-> pid:[4026532001]", "self/ns/time": "-> time:[4026532002]"},
			want: Self{Boot: "346e7f6131334a49a7fb8cbb1ec7c524", PIDNS: "4026532001", TimeNS: "4026532002", Start: "555"}},
		{name: "kernel without time namespaces", files: map[string]string{"self/ns/time": ""},
			want: Self{Boot: "346e7f6131334a49a7fb8cbb1ec7c524", PIDNS: initialPIDNS, TimeNS: "0", Start: "555", InitialPIDNS: true}},
		{name: "namespaces unreadable", files: map[string]string{"self/ns/time": "", "self/ns/pid": "", "self/ns/mnt": ""},
			want: Self{Boot: "346e7f6131334a49a7fb8cbb1ec7c524", Start: "555"}},
		{name: "odd namespaces", files: map[string]string{"self/ns/time": "-> time:[x]", "self/ns/pid": "-> mnt:[4026531836]"},
			want: Self{Boot: "346e7f6131334a49a7fb8cbb1ec7c524", Start: "555"}},
		{name: "boot id unreadable, stat odd", files: map[string]string{"sys/kernel/random/boot_id": "", "self/stat": "x"},
			want: Self{PIDNS: initialPIDNS, TimeNS: initialTimeNS, InitialPIDNS: true}},
		{name: "boot id all zeros", files: map[string]string{"sys/kernel/random/boot_id": "00000000-0000-0000-0000-000000000000", "self/stat": "x"},
			want: Self{PIDNS: initialPIDNS, TimeNS: initialTimeNS, InitialPIDNS: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got Self
			fakeProc(t, c.files).describe(&got)
			if got != c.want {
				t.Errorf("%+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestDescribeWithoutProc(t *testing.T) {
	var got Self
	p := newProcfs(filepath.Join(t.TempDir(), "nowhere"))
	p.describe(&got)
	if got != (Self{}) {
		t.Errorf("%+v", got)
	}
	if info := p.process(os.Getpid()); info.State != Unknown {
		t.Errorf("%+v", info)
	}
	if _, known := p.anywhere(1); known {
		t.Error("it knows")
	}
}
