package cases

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A copy of the test program acts as a process of a scenario when its first
// argument is role:NAME; its second one holds the role's parameters.
const rolePrefix = "role:"

type role interface{ run() error }

var roles = map[string]func() role{
	"enter":    func() role { return new(enter) },
	"hold":     func() role { return new(hold) },
	"wait":     func() role { return new(wait) },
	"look":     func() role { return new(look) },
	"linger":   func() role { return new(linger) },
	"reuse":    func() role { return new(reuse) },
	"turns":    func() role { return new(turns) },
	"burn":     func() role { return new(burn) },
	"build":    func() role { return new(build) },
	"old":      func() role { return new(old) },
	"late":     func() role { return new(late) },
	"oldTurns": func() role { return new(oldTurns) },
	"runTurns": func() role { return new(runTurns) },
}

// programs is a directory that every user can reach, with this very program and
// the command genlock in it.
var programs string

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && strings.HasPrefix(os.Args[1], rolePrefix) {
		os.Exit(play(os.Args[1][len(rolePrefix):], os.Args[2]))
	}
	var err error
	if programs, err = os.MkdirTemp("", "genlock-cases-"); err == nil {
		err = os.Chmod(programs, 0o755)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(programs)
	os.Exit(code)
}

func play(name, parameters string) int {
	r := roles[name]()
	err := json.Unmarshal([]byte(parameters), r)
	if err == nil {
		err = r.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// self is the command line of this program in a role.
func self(name string, r any) []string {
	parameters, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	exe, err := testProgram()
	if err != nil {
		panic(err)
	}
	return []string{exe, rolePrefix + name, string(parameters)}
}

// testProgram is this program where every user may execute it.
var testProgram = sync.OnceValues(func() (string, error) {
	exe, err := os.Executable()
	if err != nil || programs == "" {
		return exe, err
	}
	data, err := os.ReadFile(exe)
	if err != nil {
		return "", err
	}
	exe = filepath.Join(programs, "cases")
	return exe, os.WriteFile(exe, data, 0o755)
})

// genlockProgram is the command genlock, built once.
var genlockProgram = sync.OnceValues(func() (string, error) {
	exe := filepath.Join(programs, "genlock")
	out, err := exec.Command("go", "build", "-o", exe, "genlock.dev/genlock/cmd/genlock").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building genlock: %w\n%s", err, out)
	}
	return exe, nil
})
