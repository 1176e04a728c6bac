package genlock_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/fence"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// tomorrow is the real world, tomorrow.
type tomorrow struct{ env.Clock }

func (t tomorrow) Now() time.Time { return t.Clock.Now().Add(24 * time.Hour) }

// leftovers collects once and tells what is still there that should not be. The
// collector runs a day later, because a directory whose maker died before it
// had a witness goes by age alone.
func leftovers(lock *genlock.Lock) error {
	genlock.CloseIdle()
	e := *env.From(context.Background())
	e.Clock = tomorrow{e.Clock}
	ctx := env.With(context.Background(), &e)
	root, err := fence.Open(ctx, lock.Path(), protocol.Genlock)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := retire.Collect(ctx, root, 0); err != nil {
		return err
	}
	var left []string
	filepath.WalkDir(lock.Path()+protocol.RootSuffix, func(path string, d os.DirEntry, err error) error {
		switch filepath.Base(path) {
		case protocol.MarkerName, protocol.RetiredName, protocol.LastName, protocol.QueueName, filepath.Base(lock.Path()) + protocol.RootSuffix:
		default:
			left = append(left, path)
		}
		return nil
	})
	if len(left) > 0 {
		return errors.New(strconv.Itoa(len(left)) + " left over: " + strings.Join(left, " "))
	}
	return nil
}
