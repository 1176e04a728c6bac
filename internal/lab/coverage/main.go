// Command coverage prints the statement coverage of each package in a profile that
// the go command wrote with -coverpkg, where a statement that any test binary
// reached counts. It fails if a package has less than 90 %.
package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

const least = 90

// misled is what the known mistakes are called that are built in for the tests that
// must notice them, and for nothing else.
const misled = "/misled.go:"

// block is a piece of a file, as the profile names it.
type block struct {
	statements int
	reached    bool
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "coverage:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: coverage PROFILE")
	}
	f, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	blocks, err := read(f)
	if err != nil {
		return err
	}
	return report(blocks, out)
}

// read merges the lines of a profile: each test binary has its own for each block.
func read(in io.Reader) (map[string]block, error) {
	blocks := map[string]block{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var statements, count int
		place, numbers, _ := strings.Cut(lines.Text(), " ")
		if place == "mode:" || strings.Contains(place, misled) {
			continue
		}
		if _, err := fmt.Sscan(numbers, &statements, &count); err != nil {
			return nil, fmt.Errorf("not a line of a profile: %s", lines.Text())
		}
		blocks[place] = block{statements, blocks[place].reached || count > 0}
	}
	return blocks, lines.Err()
}

func report(blocks map[string]block, out io.Writer) error {
	total, reached := map[string]int{}, map[string]int{}
	for place, b := range blocks {
		file, _, _ := strings.Cut(place, ":")
		pkg := path.Dir(file)
		total[pkg] += b.statements
		if b.reached {
			reached[pkg] += b.statements
		}
	}
	var low []string
	for _, pkg := range slices.Sorted(maps.Keys(total)) {
		percent := 100 * float64(reached[pkg]) / float64(max(1, total[pkg]))
		fmt.Fprintf(out, "%5.1f%%  %s\n", percent, pkg)
		if percent < least {
			low = append(low, pkg)
		}
	}
	if len(low) > 0 {
		return fmt.Errorf("less than %d%%: %s", least, strings.Join(low, ", "))
	}
	return nil
}
