package evidence

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// sentences reads the constants of sentences.go: name and text.
func sentences(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "sentences.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, decl := range file.Decls {
		g, ok := decl.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			found[v.Names[0].Name] = text
		}
	}
	if len(found) < 40 {
		t.Fatalf("only %d sentences found", len(found))
	}
	return found
}

func TestSentencesAreSentences(t *testing.T) {
	for name, text := range sentences(t) {
		first := rune(text[0])
		if unicode.IsUpper(first) || strings.HasSuffix(text, ".") || strings.Contains(text, "\n") || strings.Contains(text, "  ") {
			t.Errorf("%s: lower case, no full stop, one line: %q", name, text)
		}
		if len(text) > 160 {
			t.Errorf("%s is too long: %q", name, text)
		}
	}
}

// TestSentencesStandInOneFile: no other file of these packages says anything to
// people, and nothing in that file is unused.
func TestSentencesStandInOneFile(t *testing.T) {
	words := regexp.MustCompile(`[a-z]+,? [a-z]+`)
	used := map[string]bool{}
	for _, dir := range []string{".", "../judge"} {
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatal(dir, err)
		}
		for _, path := range paths {
			if path == "sentences.go" || strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BasicLit:
					if n.Kind == token.STRING && words.MatchString(n.Value) && n.Value != `"old record"` {
						t.Errorf("%s says %s", path, n.Value)
					}
				case *ast.Ident:
					used[n.Name] = true
				}
				return true
			})
		}
	}
	for name := range sentences(t) {
		if !used[name] {
			t.Errorf("%s is never said", name)
		}
	}
}

func TestSayCleansStrangersText(t *testing.T) {
	for _, c := range []struct {
		arg  any
		want string
	}{
		{"vm", "vm"},
		{"a\x1b[31m\nb", `a\x1b[31m\nb`},
		{`say "x"`, `say "x"`},
		{strings.Repeat("ä", 80), strings.Repeat("ä", 50) + "…"},
		{&fs.PathError{Op: "open", Path: "/secret", Err: os.ErrPermission}, "permission denied"},
		{errors.New("odd\x00"), `odd\x00`},
		{7, "7"},
	} {
		if got := say("%v", c.arg); got != c.want {
			t.Errorf("%q: %q, want %q", c.arg, got, c.want)
		}
	}
}

func TestNamesOfValues(t *testing.T) {
	for got, want := range map[string]string{
		Gone.String(): "gone", Answer(-1).String(): "unknown", Answer(99).String(): "unknown",
		OldRecord.String(): "old record", Rung(99).String(): "unknown",
		Absent.String(): "absent", State(99).String(): "unknown",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
