package main

import (
	"bytes"
	"crypto/sha256"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReproducible builds the command twice, in two directories, and compares. With
// GENLOCK_LONG everything is compiled anew the second time, the standard library
// included.
func TestReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("builds twice")
	}
	here, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "of", "another", "length")
	if err := copySources(here, elsewhere); err != nil {
		t.Fatal(err)
	}
	cache := ""
	if os.Getenv("GENLOCK_LONG") != "" {
		cache = "GOCACHE=" + t.TempDir()
	}
	first, second := buildIn(t, here, ""), buildIn(t, elsewhere, cache)
	if sha256.Sum256(first) != sha256.Sum256(second) {
		t.Error("two builds with -trimpath differ")
	}
	for _, dir := range []string{here, elsewhere} {
		if bytes.Contains(second, []byte(dir)) || bytes.Contains(first, []byte(dir)) {
			t.Errorf("the command contains the path %s", dir)
		}
	}
}

// buildIn builds without the stamp of git, which names the commit and not the sources.
func buildIn(t *testing.T, dir, cache string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "genlock")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", out, "./cmd/genlock")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if cache != "" {
		cmd.Env = append(cmd.Env, cache)
	}
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// copySources copies what a build reads.
func copySources(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, name), 0o777)
		}
		switch filepath.Ext(name) {
		case ".go", ".mod", ".sum", ".txt":
		default:
			return nil
		}
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), data, 0o666)
	})
}
