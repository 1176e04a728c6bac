package genlock_test

import (
	"encoding/json"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// imports are what the Go blocks of a page may use, by the name they use it by.
var imports = map[string]string{
	"context": "context", "errors": "errors", "exec": "os/exec", "filepath": "path/filepath", "fmt": "fmt", "os": "os",
	"slog": "log/slog", "time": "time", "genlock": modulePath, "protocol": modulePath + "/protocol",
}

// TestDocsEmbedding compiles the Go blocks of docs/embedding.md, each as a file of a
// package that only the go command sees.
func TestDocsEmbedding(t *testing.T) {
	blocks := fenced(read(t, "docs/embedding.md"), "go")
	if len(blocks) < 5 {
		t.Fatalf("only %d blocks", len(blocks))
	}
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	overlay := map[string]map[string]string{"Replace": {}}
	for i, block := range blocks {
		if src, err := format.Source([]byte(block)); err != nil || string(src) != block {
			t.Errorf("a block is not formatted (%v):\n%s", err, block)
		}
		name := fmt.Sprintf("block%d.go", i)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(asFile(block)), 0o666); err != nil {
			t.Fatal(err)
		}
		overlay["Replace"][filepath.Join(root, "internal", "embedding", name)] = filepath.Join(dir, name)
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, text, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "build", "-overlay", list, "./internal/embedding").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// asFile puts the imports that a block needs before it.
func asFile(block string) string {
	var b strings.Builder
	b.WriteString("package embedding\n")
	for name, path := range imports {
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(block) {
			fmt.Fprintf(&b, "import %q\n", path)
		}
	}
	b.WriteString(block)
	return b.String()
}
