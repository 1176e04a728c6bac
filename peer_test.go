//go:build unix

package genlock_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"genlock.dev/genlock/protocol"
)

// TestPeer contends with a small independent implementation of docs/protocol.md
// that shares no code with ours, in both formats. Any overlap, error or wedge
// means that one of the two misreads the contract.
func TestPeer(t *testing.T) {
	turns := 250
	if testing.Short() {
		turns = 25
	}
	peer := filepath.Join(t.TempDir(), "peer")
	if out, err := exec.Command("go", "build", "-o", peer, "./internal/peer").CombinedOutput(); err != nil {
		t.Fatalf("building the peer: %v\n%s", err, out)
	}
	for _, tt := range []struct {
		format protocol.Format
		styles []string
	}{
		{protocol.Genlock, []string{"careful", "careful", "foreign", "foreign"}},
		{protocol.TTSC, []string{"foreign", "foreign", "foreign", "careful"}},
	} {
		t.Run(string(tt.format), func(t *testing.T) {
			dir := t.TempDir()
			lock, section := filepath.Join(dir, "k.lock"), filepath.Join(dir, "section")
			var cmds []*exec.Cmd
			for _, style := range tt.styles {
				cmds = append(cmds,
					worker{Lock: lock, Section: section, Format: tt.format, Turns: turns}.command(t),
					exec.Command(peer, "-lock", lock, "-format", string(tt.format), "-style", style,
						"-section", section, "-turns", strconv.Itoa(turns)))
			}
			runAll(t, cmds)
		})
	}
}

// runAll runs all commands at once; each must end well and say nothing on stderr.
func runAll(t *testing.T, cmds []*exec.Cmd) {
	t.Helper()
	var wg sync.WaitGroup
	for _, cmd := range cmds {
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
				t.Errorf("%s: %v\n%s", cmd, err, stderr.String())
			}
		})
	}
	wg.Wait()
}
