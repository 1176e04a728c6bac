package genlock

import (
	"context"
	"testing"
	"time"
)

// WaitForLine waits until n goroutines, its holder among them, are in the line for
// the lock at path.
func WaitForLine(t *testing.T, path string, n int) {
	t.Helper()
	at, err := placeOf(context.Background(), New(path, nil))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		lines.Lock()
		l := lines.at[at]
		length := 0
		if l != nil {
			length = len(l.waiting)
		}
		lines.Unlock()
		if length == n {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d are in the line, want %d", length, n)
		}
	}
}
