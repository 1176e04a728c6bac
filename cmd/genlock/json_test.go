package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"genlock.dev/genlock/internal/eventlog"
	"genlock.dev/genlock/internal/operate"
	"genlock.dev/genlock/legacy"
	"genlock.dev/genlock/observer"
	"genlock.dev/genlock/protocol"
)

// jsonField is one row of a table of docs/json.md.
type jsonField struct {
	types  []string // number, string, boolean, list, null, or the name of an object
	always bool
}

// jsonTables is the page: the fields of each object.
type jsonTables map[string]map[string]jsonField

var jsonLink = regexp.MustCompile(`\[([a-z]+)\]\(#[a-z]+\)`)

func readJSONTables(t *testing.T) jsonTables {
	t.Helper()
	data, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	tables := make(jsonTables)
	for _, section := range strings.Split(string(data), "\n## ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		tables[name] = make(map[string]jsonField)
		for line := range strings.Lines(text) {
			cells := strings.Split(strings.ReplaceAll(line, `\|`, ""), "|")
			if len(cells) < 5 || !strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
				continue
			}
			field := strings.Trim(strings.TrimSpace(cells[1]), "`")
			types := jsonLink.ReplaceAllString(strings.TrimSpace(cells[2]), "$1")
			tables[name][field] = jsonField{strings.Split(types, " or "), strings.TrimSpace(cells[3]) == "yes"}
		}
	}
	return tables
}

// check compares one object with its table.
func (tables jsonTables) check(t *testing.T, name string, object map[string]any) {
	t.Helper()
	table := tables[name]
	if table == nil {
		t.Fatalf("the page has no %s", name)
	}
	for field, value := range object {
		f, ok := table[field]
		if !ok {
			t.Errorf("%s has the field %s, which is not on the page", name, field)
			continue
		}
		tables.checkValue(t, name+"."+field, f, value)
	}
	for field, f := range table {
		if _, ok := object[field]; f.always && !ok {
			t.Errorf("%s has no %s: %v", name, field, object)
		}
	}
}

func (tables jsonTables) checkValue(t *testing.T, where string, f jsonField, value any) {
	t.Helper()
	is := "null"
	switch value.(type) {
	case string:
		is = "string"
	case float64:
		is = "number"
	case bool:
		is = "boolean"
	case []any:
		is = "list"
	case map[string]any:
		is = "object"
	}
	for _, want := range f.types {
		if want == is {
			return
		}
		if object, ok := value.(map[string]any); ok && tables[want] != nil {
			tables.check(t, want, object)
			return
		}
	}
	t.Errorf("%s is a %s, and the page says %v", where, is, f.types)
}

// jsonSteps are command lines, and the object that each of their lines is; "" for
// none.
var jsonSteps = []struct{ object, line string }{
	{"", `mkdir -p cache/old.lock cache/gone.lock.v3.candidate-0192f0c1d2e37abc8def0123456789ab
		echo '{"hostname":"ci-3","pid":4711}' >cache/old.lock/owner.json
		touch -d '2 hours ago' cache/gone.lock.v3.candidate-0192f0c1d2e37abc8def0123456789ab`},
	{"event", `genlock run --json --log log --artifact cache/out cache/a.lock -- sh -c 'echo x >"$GENLOCK_OUT"'`},
	{"event", `genlock run --json --log log --artifact cache/out cache/a.lock -- false`},
	{"event", `genlock run --json --log log cache/a.lock -- sh -c 'exit 3'`},
	{"event", `genlock run --log log --label outer cache/b.lock -- genlock run --json --log log -w 0.05 cache/b.lock -- true`},
	{"event", `genlock run --log log --label outer cache/b.lock -- \
		env -u GENLOCK_HELD genlock run --json --log log -w 0.05 cache/b.lock -- true`},
	{"lock", `genlock run cache/b.lock -- genlock status --json cache/b.lock`},
	{"lock", `genlock status --json cache/a.lock`},
	{"lock", `genlock status --json cache/never.lock`},
	{"lock", `genlock run cache/b.lock -- genlock list --json cache`},
	{"finding", `genlock doctor --json cache`},
	{"removal", `genlock prune --json --dry-run cache`},
	{"removal", `genlock prune --json --roots cache`},
	{"episode", `genlock history --json --log log cache`},
	{"entry", `cat log`},
}

// TestJSONDocument: what the verbs print is what docs/json.md says.
func TestJSONDocument(t *testing.T) {
	tables, dir := readJSONTables(t), t.TempDir()
	for _, step := range jsonSteps {
		cmd := exec.Command("sh", "-c", step.line)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GENLOCK_LOG=")
		out, err := cmd.CombinedOutput()
		if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if step.object == "" {
			continue
		}
		if n := tables.checkAll(t, step.object, out); n == 0 {
			t.Errorf("%s prints nothing", step.line)
		}
	}
}

// checkAll checks one object after the other, and counts them.
func (tables jsonTables) checkAll(t *testing.T, name string, out []byte) (n int) {
	t.Helper()
	for dec := json.NewDecoder(bytes.NewReader(out)); ; n++ {
		var object map[string]any
		if err := dec.Decode(&object); err == io.EOF {
			return n
		} else if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		is := name
		if object["removed"] == "total" {
			is = "total"
		}
		tables.check(t, is, object)
		if object["schema"] != 1.0 {
			t.Errorf("schema of a %s is %v", is, object["schema"])
		}
	}
}

// TestJSONFields: every field that can be printed is on the page, and no other.
func TestJSONFields(t *testing.T) {
	tables := readJSONTables(t)
	for name, value := range map[string]any{"lock": observer.Observation{}, "holder": observer.Holder{}, "last": protocol.Last{},
		"old": observer.OldLock{}, "key": operate.Migrating{}, "sight": legacy.Sight{}, "rest": operate.Litter{}, "finding": operate.Finding{}, "removal": operate.Removal{}, "total": pruneTotal{},
		"event": jsonEvent{}, "entry": eventlog.Entry{}, "process": eventlog.Who{}} {
		has := make(map[string]bool)
		typ := reflect.TypeOf(value)
		for i := range typ.NumField() {
			field, options, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if field == "-" || !typ.Field(i).IsExported() {
				continue
			}
			has[field] = true
			f, ok := tables[name][field]
			if !ok {
				t.Errorf("%s.%s is not on the page", name, field)
			} else if f.always == (options == "omitempty") {
				t.Errorf("%s.%s: whether it is always there is wrong on the page", name, field)
			}
		}
		for field := range tables[name] {
			if !has[field] {
				t.Errorf("%s.%s is on the page and nowhere else", name, field)
			}
		}
	}
}
