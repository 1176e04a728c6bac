package main

import (
	"errors"
	"strconv"

	"github.com/spf13/pflag"
)

// named is a flag whose value has a name of its own in the help text.
type named struct {
	pflag.Value
	name string
}

func (n named) Type() string { return n.name }

// exitCode is a flag for an exit status.
type exitCode int

func (c *exitCode) String() string { return strconv.Itoa(int(*c)) }

// Type is what help shows.
func (c *exitCode) Type() string { return "CODE" }

// Set refuses what no process can exit with.
func (c *exitCode) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 8)
	if err != nil {
		return errors.New("not an exit status from 0 to 255")
	}
	*c = exitCode(n)
	return nil
}
