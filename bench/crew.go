//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// hand is one process that takes turns: it says "ready", waits for a line, and says
// at the end how many turns it had.
type hand struct {
	cmd   *exec.Cmd
	start io.WriteCloser
	says  *bufio.Scanner
}

// round lets n processes contend for one lock.
func round(o options, dir string, l contestant, n int, pause time.Duration) (r result, err error) {
	var hands []*hand
	defer func() {
		for _, h := range hands {
			h.cmd.Process.Kill() // nobody is left to be stopped if all went well
			h.cmd.Wait()
		}
	}()
	for range n {
		h, err := hire(l.command(lockPath(dir, l.name), o.turn, pause))
		if err != nil {
			return r, err
		}
		hands = append(hands, h)
	}
	for _, h := range hands {
		if word, err := h.next(); err != nil || word != "ready" {
			return r, fmt.Errorf("a process says %q (%v)", word, err)
		}
	}
	for _, h := range hands {
		if _, err := io.WriteString(h.start, "go\n"); err != nil {
			return r, err
		}
	}
	total, most, least := 0, 0, -1
	for _, h := range hands {
		word, err := h.next()
		if err != nil {
			return r, err
		}
		turns, err := strconv.Atoi(word)
		if err != nil {
			return r, fmt.Errorf("a process says %q", word)
		}
		total, most = total+turns, max(most, turns)
		if least < 0 || turns < least {
			least = turns
		}
	}
	return result{float64(total) / o.turn.Seconds(), float64(most) / float64(max(least, 1))}, nil
}

func hire(cmd *exec.Cmd) (*hand, error) {
	var errors strings.Builder
	cmd.Stderr = &errors
	h := &hand{cmd: cmd}
	var err error
	if h.start, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	h.says = bufio.NewScanner(stdout)
	return h, cmd.Start()
}

func (h *hand) next() (string, error) {
	if h.says.Scan() {
		return h.says.Text(), nil
	}
	h.cmd.Wait()
	return "", fmt.Errorf("a process ended: %s %v", h.cmd.Stderr, h.says.Err())
}
