//go:build unix && !aix

package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	formatGenlock = "genlock-v3"
	formatTTSC    = "ttsc-plugin-build-lock-v3"
)

// summary is the one line printed at the end.
type summary struct {
	Turns       int   `json:"turns"`
	Reclaimed   int   `json:"reclaimed"`
	LongestWait int64 `json:"longest_wait_ms"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

func run() error {
	lock := flag.String("lock", "", "lock path")
	format := flag.String("format", formatGenlock, "format: "+formatGenlock+" or "+formatTTSC)
	turns := flag.Int("turns", 1, "how often to take the lock")
	section := flag.String("section", "", "file that exists while the lock is held")
	hold := flag.Duration("hold", 0, "how long to stay in the section")
	style := flag.String("style", "", "careful or foreign (default: by format)")
	die := flag.Float64("die", 0, "probability per turn of killing itself in the section")
	flag.Parse()
	if *lock == "" || *section == "" || flag.NArg() > 0 {
		return errors.New("-lock and -section are needed, and no arguments")
	}
	if *format != formatGenlock && *format != formatTTSC {
		return fmt.Errorf("unknown format %q", *format)
	}
	if *style == "" {
		*style = "careful"
		if *format == formatTTSC {
			*style = "foreign"
		}
	}
	if *style != "careful" && *style != "foreign" {
		return fmt.Errorf("unknown style %q", *style)
	}
	p, err := newPeer(*lock, *format, *style == "careful")
	if err != nil {
		return err
	}
	var sum summary
	for range *turns {
		begin := time.Now()
		t, err := p.acquire()
		if err != nil {
			return fmt.Errorf("acquire: %w", err)
		}
		sum.LongestWait = max(sum.LongestWait, time.Since(begin).Milliseconds())
		if err := stay(*section, *hold, rand.Float64() < *die); err != nil {
			return err
		}
		if err := p.release(t); err != nil {
			return fmt.Errorf("release of %s: %w", t.generation, err)
		}
		sum.Turns++
	}
	sum.Reclaimed = p.reclaimed
	return json.NewEncoder(os.Stdout).Encode(sum)
}

// stay is the critical section. The exclusive creation is the proof that
// nobody else is in it.
func stay(section string, hold time.Duration, die bool) error {
	f, err := os.OpenFile(section, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("overlap: %w", err)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(f, os.Getpid())
	if err := f.Close(); err != nil {
		return err
	}
	time.Sleep(hold)
	if err := os.Remove(section); err != nil {
		// Somebody else took our file away: also two in one section.
		return fmt.Errorf("overlap: %w", err)
	}
	if die {
		// The file is gone already, so that whoever reclaims finds a clean
		// section, and the lock is still held.
		unix.Kill(os.Getpid(), unix.SIGKILL)
		select {}
	}
	return nil
}
