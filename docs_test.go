package genlock_test

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// laterMark marks an invariant that no test can show yet. It is the exception.
const laterMark = "(laboratory, later)"

// invariant is one numbered promise of docs/protocol.md.
type invariant struct {
	number int
	tests  []string // as they are named there
	later  bool
}

var (
	invariantStart = regexp.MustCompile(`^\*\*I(\d+)\.\*\* `)
	quoted         = regexp.MustCompile("`([^`]+)`")
	fuzzyTestName  = regexp.MustCompile(`^(Test|Fuzz|Benchmark|Example)[A-Za-z0-9_]*$`)
	link           = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	docName        = regexp.MustCompile(`\bdocs/[a-z]+\.md\b`)
)

// TestDocsInvariants: each invariant of the contract is numbered in order and
// names tests that exist.
func TestDocsInvariants(t *testing.T) {
	known := testNames(t)
	all := readInvariants(t, "docs/protocol.md")
	if len(all) == 0 {
		t.Fatal("docs/protocol.md has no invariants")
	}
	for i, inv := range all {
		if inv.number != i+1 {
			t.Errorf("invariant I%d comes as number %d", inv.number, i+1)
		}
		if len(inv.tests) == 0 && !inv.later {
			t.Errorf("invariant I%d names no test", inv.number)
		}
		for _, name := range inv.tests {
			if err := testExists(known, name); err != nil {
				t.Errorf("invariant I%d: %v", inv.number, err)
			}
		}
	}
}

func testExists(known map[string]bool, name string) error {
	if filepath.Ext(name) == ".txtar" {
		_, err := os.Stat(name)
		return err
	}
	if !fuzzyTestName.MatchString(name) {
		return fmt.Errorf("%s is neither a test nor a script", name)
	}
	if !known[name] {
		return fmt.Errorf("there is no test %s", name)
	}
	return nil
}

// readInvariants reads paragraphs that begin with a number in bold. Their last
// line, or lines, begin with "Tests:".
func readInvariants(t *testing.T, file string) (all []invariant) {
	t.Helper()
	for _, paragraph := range strings.Split(read(t, file), "\n\n") {
		m := invariantStart.FindStringSubmatch(paragraph)
		if m == nil {
			continue
		}
		var inv invariant
		fmt.Sscan(m[1], &inv.number)
		_, tests, ok := strings.Cut(paragraph, "\nTests:")
		if !ok {
			t.Errorf("invariant I%d has no line of tests", inv.number)
		}
		for _, name := range quoted.FindAllStringSubmatch(tests, -1) {
			inv.tests = append(inv.tests, name[1])
		}
		inv.later = strings.Contains(tests, laterMark)
		all = append(all, inv)
	}
	return all
}

// testNames is every top-level test function of the module, for any system.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	known := make(map[string]bool)
	goFiles(t, func(file string) {
		if !strings.HasSuffix(file, "_test.go") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fuzzyTestName.MatchString(fn.Name.Name) {
				known[fn.Name.Name] = true
			}
		}
	})
	return known
}

// TestDocsReadmeExample: the library example of the README is the one that is
// compiled and run here.
func TestDocsReadmeExample(t *testing.T) {
	want := functionSource(t, "example_test.go", "buildTool")
	blocks := fenced(read(t, "README.md"), "go")
	if !slices.Contains(blocks, want) {
		t.Errorf("README.md has no go block that reads\n%s", want)
	}
	for _, block := range blocks {
		if src, err := format.Source([]byte(block)); err != nil || string(src) != block {
			t.Errorf("a go block of README.md is not formatted (%v):\n%s", err, block)
		}
	}
}

// TestDocsReadmeCommands: the first sh block is one that .ci/run executes, and
// the second one is how the tests are run.
func TestDocsReadmeCommands(t *testing.T) {
	blocks := fenced(read(t, "README.md"), "sh")
	if len(blocks) < 2 || !strings.Contains(blocks[0], "go run ./cmd/genlock run ") || blocks[1] != "go test ./...\n" {
		t.Errorf("README.md has to begin with the command that runs genlock, then the one that tests it: %q", blocks)
	}
}

// TestDocsLinks: what the pages and the comments refer to exists.
func TestDocsLinks(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, "README.md", "CONTRIBUTING.md", "CHANGELOG.md")
	for _, page := range pages {
		for _, m := range link.FindAllStringSubmatch(read(t, page), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			}
		}
	}
	goFiles(t, func(file string) {
		for _, doc := range docName.FindAllString(read(t, file), -1) {
			if _, err := os.Stat(doc); err != nil {
				t.Errorf("%s refers to %s: %v", file, doc, err)
			}
		}
	})
}

// fenced returns the code blocks of a page that are marked with lang.
func fenced(page, lang string) (blocks []string) {
	for {
		_, rest, ok := strings.Cut(page, "```"+lang+"\n")
		if !ok {
			return blocks
		}
		block, rest, _ := strings.Cut(rest, "```")
		blocks = append(blocks, block)
		page = rest
	}
}

// functionSource is the source of a function, without its comment.
func functionSource(t *testing.T, file, name string) string {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, read(t, file), parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	data := read(t, file)
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == name {
			return data[fset.Position(fn.Pos()).Offset:fset.Position(fn.End()).Offset] + "\n"
		}
	}
	t.Fatalf("%s has no function %s", file, name)
	return ""
}

func goFiles(t *testing.T, visit func(file string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return skipDir(file, d)
		case filepath.Ext(file) == ".go":
			visit(file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}
