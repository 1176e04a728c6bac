//go:build unix && !linux

package main

import (
	"errors"
	"syscall"
)

func houseAttr(bool) *syscall.SysProcAttr { return nil }

func housesLack() []string { return []string{"kills of a whole PID namespace: only on Linux"} }

func (t task) house() error { return errors.ErrUnsupported }
