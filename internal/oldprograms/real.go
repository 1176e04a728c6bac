package oldprograms

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Real is a real old program at a fixed version. It is installed when a test
// runs, and never kept in the repository.
type Real struct {
	Dialect, Package, Version string
	// module is what to require, below the installed package.
	module string
	// export is appended to a copy of it, for functions that the package
	// keeps to itself.
	export string
	// whole: it needs what it depends on.
	whole bool
}

const ttscModule = "lib/plugin/internal/buildSourcePlugin.js"

// Reals are those that can be had. Of the dialect token there is none.
var Reals = []Real{
	{Dialect: "mkdir", Package: "ttsc", Version: "0.18.4", module: ttscModule,
		export: "\nexports.buildUnderPluginLock = buildUnderPluginLock;\n"},
	{Dialect: "v2", Package: "ttsc", Version: "0.30.4", module: ttscModule},
	{Dialect: "heartbeat", Package: "proper-lockfile", Version: "4.1.2", module: "index.js", whole: true},
}

func (r Real) String() string { return r.Package + " " + r.Version }

//go:embed js
var scripts embed.FS

// Installed is a real old program that can be started.
type Installed struct{ dialect, module, scripts string }

// Install gets the program ready. What has to be written for a test goes to the
// directory scratch; installed packages are kept in the user's cache, or where
// GENLOCK_OLD_PROGRAMS says. An error is a reason to skip.
func (r Real) Install(scratch string) (*Installed, error) {
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, fmt.Errorf("the real %s cannot run: %w", r.Package, err)
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
	place := filepath.Join(cache, r.Package+"-"+r.Version)
	if err := r.fetched(cache, place); err != nil {
		return nil, fmt.Errorf("the real %s@%s cannot be installed: %w", r.Package, r.Version, err)
	}
	p := &Installed{dialect: r.Dialect, scripts: filepath.Join(scratch, "js")}
	var err error
	if r.whole {
		p.module = filepath.Join(place, "node_modules", r.Package, r.module)
	} else if p.module, err = r.exported(filepath.Join(place, "package"), scratch); err != nil {
		return nil, err
	}
	return p, os.CopyFS(scratch, scripts)
}

// Holder takes the lock once, says "held", and holds it until it is killed.
func (p *Installed) Holder(lock string) *exec.Cmd { return p.node("holder.js", lock) }

// Worker takes turns at the lock. It writes to turns.Log and ends with one line of
// JSON; see Turns.
func (p *Installed) Worker(lock string, turns Turns) *exec.Cmd {
	return p.node("worker.js", lock, turns.Log, fmt.Sprint(turns.Turns), fmt.Sprint(turns.Most.Milliseconds()),
		fmt.Sprint(turns.All))
}

func (p *Installed) node(script string, args ...string) *exec.Cmd {
	return exec.Command("node", append([]string{filepath.Join(p.scripts, script), p.dialect, p.module}, args...)...)
}

// failed remembers what could not be fetched: without a network trying takes its time.
var failed struct {
	sync.Mutex
	why map[string]error
}

func (r Real) fetched(cache, place string) error {
	failed.Lock()
	defer failed.Unlock()
	_, err := os.Stat(place)
	if err == nil || failed.why[place] != nil {
		return failed.why[place]
	}
	if err = r.fetch(cache, place); err != nil {
		if failed.why == nil {
			failed.why = make(map[string]error)
		}
		failed.why[place] = err
	}
	return err
}

// fetch installs beside the place and renames, so that a half installed package is
// never used.
func (r Real) fetch(cache, place string) error {
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(cache, "installing-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	spec := r.Package + "@" + r.Version
	if r.whole {
		err = npm(temp, "install", "--prefix", temp, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", spec)
	} else if err = npm(temp, "pack", spec); err == nil {
		err = unpack(filepath.Join(temp, r.Package+"-"+r.Version+".tgz"), temp)
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
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", append(args, "--fetch-retries=0", "--fetch-timeout=20000")...)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// exported makes a copy in which the lock's functions are exported.
func (r Real) exported(pkg, scratch string) (module string, err error) {
	to := filepath.Join(scratch, "package")
	if err := os.CopyFS(to, os.DirFS(pkg)); err != nil {
		return "", err
	}
	module = filepath.Join(to, r.module)
	f, err := os.OpenFile(module, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(r.export)
	return module, errors.Join(err, f.Close())
}
