package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestHelpGolden: every help text is what its golden file says. Set
// UPDATE_GOLDEN=1 to accept the present ones.
func TestHelpGolden(t *testing.T) {
	for name, args := range map[string][]string{
		"genlock": {"help"}, "run": {"help", "run"}, "status": {"help", "status"},
		"break": {"help", "break"}, "version": {"help", "version"},
		"list": {"help", "list"}, "doctor": {"help", "doctor"}, "prune": {"help", "prune"}, "history": {"help", "history"},
		"man": {"help", "man"}, "completion": {"help", "completion"},
		"migrate": {"help", "migrate"}, "migrate_status": {"help", "migrate", "status"}, "migrate_collect": {"help", "migrate", "collect"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			root := newRoot()
			root.SetOut(&out)
			root.SetArgs(args)
			if err := root.Execute(); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", "help", name+".golden")
			if os.Getenv("UPDATE_GOLDEN") != "" {
				if err := os.MkdirAll(filepath.Dir(golden), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, out.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(out.Bytes(), want) {
				t.Errorf("help differs from %s (UPDATE_GOLDEN=1 accepts it):\n%s", golden, out.Bytes())
			}
		})
	}
}
