package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// bashCompletion is what the script for bash builds on.
const bashCompletion = "/usr/share/bash-completion/bash_completion"

// TestCompletionBash types and presses TAB in a bash.
func TestCompletionBash(t *testing.T) {
	needShell(t, "bash")
	if _, err := os.Stat(bashCompletion); err != nil {
		t.Skip("no bash-completion: ", err)
	}
	s := newLeader(t, "bash", "--norc", "--noprofile", "-i")
	s.expect(`ready> `)
	s.send(". " + bashCompletion + "; . <(genlock completion bash); echo lo''aded\n")
	completes(s)
}

// TestCompletionZsh does the same in a zsh.
func TestCompletionZsh(t *testing.T) {
	needShell(t, "zsh")
	s := newLeader(t, "zsh", "-f", "-i")
	s.expect(`ready> `)
	s.send("autoload -U compinit; compinit -u -D; . <(genlock completion zsh); echo lo''aded\n")
	completes(s)
}

func completes(s *session) {
	s.t.Helper()
	s.expect(`loaded\r\n`)
	s.expect(`ready> `)
	s.send("genlock run --arti\t")
	s.expect(`--artifact`)
	s.send("\x15genlock complet\t") // after ctrl-U
	s.expect(`genlock complet\x07?ion`)
	s.send("z\t")
	s.expect(`zsh`)
}

// TestCompletionFish asks a fish what it would offer.
func TestCompletionFish(t *testing.T) {
	needShell(t, "fish")
	for line, want := range map[string]string{"genlock run --arti": "--artifact", "genlock completion z": "zsh", "genlock stat": "status"} {
		cmd := exec.Command("fish", "--no-config", "-c", "genlock completion fish | source; complete -C '"+line+"'")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), want) {
			t.Errorf("%s: %q, %v", line, out, err)
		}
	}
}

func needShell(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("no %s: %v", name, err)
	}
}
