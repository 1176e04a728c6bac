package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"genlock.dev/genlock"
	"genlock.dev/genlock/protocol"
)

// Cache keeps what a command makes of files, by the command and their content.
// Several goroutines may use it, and several processes the same directory.
type Cache struct {
	Dir     string
	Command []string
}

// Get returns where the result for a file lies, and whether this call built it. What
// lies there is whole, and stays.
func (c *Cache) Get(ctx context.Context, file string) (how genlock.How, path string, err error) {
	// Read once: the key has to be that of what the command is given, also when
	// somebody edits the file meanwhile.
	content, err := os.ReadFile(file)
	if err != nil {
		return genlock.Unknown, "", err
	}
	key := c.key(content)
	// Two hex digits keep directories small. Locks lie apart from the results, so
	// that whoever lists the cache sees results only.
	path = filepath.Join(c.Dir, "results", key[:2], key)
	locks := filepath.Join(c.Dir, "locks")
	if err := os.MkdirAll(locks, 0o777); err != nil {
		return genlock.Unknown, "", err
	}
	// The label is what those who wait read about this builder.
	lock := genlock.New(genlock.Path(locks, key), &genlock.Options{About: protocol.About{Label: "buildcache " + file}})
	res, err := lock.Do(ctx, genlock.Artifact{Path: path}, func(ctx context.Context, w *genlock.Work) error {
		return c.build(ctx, w, content)
	})
	return res.How, path, err
}

// build makes the result at w.Out, which nobody else sees until it is whole. ctx ends
// when the lock is lost, and the command with it.
func (c *Cache) build(ctx context.Context, w *genlock.Work, content []byte) error {
	out, err := os.Create(w.Out)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.CommandContext(ctx, c.Command[0], c.Command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(content), out, os.Stderr
	// Through the lease, so that the command keeps the lock if we are killed: nobody
	// builds beside it.
	if err := w.Run(cmd); err != nil {
		return err
	}
	return out.Close() // a full disk may show only here
}

// key is the same exactly for the same command on the same content. The lengths keep
// the words "ab", "c" and "a", "bc" apart.
func (c *Cache) key(content []byte) string {
	h := sha256.New()
	for _, word := range c.Command {
		fmt.Fprintf(h, "%d:%s", len(word), word)
	}
	fmt.Fprintf(h, "=%s", content)
	return hex.EncodeToString(h.Sum(nil))
}
