//go:build unix

package main

import (
	"errors"
	"fmt"
	"time"
)

// settled is how long everybody is given to begin to wait.
const settled = 200 * time.Millisecond

// takeovers kills the holder again and again. The next one holds until it is killed.
func takeovers(c *crew, n int) error {
	latencies := map[string][]time.Duration{}
	const batch = 5
	for done := 0; done < n; done += batch {
		for _, kind := range []string{kindGenlock, kindFlock} {
			some, err := takeoversOf(c, kind, min(batch, n-done))
			if err != nil {
				return err
			}
			latencies[kind] = append(latencies[kind], some...)
		}
	}
	fmt.Printf("%d processes, %d holders killed\n%-10s %9s %9s %9s\n", len(c.hands), n, "", "p50", "p99", "worst")
	for _, kind := range []string{kindGenlock, kindFlock} {
		p50, p99, worst := percentiles(latencies[kind])
		fmt.Printf("%-10s %9s %9s %9s\n", kind, show(p50), show(p99), show(worst))
	}
	return nil
}

func takeoversOf(c *crew, kind string, n int) (latencies []time.Duration, err error) {
	for _, h := range c.hands {
		if err := h.tell(order{Do: "hold", Kind: kind}); err != nil {
			return nil, err
		}
	}
	holder, err := c.next("hold")
	for range n {
		if err != nil {
			return nil, err
		}
		time.Sleep(settled)
		killed := time.Now().UnixNano()
		c.fire(holder.worker)
		if holder, err = c.next("hold"); err != nil {
			return nil, err
		}
		latencies = append(latencies, time.Duration(holder.Held-killed))
		if err = c.hire(); err == nil {
			err = c.hands[len(c.hands)-1].tell(order{Do: "hold", Kind: kind})
		}
	}
	return latencies, errors.Join(err, c.renew())
}

// idle measures everybody but the holder.
func idle(c *crew, d time.Duration) error {
	fmt.Printf("%d processes wait while one holds the lock for %s\n", len(c.hands), d)
	if err := c.hire(); err != nil {
		return err
	}
	for _, kind := range []string{kindGenlock, kindFlock} {
		for _, h := range c.hands {
			if err := h.tell(order{Do: "hold", Kind: kind}); err != nil {
				return err
			}
		}
		holder, err := c.next("hold")
		if err != nil {
			return err
		}
		time.Sleep(10 * settled)
		// The first answer of a process costs more than many seconds of waiting.
		if _, err := cpu(c, holder.worker); err != nil {
			return err
		}
		time.Sleep(settled)
		before, err := cpu(c, holder.worker)
		if err != nil {
			return err
		}
		time.Sleep(d)
		after, err := cpu(c, holder.worker)
		if err != nil {
			return err
		}
		fmt.Printf("%-10s %s of processor time, %.2f%% of one core\n", kind, show(after-before),
			100*float64(after-before)/float64(d))
		if err := c.renew(); err != nil {
			return err
		}
	}
	return nil
}
