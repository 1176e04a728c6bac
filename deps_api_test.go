package genlock_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDepsSignatures: no exported signature of a public package mentions a type
// that a stranger cannot name.
func TestDepsSignatures(t *testing.T) {
	imp := exportImporter(t)
	for _, name := range existing(t, publicPackages) {
		pkg, err := imp.Import(packagePath(name))
		if err != nil {
			t.Fatal(err)
		}
		c := &apiCheck{t: t, pkg: pkg, seen: make(map[types.Type]bool)}
		for _, name := range pkg.Scope().Names() {
			if obj := pkg.Scope().Lookup(name); obj.Exported() {
				c.object(obj)
			}
		}
	}
}

// existing leaves out packages that are still to come.
func existing(t *testing.T, names []string) []string {
	t.Helper()
	rooms := readRooms(t)
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return rooms[name] == nil })
}

func packagePath(name string) string {
	if name == "genlock" {
		return modulePath
	}
	return modulePath + "/" + name
}

// exportImporter reads packages as the compiler left them, so that the check sees
// inferred types as well.
func exportImporter(t *testing.T) types.Importer {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Export"}
	for _, name := range existing(t, publicPackages) {
		args = append(args, packagePath(name))
	}
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var p struct{ ImportPath, Export string }
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		files[p.ImportPath] = p.Export
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(files[path])
	})
}

type apiCheck struct {
	t    *testing.T
	pkg  *types.Package
	seen map[types.Type]bool
}

func (c *apiCheck) object(obj types.Object) {
	where := c.pkg.Name() + "." + obj.Name()
	name, ok := obj.(*types.TypeName)
	if !ok {
		c.typ(where, obj.Type())
		return
	}
	if name.IsAlias() {
		c.typ(where, obj.Type())
		return
	}
	c.named(where, obj.Type().(*types.Named))
}

// named checks what a stranger can use of a type: its methods, promoted ones
// included, its exported fields, its type parameters.
func (c *apiCheck) named(where string, n *types.Named) {
	if c.seen[n] {
		return
	}
	c.seen[n] = true
	methods := types.NewMethodSet(types.NewPointer(n))
	for i := range methods.Len() {
		if m := methods.At(i).Obj(); m.Exported() {
			c.typ(where+"."+m.Name(), m.Type())
		}
	}
	params := n.TypeParams()
	for i := range params.Len() {
		c.typ(where, params.At(i).Constraint())
	}
	c.typ(where, n.Underlying())
}

// typ reports the internal types that t mentions.
func (c *apiCheck) typ(where string, t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		c.name(where, t.Obj())
		c.typ(where, types.Unalias(t))
	case *types.Named:
		c.name(where, t.Obj())
		for i := range t.TypeArgs().Len() {
			c.typ(where, t.TypeArgs().At(i))
		}
		if t.Obj().Pkg() == c.pkg && !t.Obj().Exported() {
			c.named(where, t) // reachable although it has no exported name
		}
	case *types.Signature:
		c.tuple(where, t.Params())
		c.tuple(where, t.Results())
		for i := range t.TypeParams().Len() {
			c.typ(where, t.TypeParams().At(i).Constraint())
		}
	case *types.Struct:
		c.fields(where, t)
	case *types.Interface:
		for i := range t.NumMethods() {
			c.typ(where+"."+t.Method(i).Name(), t.Method(i).Type())
		}
	case *types.Map:
		c.typ(where, t.Key())
		c.typ(where, t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		c.typ(where, t.Elem())
	}
}

func (c *apiCheck) fields(where string, s *types.Struct) {
	for i := range s.NumFields() {
		f := s.Field(i)
		if f.Exported() {
			c.typ(where+"."+f.Name(), f.Type())
		}
		// What an unexported embedded struct exports is promoted.
		if inner, ok := f.Type().Underlying().(*types.Struct); ok && f.Embedded() && !f.Exported() {
			c.fields(where, inner)
		}
	}
}

func (c *apiCheck) tuple(where string, vars *types.Tuple) {
	for i := range vars.Len() {
		c.typ(where, vars.At(i).Type())
	}
}

func (c *apiCheck) name(where string, obj *types.TypeName) {
	if obj.Pkg() != nil && strings.HasPrefix(obj.Pkg().Path(), modulePath+"/internal/") {
		c.t.Errorf("%s mentions the internal type %s.%s", where, filepath.Base(obj.Pkg().Path()), obj.Name())
	}
}
