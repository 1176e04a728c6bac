//go:build unix

package eventlog

import "syscall"

const noFollow = syscall.O_NOFOLLOW
