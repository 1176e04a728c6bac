package legacy_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// oldProgram is a real old program at a fixed version. It is installed when a test
// runs, and never kept in the repository.
type oldProgram struct {
	dialect, pkg, version string
	// module is what to require, below the installed package.
	module string
	// export is appended to the installed copy, for functions that the
	// package keeps to itself.
	export string
	// whole: it needs what it depends on.
	whole bool
}

const ttscModule = "lib/plugin/internal/buildSourcePlugin.js"

var oldPrograms = []oldProgram{
	{dialect: "mkdir", pkg: "ttsc", version: "0.18.4", module: ttscModule,
		export: "\nexports.buildUnderPluginLock = buildUnderPluginLock;\n"},
	{dialect: "v2", pkg: "ttsc", version: "0.30.4", module: ttscModule},
	{dialect: "heartbeat", pkg: "proper-lockfile", version: "4.1.2", module: "index.js", whole: true},
}

// install returns the path of the module, or skips the test and says why. Installed
// packages are kept in the user's cache, or where GENLOCK_OLD_PROGRAMS says.
func (o oldProgram) install(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("real old programs are left out of a short run")
	}
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the real %s cannot run: %v", o.pkg, err)
		}
	}
	cache := os.Getenv("GENLOCK_OLD_PROGRAMS")
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			user = os.TempDir()
		}
		cache = filepath.Join(user, "genlock-old-programs")
	}
	place := filepath.Join(cache, o.pkg+"-"+o.version)
	if _, err := os.Stat(place); err != nil {
		if err := o.fetch(cache, place); err != nil {
			t.Skipf("the real %s@%s cannot be installed: %v", o.pkg, o.version, err)
		}
	}
	if o.whole {
		return filepath.Join(place, "node_modules", o.pkg, o.module)
	}
	return o.exported(t, filepath.Join(place, "package"))
}

// fetch installs beside the place and renames, so that a half installed package is
// never used.
func (o oldProgram) fetch(cache, place string) error {
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(cache, "installing-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	spec := o.pkg + "@" + o.version
	if o.whole {
		err = npm(temp, "install", "--prefix", temp, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", spec)
	} else if err = npm(temp, "pack", spec); err == nil {
		err = unpack(filepath.Join(temp, o.pkg+"-"+o.version+".tgz"), temp)
	}
	if err != nil {
		return err
	}
	if err := os.Rename(temp, place); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

func npm(dir string, args ...string) error {
	cmd := exec.Command("npm", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

func unpack(file, to string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg || !filepath.IsLocal(h.Name) {
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		path := filepath.Join(to, h.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			return err
		}
	}
}

// exported makes a temporary copy in which the lock's functions are exported.
func (o oldProgram) exported(t *testing.T, pkg string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "package")
	if err := os.CopyFS(to, os.DirFS(pkg)); err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(to, o.module)
	data, err := os.ReadFile(module)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(module, append(data, o.export...), 0o666); err != nil {
		t.Fatal(err)
	}
	return module
}
