//go:build unix && !linux

package vfstest_test

import "genlock.dev/genlock/internal/vfs"

func onThisSystem(s system) vfs.FS { return s }
