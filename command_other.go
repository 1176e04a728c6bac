//go:build !unix

package genlock

import "os/exec"

// startWithWitness cannot hand a witness on here.
func startWithWitness(cmd *exec.Cmd, _ uintptr) error { return cmd.Start() }
