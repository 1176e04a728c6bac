package evidence

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const page = "../../docs/evidence.md"

func readPage(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestDocumentedTestsExist: the trust table names only tests that are here, and
// each group of cases of TestTrustTable.
func TestDocumentedTestsExist(t *testing.T) {
	text, exists := readPage(t), testNames(t)
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("`(Test[A-Z][A-Za-z]*)(?:/([^`]+))?`").FindAllStringSubmatch(text, -1) {
		test, group := m[1], m[2]
		if !exists[test] {
			t.Errorf("there is no %s", test)
		}
		if group != "" && group != "…" {
			named[group] = true
			if !exists["group "+group] {
				t.Errorf("%s has no group %q", test, group)
			}
		}
	}
	for name := range exists {
		if group, ok := strings.CutPrefix(name, "group "); ok && !named[group] {
			t.Errorf("the table does not mention %q", group)
		}
	}
	for line := range strings.Lines(text) {
		if cells := strings.Count(line, "|"); strings.Contains(line, "`Test") && strings.HasPrefix(line, "|") && cells != 6 {
			t.Errorf("%d columns: %s", cells-1, line)
		}
	}
}

// testNames collects the test functions of the package, and the keys of the maps
// of situations as "group …".
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				names[d.Name.Name] = true
			case *ast.GenDecl:
				for _, group := range situationGroups(d) {
					names["group "+group] = true
				}
			}
		}
	}
	return names
}

func situationGroups(d *ast.GenDecl) (groups []string) {
	for _, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok || len(v.Values) == 0 || !strings.HasPrefix(v.Names[0].Name, "situations") {
			continue
		}
		for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
			key := e.(*ast.KeyValueExpr).Key.(*ast.BasicLit).Value
			groups = append(groups, strings.Trim(key, `"`))
		}
	}
	return groups
}

// TestDocumentedSentences: the page lists exactly the sentences there are.
func TestDocumentedSentences(t *testing.T) {
	_, list, ok := strings.Cut(readPage(t), "\n## The sentences\n")
	if !ok {
		t.Fatal("no list of sentences")
	}
	said := map[string]bool{}
	for _, text := range sentences(t) {
		said[text] = true
		if !strings.Contains(list, "\n* `"+text+"`\n") {
			t.Errorf("missing: %s", text)
		}
	}
	for line := range strings.Lines(list) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "* `")
		if ok && !said[strings.TrimSuffix(text, "`")] {
			t.Errorf("nobody says: %s", text)
		}
	}
}
