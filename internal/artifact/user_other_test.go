//go:build !linux

package artifact

import (
	"os"
	"testing"
)

func asUser(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	f()
}
