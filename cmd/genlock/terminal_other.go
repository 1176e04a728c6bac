//go:build !unix

package main

import "os"

// Without knowledge of the console every stderr is a log.
func width(*os.File) int         { return -1 }
func inForeground(*os.File) bool { return false }
