package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpu is the processor time of all but one, by their clocks: to ask them would wake
// them up, and cost as much as many seconds of waiting.
func cpu(c *crew, but *hand) (total time.Duration, err error) {
	const (
		clockOfAll = 2 // see clock_getcpuclockid(3): all threads of a process
		pidShift   = 3
	)
	for _, h := range c.hands {
		if h == but {
			continue
		}
		var ts unix.Timespec
		if err := unix.ClockGettime(int32(^h.cmd.Process.Pid)<<pidShift|clockOfAll, &ts); err != nil {
			return 0, err
		}
		total += time.Duration(ts.Nano())
	}
	return total, nil
}
