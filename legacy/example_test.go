package legacy_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"genlock.dev/genlock/legacy"
)

// An old lock stands in the way as long as its holder cannot be proven gone; here that
// is a process on another machine.
func Example() {
	dir, err := os.MkdirTemp("", "genlock")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	lock := filepath.Join(dir, "k.lock")
	if err := os.Mkdir(lock, 0o777); err != nil {
		log.Fatal(err)
	}
	record := `{"hostname":"elsewhere","pid":12,"startedAt":"2026-01-02T03:04:05Z"}`
	if err := os.WriteFile(filepath.Join(lock, "owner.json"), []byte(record), 0o666); err != nil {
		log.Fatal(err)
	}

	dialects, err := legacy.Parse("mkdir,v2")
	if err != nil {
		log.Fatal(err)
	}
	sight, err := dialects.Look(context.Background(), legacy.Place{Lock: lock})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sight.Dialect, sight.Verdict, sight.Spent())
	// Output: mkdir undecidable false
}
