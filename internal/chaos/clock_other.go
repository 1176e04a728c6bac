//go:build unix && !linux

package main

import "time"

// now is a clock that somebody may set, for want of a shared one that nobody can.
func now() int64 { return time.Now().UnixNano() }
