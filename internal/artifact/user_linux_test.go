package artifact

import (
	"os"
	"runtime"
	"syscall"
	"testing"
)

// asUser runs f without the privileges of root. Only the file system sees
// another user, and only on this thread, which ends with the goroutine.
func asUser(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if err := syscall.Setfsuid(65534); err != nil {
			t.Error(err)
			return
		}
		f()
	}()
	<-done
}
