package genlock_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const modulePath = "genlock.dev/genlock"

// policy says which packages of this module, and which others, each package may
// import. It is a statement of policy: an import that breaks it is wrong until
// the table was changed on purpose. Arrows point down only, and what is not
// listed is forbidden.
//
// The standard library is free for all, except for what SYSTEM stands for: os
// and what lies below it, syscall, unsafe, net, and golang.org/x/sys. ERRNO allows
// the error numbers of syscall and nothing else of it. Whoever lacks SYSTEM can
// reach files and processes only through internal/env, which is why tests can
// put the protocol on a model file system.
//
// A name with a question mark is that of a package to come: its line holds as soon
// as it exists.
//
// Files for all systems count. Tests may import what they like of this module and
// of their package's line, and testscript; see checkTestImports.
const policy = `
	# Pure: every byte and every name.
	internal/exact:
	protocol: uuid internal/exact

	# What lies outside, and the facts taken from it.
	internal/vfs: SYSTEM
	internal/exitcode: SYSTEM
	internal/evidence: protocol internal/vfs SYSTEM internal/mutant
	internal/env: protocol internal/vfs internal/evidence
	internal/seal:
	internal/mutant:

	# Looking. None of these, and nothing they import, writes (rule 4).
	internal/tree: protocol internal/vfs internal/evidence internal/env
	internal/judge: internal/evidence internal/tree

	# Writing: one room for each thing that may be done to a root.
	internal/discard: protocol internal/vfs internal/tree
	internal/last: protocol internal/vfs internal/tree
	internal/prepare: protocol internal/vfs internal/evidence internal/tree internal/discard
	internal/guard: protocol internal/vfs internal/tree
	internal/tomb: protocol internal/vfs internal/evidence internal/tree internal/judge internal/discard internal/guard ERRNO internal/mutant
	internal/artifact: protocol internal/vfs SYSTEM internal/mutant

	# What people may read later. No decision reads it.
	internal/eventlog: protocol internal/vfs SYSTEM

	# Waking up. It decides nothing.
	internal/watch?: internal/vfs SYSTEM

	# What strangers may use.
	fence: protocol internal/vfs internal/seal internal/tree internal/prepare internal/discard internal/mutant
	retire: protocol fence internal/vfs internal/seal internal/tree internal/judge internal/guard internal/tomb internal/last internal/mutant
	observer: protocol fence internal/vfs internal/env internal/seal internal/tree internal/judge
	generation: protocol fence internal/vfs internal/seal internal/tree internal/discard internal/prepare internal/guard internal/tomb internal/last internal/mutant
	legacy: protocol internal/exact fence retire internal/vfs internal/env internal/evidence internal/seal internal/tree internal/judge internal/discard internal/tomb internal/mutant ERRNO
	genlock: protocol fence retire observer generation legacy internal/vfs internal/env internal/seal internal/watch internal/artifact internal/eventlog internal/exitcode SYSTEM internal/mutant

	# The command has no knowledge of the protocol's bytes of its own.
	internal/operate: genlock protocol fence retire observer generation legacy internal/vfs internal/env internal/evidence internal/seal internal/tree internal/judge internal/tomb internal/last internal/eventlog internal/mutant SYSTEM
	cmd/genlock: genlock protocol fence retire observer legacy internal/operate internal/eventlog internal/exitcode cobra SYSTEM

	# What the README points to.
	examples/buildcache: genlock protocol SYSTEM
`

// testPolicy is the same for packages that only tests may import. The peer is an
// independent implementation of the protocol, so it shares no code with ours.
const testPolicy = `
	internal/vfs/memfs: internal/vfs SYSTEM
	internal/vfs/faultfs: internal/vfs SYSTEM
	internal/vfs/vfstest: internal/vfs ERRNO
	internal/peer: SYSTEM
	internal/oldprograms: internal/vfs SYSTEM
	internal/lab:
	internal/lab/coverage: SYSTEM
	internal/explore: genlock protocol fence retire observer generation legacy internal/oldprograms internal/operate internal/vfs internal/vfs/memfs internal/env internal/evidence internal/tree internal/artifact internal/mutant SYSTEM
	internal/handoff: genlock protocol internal/env internal/vfs/faultfs SYSTEM
	internal/cases:
	internal/cases/switchoff: SYSTEM
	internal/chaos: genlock protocol fence retire observer internal/operate internal/oldprograms internal/vfs internal/env internal/mutant SYSTEM
`

// publicPackages are those of which no exported signature may mention an
// internal type.
var publicPackages = []string{"genlock", "protocol", "fence", "retire", "observer", "generation", "legacy"}

// foreign maps import paths of other modules, and of the system, to the names
// that the tables use.
func foreign(imp string) string {
	for prefix, name := range map[string]string{
		"os": "SYSTEM", "syscall": "SYSTEM", "unsafe": "SYSTEM", "net": "SYSTEM", "golang.org/x/sys": "SYSTEM",
		"github.com/google/uuid":                     "uuid",
		"github.com/spf13/cobra":                     "cobra",
		"github.com/spf13/pflag":                     "cobra",
		"github.com/rogpeppe/go-internal/testscript": "testscript",
	} {
		if imp == prefix || strings.HasPrefix(imp, prefix+"/") {
			return name
		}
	}
	if first, _, _ := strings.Cut(imp, "/"); strings.Contains(first, ".") {
		return imp // a module nobody has spoken of
	}
	return "" // the rest of the standard library
}

// tabled is the name by which the tables know an import; "" for what is free.
func tabled(imp string) string {
	if imp == modulePath {
		return "genlock"
	}
	if rest, ok := strings.CutPrefix(imp, modulePath+"/"); ok {
		return rest
	}
	return foreign(imp)
}

var errno = regexp.MustCompile(`^(E[A-Z0-9]+|Errno)$`)

type source struct {
	file    string
	imports []string
	// onlyErrno: it uses syscall for nothing but error numbers.
	onlyErrno bool
}

// room is one directory of Go files.
type room struct{ code, tests []source }

func TestDeps(t *testing.T) {
	rooms := readRooms(t)
	allowed, later := parsePolicy(t, policy)
	onlyTests, laterTests := parsePolicy(t, testPolicy)
	exists := func(name string) bool {
		switch name {
		case "SYSTEM", "ERRNO", "uuid", "cobra":
			return true
		}
		return rooms[name] != nil || later[name] || laterTests[name]
	}
	for name := range allowed {
		if onlyTests[name] != nil {
			t.Errorf("%s is in both tables", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rooms)) {
		may, ok := allowed[name]
		if !ok {
			may, ok = onlyTests[name]
		}
		if !ok {
			t.Errorf("package %s is in no table; say what it may import", name)
			continue
		}
		for _, s := range rooms[name].code {
			checkImports(t, s, may, onlyTests, onlyTests[name] != nil)
		}
		for _, s := range rooms[name].tests {
			checkTestImports(t, s, may)
		}
	}
	for _, table := range []map[string][]string{allowed, onlyTests} {
		for name, may := range table {
			for _, imp := range append(may, name) {
				if !exists(imp) {
					t.Errorf("the line of %s names %s, which does not exist", name, imp)
				}
			}
		}
	}
}

func checkImports(t *testing.T, s source, may []string, onlyTests map[string][]string, isTest bool) {
	t.Helper()
	for _, imp := range s.imports {
		name := tabled(imp)
		switch {
		case name == "":
		case onlyTests[name] != nil && !isTest:
			t.Errorf("%s imports %s, which is for tests", s.file, imp)
		case imp == "syscall" && s.onlyErrno && slices.Contains(may, "ERRNO"):
		case onlyTests[name] == nil && !slices.Contains(may, name):
			t.Errorf("%s must not import %s", s.file, imp)
		}
	}
}

// checkTestImports keeps other modules out of tests, except testscript, which is
// for nothing else, and what the package itself may use.
func checkTestImports(t *testing.T, s source, may []string) {
	t.Helper()
	for _, imp := range s.imports {
		name := foreign(imp)
		if strings.HasPrefix(imp, modulePath) || slices.Contains([]string{"", "SYSTEM", "testscript"}, name) {
			continue
		}
		if !slices.Contains(may, name) {
			t.Errorf("%s must not import %s", s.file, imp)
		}
	}
}

// TestPolicyItself checks what the tables must never say, however they change.
func TestPolicyItself(t *testing.T) {
	allowed, _ := parsePolicy(t, policy)
	for name, may := range allowed {
		if slices.Contains(may, "cobra") != (name == "cmd/genlock") {
			t.Errorf("cobra is for cmd/genlock alone, not for %s", name)
		}
		if slices.Contains(may, "testscript") {
			t.Errorf("testscript is for tests, not for %s", name)
		}
	}
	if slices.Contains(allowed["protocol"], "SYSTEM") {
		t.Error("protocol is pure and must not reach the system")
	}
	writers := []string{"internal/discard", "internal/last", "internal/prepare", "internal/guard", "internal/tomb", "internal/artifact"}
	for _, reader := range []string{"internal/tree", "internal/judge"} {
		for _, imp := range reach(allowed, reader) {
			if slices.Contains(writers, imp) {
				t.Errorf("%s looks, and must not reach %s, which writes", reader, imp)
			}
		}
	}
	for _, imp := range allowed["observer"] {
		if slices.Contains(writers, imp) || imp == "retire" || imp == "generation" {
			t.Errorf("observer looks, and must not import %s, which writes", imp)
		}
	}
	onlyTests, _ := parsePolicy(t, testPolicy)
	for _, imp := range onlyTests["internal/peer"] {
		if imp != "SYSTEM" {
			t.Errorf("the peer is independent and must not import %s", imp)
		}
	}
}

// reach is everything that name may import, directly or through others.
func reach(table map[string][]string, name string) []string {
	seen := map[string]bool{}
	var visit func(string)
	visit = func(n string) {
		for _, imp := range table[n] {
			if !seen[imp] {
				seen[imp] = true
				visit(imp)
			}
		}
	}
	visit(name)
	return slices.Sorted(maps.Keys(seen))
}

// parsePolicy reads a table. later are the packages that may not exist yet.
func parsePolicy(t *testing.T, text string) (table map[string][]string, later map[string]bool) {
	t.Helper()
	table, later = make(map[string][]string), make(map[string]bool)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, imports, ok := strings.Cut(line, ":")
		name, toCome := strings.CutSuffix(name, "?")
		if toCome {
			later[name] = true
		}
		if !ok || table[name] != nil {
			t.Fatalf("bad or repeated line in the table: %s", line)
		}
		table[name] = append([]string{}, strings.Fields(imports)...)
	}
	return table, later
}

// readRooms reads the imports of all Go files of the module, whatever
// system they are for.
func readRooms(t *testing.T) map[string]*room {
	t.Helper()
	rooms := make(map[string]*room)
	goFiles(t, func(file string) {
		s, err := readSource(file)
		if err != nil {
			t.Fatal(err)
		}
		name := path.Clean(filepath.ToSlash(filepath.Dir(file)))
		if name == "." {
			name = "genlock"
		}
		if rooms[name] == nil {
			rooms[name] = new(room)
		}
		if strings.HasSuffix(file, "_test.go") {
			rooms[name].tests = append(rooms[name].tests, s)
		} else {
			rooms[name].code = append(rooms[name].code, s)
		}
	})
	return rooms
}

// skipDir leaves out what the go command leaves out, nested modules included.
func skipDir(dir string, d fs.DirEntry) error {
	if dir == "." {
		return nil
	}
	name := d.Name()
	if name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return fs.SkipDir
	}
	if _, err := os.Lstat(filepath.Join(dir, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

func readSource(file string) (source, error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return source{}, err
	}
	s := source{file: file, onlyErrno: true}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			x, ok := sel.X.(*ast.Ident)
			s.onlyErrno = s.onlyErrno && !(ok && x.Name == "syscall" && !errno.MatchString(sel.Sel.Name))
		}
		return true
	})
	for _, spec := range f.Imports {
		imp, err := importPath(spec)
		if err != nil {
			return s, err
		}
		s.imports = append(s.imports, imp)
	}
	return s, nil
}

func importPath(spec *ast.ImportSpec) (string, error) { return strconv.Unquote(spec.Path.Value) }
