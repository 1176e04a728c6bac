package evidence

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMachineID(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	none, empty := filepath.Join(dir, "none"), write("empty", "")
	fresh := write("fresh", "uninitialized\n")
	zeros := write("zeros", strings.Repeat("0", 32)+"\n")
	good := write("good", "0123456789abcdef0123456789abcdef\n")
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{[]string{none, empty, fresh, zeros}, "0000000000000000"},
		// printf 0123456789abcdef0123456789abcdef | sha256sum | cut -c1-16
		{[]string{none, fresh, good}, "3eb1bd439947eb76"},
	} {
		if got := machineID(c.paths...); got != c.want {
			t.Errorf("%v: %s, want %s", c.paths, got, c.want)
		}
	}
}

// TestSystem reads the real machine. Nothing here may be wrong; it may be empty.
func TestSystem(t *testing.T) {
	self := System().Self()
	if self != System().Self() {
		t.Error("it was read twice")
	}
	if self.PID != os.Getpid() || self.Instance == "" || len(self.Machine) != 16 {
		t.Errorf("%+v", *self)
	}
	for line := range strings.Lines(realProc.text("stat")) {
		var btime int64
		if n, _ := fmt.Sscanf(line, "btime %d", &btime); n == 0 || self.BootedAt.IsZero() {
			continue
		}
		if off := self.BootedAt.Unix() - btime; off < -2 || off > 2 {
			t.Errorf("booted at %v, %d s off", self.BootedAt, off)
		}
	}
	info := System().Process(self.PID)
	if info.State != Running && info.State != Unknown {
		t.Errorf("we are %v", info.State)
	}
	if info.Start != "" && info.Start != self.Start {
		t.Errorf("we began at %s and at %s", self.Start, info.Start)
	}
	exists, known := System().Anywhere(self.PID)
	if known && !exists {
		t.Error("we are nowhere")
	}
	if known && !self.InitialPIDNS {
		t.Error("from a container, not all processes can be seen")
	}
}
