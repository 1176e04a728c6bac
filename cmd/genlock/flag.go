package main

import "github.com/spf13/pflag"

// named is a flag whose value has a name of its own in the help text.
type named struct {
	pflag.Value
	name string
}

func (n named) Type() string { return n.name }
