//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/gofrs/flock"

	"genlock.dev/genlock"
)

// work takes turns for a while and prints how many.
func work(kind, path string, d, pause time.Duration) error {
	turn, err := turnOf(kind, path)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	if !bufio.NewScanner(os.Stdin).Scan() {
		return fmt.Errorf("nobody says when to begin")
	}
	turns := 0
	for begun := time.Now(); time.Since(begun) < d; turns++ {
		if err := turn(); err != nil {
			return err
		}
		if pause > 0 {
			time.Sleep(rand.N(pause))
		}
	}
	fmt.Println(turns)
	return nil
}

func turnOf(kind, path string) (func() error, error) {
	switch kind {
	case "genlock":
		lock := genlock.New(path, nil)
		return func() error {
			lease, err := lock.Acquire(context.Background())
			if err != nil {
				return err
			}
			return lease.Release()
		}, nil
	case "gofrs":
		lock := flock.New(path)
		return func() error {
			if err := lock.Lock(); err != nil {
				return err
			}
			return lock.Unlock()
		}, nil
	}
	return nil, fmt.Errorf("there is no lock %q", kind)
}
