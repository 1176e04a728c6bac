package main

import (
	"os"
	"strings"
	"testing"
)

// TestManGolden renders a help text with everything that the format knows, and what
// roff would misunderstand. UPDATE_GOLDEN=1 accepts the present page.
func TestManGolden(t *testing.T) {
	const help = `Do it - or don't.
.dot at the beginning, \backslash, 'quote', ` + "`tick`" + `.

A second paragraph.

Usage:
  genlock do [flags] L

Flags:
  -x, --extra   more
      --back    a \n

After the flags.

Exit status:
  0 done

    .indented
`
	got := manPage("genlock-do", "do it - now", help)
	const golden = "testdata/man/sample.golden"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.MkdirAll("testdata/man", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the page differs from %s (UPDATE_GOLDEN=1 accepts it):\n%s", golden, got)
	}
}

// TestManLosesNothing: every line of every help text stands in its page, in order.
func TestManLosesNothing(t *testing.T) {
	root := newRoot()
	pages := manPages(root)
	if len(pages) < 10 {
		t.Fatalf("%d pages", len(pages))
	}
	for name, page := range pages {
		rest := page
		for line := range strings.Lines(helpOf(t, name)) {
			line = strings.TrimRight(line, "\n")
			want := roff(line)
			if isHeading(line) {
				want = ".SH " + heading(line)
			}
			_, after, ok := strings.Cut(rest, want+"\n")
			if line != "" && !ok {
				t.Errorf("%s lacks, or has too early: %s", name, line)
			} else if line != "" {
				rest = after
			}
		}
	}
}

// helpOf is what the command prints of which this is the page.
func helpOf(t *testing.T, page string) string {
	t.Helper()
	var out strings.Builder
	root := newRoot()
	root.SetOut(&out)
	name := strings.TrimSuffix(page, ".1")
	root.SetArgs(append([]string{"help"}, strings.Split(name, "-")[1:]...))
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
