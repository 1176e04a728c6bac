package genlock_test

import (
	"go/ast"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocsExamples: every exported function and method of the root package has an
// example, except those that errors and numbers have for their text.
func TestDocsExamples(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	known, n := testNames(t), 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, decl := range parsed(t, file).Decls {
			want := exampleFor(decl)
			if want == "" {
				continue
			}
			n++
			if !known[want] {
				t.Errorf("%s: there is no %s", file, want)
			}
		}
	}
	if n < 20 {
		t.Errorf("found only %d functions", n)
	}
}

// exampleFor is the name of the example of a function, "" if it needs none.
func exampleFor(decl ast.Decl) string {
	f, ok := decl.(*ast.FuncDecl)
	if !ok || !f.Name.IsExported() {
		return ""
	}
	if f.Recv == nil {
		return "Example" + f.Name.Name
	}
	switch of := receiver(f.Recv.List[0].Type); {
	case !ast.IsExported(of):
	case f.Name.Name == "Error", f.Name.Name == "Unwrap", f.Name.Name == "Is", f.Name.Name == "String":
	default:
		return "Example" + of + "_" + f.Name.Name
	}
	return ""
}
