//go:build !unix

package genlock

import "os/exec"

// startWithWitnesses cannot hand witnesses on here, and cannot tell when the tree of
// a command has ended.
func startWithWitnesses(cmd *exec.Cmd, _ []uintptr, _ bool) (gone func() bool, err error) {
	return func() bool { return false }, cmd.Start()
}
