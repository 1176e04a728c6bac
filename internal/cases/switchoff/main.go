// Command switchoff takes the rungs of the ladder of docs/evidence.md out, one after
// the other, and each condition of theirs, and shows which tests notice. It fails
// if none does. Nothing is written to the work tree: the go command is given the
// changed file in an overlay.
//
//	go run ./internal/cases/switchoff          all of them
//	go run ./internal/cases/switchoff witness  those whose name matches
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	filter := ""
	if len(os.Args) > 1 {
		filter = os.Args[1]
	}
	unnoticed, err := run(filter)
	if err != nil {
		fmt.Fprintln(os.Stderr, "switchoff:", err)
		os.Exit(2)
	}
	if unnoticed > 0 {
		fmt.Fprintf(os.Stderr, "switchoff: %d were not noticed by any test\n", unnoticed)
		os.Exit(1)
	}
}

func run(filter string) (unnoticed int, err error) {
	wanted, err := regexp.Compile(filter)
	if err != nil {
		return 0, err
	}
	root, err := moduleRoot()
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "genlock-switchoff-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	for _, s := range switches {
		if !wanted.MatchString(s.name) {
			continue
		}
		failed, err := s.try(root, dir)
		if err != nil {
			return unnoticed, fmt.Errorf("%s: %w", s.name, err)
		}
		if len(failed) == 0 {
			unnoticed++
		}
		fmt.Printf("%-52s %s\n", s.name, list(failed))
	}
	return unnoticed, nil
}

func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	mod := strings.TrimSpace(string(out))
	if !filepath.IsAbs(mod) || filepath.Base(mod) != "go.mod" {
		return "", errors.New("not in a module")
	}
	return filepath.Dir(mod), nil
}

// try runs the tests without what s switches off and returns those that failed.
func (s *switchOff) try(root, dir string) (failed []string, err error) {
	file := filepath.Join(root, s.file)
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if n := strings.Count(string(data), s.code); n != 1 {
		return nil, fmt.Errorf("%s has %q %d times; the code has changed, so change this table", s.file, s.code, n)
	}
	changed := filepath.Join(dir, "changed.go")
	if err := os.WriteFile(changed, []byte(strings.Replace(string(data), s.code, s.instead, 1)), 0o600); err != nil {
		return nil, err
	}
	overlay := filepath.Join(dir, "overlay.json")
	data, err = json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err == nil {
		err = os.WriteFile(overlay, data, 0o600)
	}
	if err != nil {
		return nil, err
	}
	args := append([]string{"test", "-short", "-vet=off", "-overlay", overlay}, s.tests()...)
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	failed = failures(string(out))
	if err != nil && len(failed) == 0 {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	return failed, nil
}

var failLine = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// failures are the tests that failed, without those that only contain others.
func failures(out string) (leaves []string) {
	var all []string
	for _, m := range failLine.FindAllStringSubmatch(out, -1) {
		all = append(all, m[1])
	}
	for _, name := range all {
		if !slices.ContainsFunc(all, func(other string) bool { return strings.HasPrefix(other, name+"/") }) {
			leaves = append(leaves, name)
		}
	}
	return leaves
}

// list names a few of them.
func list(failed []string) string {
	const most = 3
	switch n := len(failed); {
	case n == 0:
		return "NO TEST FAILS"
	case n > most:
		return fmt.Sprintf("%s and %d more", strings.Join(failed[:most], ", "), n-most)
	}
	return strings.Join(failed, ", ")
}
