package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"genlock.dev/genlock"
)

// verify asks the command of --verify about the artifact at path. Its output goes
// to stderr: stdout belongs to CMD.
func (w *work) verify(ctx context.Context, path string) error {
	cmd := exec.CommandContext(ctx, "sh", "-c", w.flags.verify, "verify", path)
	if runtime.GOOS == "windows" {
		cmd = exec.CommandContext(ctx, "cmd", "/c", w.flags.verify)
	}
	cmd.Env = append(os.Environ(), genlock.OutVariable+"="+path)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("--verify: %w", err)
	}
	return nil
}
