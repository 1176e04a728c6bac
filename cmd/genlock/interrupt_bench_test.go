//go:build unix

package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkInterruptCommand reports how long `genlock run` takes from the INT that ends
// its wait to its end, the end of the process included.
func BenchmarkInterruptCommand(b *testing.B) {
	dir := b.TempDir()
	release := filepath.Join(dir, "go")
	holder := exec.Command("genlock", "run", "k.lock", "--", "untilfile", "go")
	holder.Dir = dir
	if err := holder.Start(); err != nil {
		b.Fatal(err)
	}
	defer holder.Wait()
	defer os.WriteFile(release, nil, 0o666)
	if !poll(func() bool {
		return exec.Command("genlock", "status", "--exit-code", filepath.Join(dir, "k.lock")).Run() != nil
	}) {
		b.Fatal("nobody holds the lock")
	}
	var sum, worst time.Duration
	n := 0
	for b.Loop() {
		took := interruptCommand(b, dir)
		sum, worst, n = sum+took, max(worst, took), n+1
	}
	b.ReportMetric(float64(sum.Microseconds())/1000/float64(n), "mean-ms")
	b.ReportMetric(float64(worst.Microseconds())/1000, "worst-ms")
}

func interruptCommand(b *testing.B, dir string) time.Duration {
	b.Helper()
	cmd := exec.Command("genlock", "run", "--json", "k.lock", "--", "true")
	cmd.Dir = dir
	stderr, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() && !strings.Contains(lines.Text(), `"event":"waiting"`) {
	}
	began := time.Now()
	cmd.Process.Signal(syscall.SIGINT)
	for lines.Scan() {
	}
	cmd.Wait()
	took := time.Since(began)
	if code := cmd.ProcessState.ExitCode(); code != 128+int(syscall.SIGINT) {
		b.Fatalf("exit status %d", code)
	}
	return took
}
