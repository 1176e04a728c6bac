//go:build !unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// job is the running command. Here it shares our console, which tells it about
// an interrupt by itself; there are no groups and no stopping.
type job struct{ cmd *exec.Cmd }

func startJob(cmd *exec.Cmd, start func(*exec.Cmd) error) (*job, error) {
	if err := start(cmd); err != nil {
		return nil, err
	}
	return &job{cmd}, nil
}

func (j *job) wait() error {
	err := j.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return &commandError{exit.ExitCode(), fmt.Sprintf("exit status %d", exit.ExitCode())}
	}
	return err
}

func (j *job) signal(os.Signal) {}
func (j *job) terminate()       { j.cmd.Process.Kill() }
func (j *job) destroy()         { j.cmd.Process.Kill() }
