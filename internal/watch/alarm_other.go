//go:build !linux

package watch

import "time"

func alarm(next func() time.Duration, ring func() (again bool)) (stop func()) {
	return timerAlarm(next, ring)
}
