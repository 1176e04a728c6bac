//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// summon makes a command that is a process of this program with a task.
func summon(t task) (*exec.Cmd, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), taskVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	return cmd, nil
}

// hand is one process of the round, and those that take its place when it is killed.
type hand struct {
	slot  string
	task  task
	life  int
	cmd   *exec.Cmd
	stdin io.Closer
	ended chan struct{}
}

// crew is all of them.
type crew struct {
	plan    *plan
	history *history
	mu      sync.Mutex // one life and death at a time
	hands   []*hand
	failed  error // a worker that ended by itself with an error
}

func (c *crew) start(h *hand) error {
	t := h.task
	t.Plan = *c.plan
	t.Who = fmt.Sprintf("%s.%d", h.slot, h.life)
	cmd, err := summon(t)
	if err != nil {
		return err
	}
	if t.Role == "house" {
		cmd.SysProcAttr = houseAttr(t.Proc)
	}
	if h.stdin, err = cmd.StdinPipe(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	h.cmd, h.ended = cmd, make(chan struct{})
	ended := h.ended
	go func() {
		err := cmd.Wait()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); err != nil && !(ok && status.Signaled()) {
			c.mu.Lock()
			c.failed = fmt.Errorf("worker %s: %w", t.Who, err)
			c.mu.Unlock()
		}
		close(ended)
	}()
	return nil
}

// kill kills one, notes that first, and starts its successor.
func (c *crew) kill(h *hand) error {
	select {
	case <-h.ended:
		return nil
	default:
	}
	c.history.say(event{What: kill, At: now(), Who: fmt.Sprintf("%s.%d", h.slot, h.life)})
	h.cmd.Process.Kill()
	<-h.ended
	h.stdin.Close()
	h.life++
	return c.start(h)
}

// stop stops one for a while.
func (c *crew) stop(h *hand) { h.cmd.Process.Signal(syscall.SIGSTOP) }

func (c *crew) proceed(h *hand) { h.cmd.Process.Signal(syscall.SIGCONT) }

// end waits for everybody to end by itself. Who does not is asked where it is.
func (c *crew) end() (late []string) {
	deadline := time.After(patience + 30*time.Second)
	for _, h := range c.hands {
		select {
		case <-h.ended:
		case <-deadline:
			late = append(late, fmt.Sprintf("%s.%d", h.slot, h.life))
			h.cmd.Process.Signal(syscall.SIGQUIT)
			deadline = time.After(time.Second)
		}
	}
	c.dismiss()
	return late
}

// dismiss ends all that are left.
func (c *crew) dismiss() {
	for _, h := range c.hands {
		if h.cmd == nil {
			continue
		}
		h.cmd.Process.Kill()
		<-h.ended
		h.stdin.Close()
	}
}
