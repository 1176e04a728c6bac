package genlock_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestDocsErrors: every exported error of the public packages has a row in
// docs/errors.md, and a test that names it or what it is an alias of.
func TestDocsErrors(t *testing.T) {
	errs := exportedErrors(t)
	if len(errs) < 30 {
		t.Fatalf("found only %d errors: %v", len(errs), errs)
	}
	rows, named := firstCells(t), errorsInTests(t)
	for _, name := range slices.Sorted(maps.Keys(errs)) {
		if !rows[name] {
			t.Errorf("docs/errors.md has no row for %s", name)
		}
		if !named[bare(name)] && !named[bare(errs[name])] && !aliasNamed(errs, named, name) {
			t.Errorf("no test names %s", name)
		}
		delete(rows, name)
	}
	for name := range rows {
		if strings.Contains(name, ".") {
			t.Errorf("docs/errors.md has a row for %s, which does not exist", name)
		}
	}
}

// aliasNamed: a test of the face provokes what a package below has declared.
func aliasNamed(errs map[string]string, named map[string]bool, name string) bool {
	for alias, of := range errs {
		if of == name && named[bare(alias)] {
			return true
		}
	}
	return false
}

func bare(name string) string { return strings.TrimPrefix(name, "*") }

// exportedErrors is every error variable, and every type with a method Error, by
// the name that callers write. The value is what it is an alias of, or "".
func exportedErrors(t *testing.T) map[string]string {
	t.Helper()
	errs := make(map[string]string)
	for _, pkg := range publicPackages {
		dir := pkg
		if pkg == "genlock" {
			dir = "."
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				errorsOf(parsed(t, file), pkg, errs)
			}
		}
	}
	return errs
}

func errorsOf(f *ast.File, pkg string, errs map[string]string) {
	add := func(star, name, of string) {
		if ast.IsExported(name) {
			errs[star+pkg+"."+name] = of
		}
	}
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil && d.Name.Name == "Error" {
				add("*", receiver(d.Recv.List[0].Type), "")
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.ValueSpec:
					for i, name := range s.Names {
						if d.Tok == token.VAR && strings.HasPrefix(name.Name, "Err") {
							add("", name.Name, selected(valueAt(s, i)))
						}
					}
				case *ast.TypeSpec:
					if of := selected(s.Type); s.Assign.IsValid() && strings.HasSuffix(of, "Error") {
						add("*", s.Name.Name, "*"+of)
					}
				}
			}
		}
	}
}

func valueAt(s *ast.ValueSpec, i int) ast.Expr {
	if i < len(s.Values) {
		return s.Values[i]
	}
	return nil
}

func receiver(x ast.Expr) string {
	if star, ok := x.(*ast.StarExpr); ok {
		x = star.X
	}
	if id, ok := x.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// selected is "pkg.Name" for such an expression, else "".
func selected(x ast.Expr) string {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if pkg, ok := sel.X.(*ast.Ident); ok {
		return pkg.Name + "." + sel.Sel.Name
	}
	return ""
}

// errorsInTests is what the tests of the module name, as "pkg.Name". Tests inside a
// package name its errors without the package. This page's own test does not count.
func errorsInTests(t *testing.T) map[string]bool {
	t.Helper()
	named := make(map[string]bool)
	goFiles(t, func(file string) {
		if !strings.HasSuffix(file, "_test.go") || file == "docs_errors_test.go" {
			return
		}
		f := parsed(t, file)
		ast.Inspect(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.SelectorExpr:
				named[selected(x)] = true
			case *ast.Ident:
				named[f.Name.Name+"."+x.Name] = true
			}
			return true
		})
	})
	return named
}

func parsed(t *testing.T, file string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var firstCell = regexp.MustCompile(`(?m)^\| ([^|]+) \|`)

// firstCells is every name in the first column of a table of docs/errors.md.
func firstCells(t *testing.T) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	for _, m := range firstCell.FindAllStringSubmatch(read(t, "docs/errors.md"), -1) {
		for _, name := range quoted.FindAllStringSubmatch(m[1], -1) {
			names[name[1]] = true
		}
	}
	return names
}

var statusRow = regexp.MustCompile("(?m)^\\| (\\d+) \\| `(\\w+)` \\|")

// provoked is an exit status that a scenario demands of a real process.
var provoked = regexp.MustCompile(`(?m)^(?:exits|finish \S+) (\d+)\b`)

// TestDocsExitStatuses: the table of docs/errors.md and the constants of the command
// are the same, and a scenario ends with each of them.
func TestDocsExitStatuses(t *testing.T) {
	rows := make(map[string]string)
	for _, m := range statusRow.FindAllStringSubmatch(read(t, "docs/errors.md"), -1) {
		rows[m[2]] = m[1]
	}
	statuses := exitConstants(t)
	if !maps.Equal(rows, statuses) {
		t.Errorf("docs/errors.md has\n%v\nand the command\n%v", rows, statuses)
	}
	ends := make(map[int]bool)
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range scripts {
		for _, m := range provoked.FindAllStringSubmatch(read(t, script), -1) {
			n, _ := strconv.Atoi(m[1])
			ends[n] = true
			ends[128] = ends[128] || n > 128
		}
	}
	for name, status := range statuses {
		if n, _ := strconv.Atoi(status); !ends[n] {
			t.Errorf("no scenario ends with %s (%s)", status, name)
		}
	}
}

// exitConstants are the constants of cmd/genlock that begin with "exit".
func exitConstants(t *testing.T) map[string]string {
	t.Helper()
	all := make(map[string]string)
	files, err := filepath.Glob("cmd/genlock/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		if _, err := os.Stat(file); err != nil {
			continue // somebody removed it meanwhile
		}
		for _, decl := range parsed(t, file).Decls {
			d, ok := decl.(*ast.GenDecl)
			if !ok || d.Tok != token.CONST {
				continue
			}
			for _, spec := range d.Specs {
				s := spec.(*ast.ValueSpec)
				for i, name := range s.Names {
					if lit, ok := valueAt(s, i).(*ast.BasicLit); ok && strings.HasPrefix(name.Name, "exit") {
						all[name.Name] = lit.Value
					}
				}
			}
		}
	}
	return all
}
