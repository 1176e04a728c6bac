//go:build unix

package main

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// contestant is a lock, and the command that takes turns with it.
type contestant struct {
	name    string
	command func(path string, d, pause time.Duration) *exec.Cmd
}

const (
	ttsc           = "ttsc@0.30.4"
	properLockfile = "proper-lockfile@4.1.2"
)

//go:embed worker.js
var nodeWorker []byte

// contestants are all that can run here; genlock is the first.
func contestants(dir, npm string) ([]contestant, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ours := func(name, kind string) contestant {
		return contestant{name, func(path string, d, pause time.Duration) *exec.Cmd {
			return exec.Command(exe, "-worker", kind, "-time", d.String(), "-pause", pause.String(), path)
		}}
	}
	all := []contestant{ours("genlock", "genlock"), ours("gofrs", "gofrs")}
	modules, err := install(npm)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench: the npm packages are left out:", err)
		return all, nil
	}
	script := filepath.Join(dir, "worker.js")
	if err := os.WriteFile(script, nodeWorker, 0o666); err != nil {
		return nil, err
	}
	node := func(name, kind, module, poll string) contestant {
		return contestant{name, func(path string, d, pause time.Duration) *exec.Cmd {
			return exec.Command("node", script, kind, module, path, fmt.Sprint(d.Milliseconds()),
				fmt.Sprint(float64(pause)/float64(time.Millisecond)), poll)
		}}
	}
	// The first as ttsc polls, the second as eagerly as it could.
	return append(all, node("ttsc", "ttsc", modules[0], "50"), node("ttsc-polling-1ms", "ttsc", modules[0], "1"),
		node("proper-lockfile", "proper-lockfile", modules[1], "1")), nil
}

// install returns the modules of ttsc and proper-lockfile.
func install(dir string) (modules [2]string, err error) {
	if _, err := exec.LookPath("node"); err != nil {
		return modules, err
	}
	modules = [2]string{filepath.Join(dir, "package/lib/plugin/internal/buildSourcePlugin.js"),
		filepath.Join(dir, "node_modules/proper-lockfile/index.js")}
	if _, err := os.Stat(modules[0]); err == nil {
		if _, err := os.Stat(modules[1]); err == nil {
			return modules, nil
		}
	}
	// What ttsc depends on is large, and its lock needs none of it.
	for _, args := range [][]string{
		{"npm", "pack", "--silent", ttsc},
		{"tar", "-xzf", "ttsc-0.30.4.tgz"},
		{"npm", "install", "--prefix", dir, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", properLockfile},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return modules, fmt.Errorf("%v: %w\n%s", args, err, out)
		}
	}
	return modules, nil
}
