package explore

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestDiskFollows compares what the explorer believes to be on the disk with what is.
func TestDiskFollows(t *testing.T) {
	for _, sc := range scenarios {
		know := newKnowledge(sc)
		for i := range 6 {
			w := newWorld(sc, know)
			w.everything = true
			w.stroll(rand.New(rand.NewPCG(uint64(i), 2)))
			w.end()
			if is, believed := dumped(t, w.fs.Dump()), believed(w.disk.root); !maps.Equal(is, believed) {
				t.Errorf("%s, run %d: on the disk is\n%s\nbelieved is\n%s", sc.Name, i, lines(is), lines(believed))
			}
			if content := hashOf(w.disk); content != w.disk.content {
				t.Errorf("%s, run %d: the hash of the contents is wrong", sc.Name, i)
			}
		}
		know.coros.close()
	}
}

// dumped reads what memfs says: paths, and what is in files.
func dumped(t *testing.T, dump string) map[string]string {
	files := map[string]string{}
	for line := range strings.Lines(dump) {
		path, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		data := ""
		if i := strings.Index(rest, `"`); i >= 0 {
			quoted, err := strconv.QuotedPrefix(rest[i:])
			if err != nil {
				t.Fatal(line, err)
			}
			data, _ = strconv.Unquote(quoted)
		}
		files[strings.TrimSuffix(path, "/")] = data
	}
	return files
}

func believed(n *node) map[string]string {
	files := map[string]string{n.path(): string(n.data)}
	for _, child := range n.names {
		maps.Copy(files, believed(child))
	}
	return files
}

// hashOf adds up from nothing what the disk keeps as it goes.
func hashOf(d *disk) (h uint64) {
	for _, n := range d.nodes {
		if !n.gone && n.id > 10_000 {
			h += n.contentHash()
		}
		if n.parent != nil {
			h += entryHash(n.parent, n.name, n)
		}
	}
	return h
}

func lines(files map[string]string) string {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "%s %q\n", path, files[path])
	}
	return b.String()
}
