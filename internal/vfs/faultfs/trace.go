package faultfs

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"
)

// Trace collects what happened, for golden tests: one line for each operation,
// and after " = " the reason when it failed. Its zero value is ready. It may be
// shared by several FS.
type Trace struct {
	mu    sync.Mutex
	lines []string
}

// After is a hook: Hooks{After: trace.After}.
func (t *Trace) After(op Op, err error) {
	line := op.String()
	if err != nil {
		line += " = " + reason(err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
}

// String is the trace so far, each line with its end.
func (t *Trace) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	for _, line := range t.lines {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// Reset forgets the trace.
func (t *Trace) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = nil
}

// reason is the error without the paths, which the line has already.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err.Error()
	}
	return err.Error()
}
