//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// order is what a worker is told, one a line; reply is what it answers.
type order struct {
	Do    string // turns, hold, drop or usage
	Kind  string
	Turns int64
}

type reply struct {
	Do      string
	Held    int64 // when it got the lock; for hold
	CPU     time.Duration
	Turns   []turn
	Tries   int // renames that would publish, if counted
	FileOps int
	Error   string
	worker  *hand
}

// turn is one tenure. Its number comes from a counter that the lock protects.
type turn struct{ Number, Acquired, Released int64 }

// hand is one process that takes turns.
type hand struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
}

func (h *hand) tell(o order) error { return json.NewEncoder(h.stdin).Encode(o) }

// crew is all of them. Replies come in one stream.
type crew struct {
	dir     string
	hold    time.Duration
	hands   []*hand
	replies chan reply
}

func (c *crew) hire() error {
	if c.replies == nil {
		c.replies = make(chan reply, 1024)
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(exe, "-worker", c.dir, "-hold", c.hold.String())
	cmd.Stderr = os.Stderr
	h := &hand{cmd: cmd}
	if h.stdin, err = cmd.StdinPipe(); err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	c.hands = append(c.hands, h)
	replies := c.replies
	go func() {
		lines := json.NewDecoder(bufio.NewReader(stdout))
		for {
			var r reply
			if lines.Decode(&r) != nil {
				return // it ended, or was killed
			}
			r.worker = h
			replies <- r
		}
	}()
	return nil
}

// tellAll gives everybody the same order, and waits for all answers.
func (c *crew) tellAll(o order) ([]reply, error) {
	for _, h := range c.hands {
		if err := h.tell(o); err != nil {
			return nil, err
		}
	}
	var all []reply
	for range c.hands {
		r, err := c.next(o.Do)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

func (c *crew) next(what string) (reply, error) {
	const patience = 5 * time.Minute
	select {
	case r := <-c.replies:
		if r.Error != "" || r.Do != what {
			return r, fmt.Errorf("a worker answers %s instead of %s: %s", r.Do, what, r.Error)
		}
		return r, nil
	case <-time.After(patience):
		return reply{}, fmt.Errorf("no worker answers %s", what)
	}
}

// fire kills one of the crew.
func (c *crew) fire(h *hand) {
	h.cmd.Process.Kill()
	h.cmd.Wait()
	for i, other := range c.hands {
		if other == h {
			c.hands = append(c.hands[:i], c.hands[i+1:]...)
			return
		}
	}
}

func (c *crew) stop() {
	for len(c.hands) > 0 {
		c.fire(c.hands[0])
	}
}

// renew replaces everybody: who waits cannot be told to stop.
func (c *crew) renew() error {
	size := len(c.hands)
	c.stop()
	c.replies = nil // what was said while the others were stopped is of no use
	for range size {
		if err := c.hire(); err != nil {
			return err
		}
	}
	return nil
}
