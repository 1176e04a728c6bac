package explore

import (
	"os"
	"runtime/debug"
	"testing"
)

func TestMain(m *testing.M) {
	// A run leaves little alive and much garbage.
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}
