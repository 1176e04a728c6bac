//go:build unix && !linux

package main

import "time"

// cpu is the processor time of all but one. They are asked, which is part of it.
func cpu(c *crew, but *hand) (total time.Duration, err error) {
	replies, err := c.tellAll(order{Do: "usage"})
	for _, r := range replies {
		if r.worker != but {
			total += r.CPU
		}
	}
	return total, err
}
