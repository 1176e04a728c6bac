//go:build unix

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"genlock.dev/genlock"
)

// do builds or adopts, and reads what is there then.
func (w *worker) do(ctx context.Context, t turn) {
	since, k := now(), t.key
	gen, built := "", int64(0)
	res, err := w.locks[k.Name].Do(ctx, genlock.Artifact{Path: k.Artifact, Replace: t.verb == "rebuild"}, func(ctx context.Context, work *genlock.Work) error {
		gen = string(work.Generation())
		w.say(event{What: enter, Since: since, Key: k.Name, Gen: gen})
		out := w.goInside(k, gen)
		err := os.WriteFile(work.Out, content(gen, t.size, w.random.Uint64()), 0o666)
		pause(ctx, t.hold)
		out()
		w.say(event{What: publishing, Key: k.Name, Gen: gen})
		w.say(event{What: leave, Key: k.Name, Gen: gen})
		built = now()
		return err
	})
	switch {
	case errors.Is(err, genlock.ErrLost):
		w.say(event{What: lost, Since: since, Key: k.Name, Gen: gen, Text: err.Error()})
	case err != nil:
		w.failed(t, since, err)
	case res.How == genlock.Built:
		w.say(event{What: published, Since: built, Key: k.Name, Gen: gen})
	default:
		w.read(k, since)
	}
}

// read looks at an artifact that was adopted.
func (w *worker) read(k *key, since int64) {
	data, err := os.ReadFile(k.Artifact)
	e := event{Since: since, Key: k.Name}
	switch {
	case errors.Is(err, os.ErrNotExist):
		e.What = missing
	case err != nil:
		e.What, e.Text = odd, err.Error()
	default:
		e.What = adopted
		if e.Gen, err = parseContent(data); err != nil {
			e.What, e.Text = torn, err.Error()
		}
	}
	w.say(e)
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// content is an artifact that shows whether it is whole, and who made it.
func content(gen string, size int, seed uint64) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %d\n", gen, size)
	for i := range size {
		b.WriteByte(byte(seed >> (i % 8 * 8) * uint64(i)))
	}
	sum := sha256.Sum256(b.Bytes())
	return append(b.Bytes(), hex.EncodeToString(sum[:])...)
}

func parseContent(data []byte) (gen string, err error) {
	body := data[:max(0, len(data)-2*sha256.Size)]
	sum := sha256.Sum256(body)
	gen, _, ok := strings.Cut(string(body), " ")
	if !ok || hex.EncodeToString(sum[:]) != string(data[len(body):]) {
		return "", fmt.Errorf("%d bytes that are no whole artifact", len(data))
	}
	return gen, nil
}

// command runs a process under the lease, which keeps the generation also when this
// one is killed. It keeps the section as well.
func (w *worker) command(lease *genlock.Lease, t turn) {
	since := now()
	cmd, err := summon(task{Plan: w.Plan, Role: "command", Who: w.Who + "c", Key: w.index(t.key), Gen: string(lease.Generation()), Hold: t.hold * 4})
	if err == nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, w.sections[t.key.Name])
		err = lease.Run(cmd)
	}
	var exit *exec.ExitError
	switch {
	case errors.Is(err, genlock.ErrLost):
		w.say(event{What: lost, Since: since, Key: t.key.Name, Gen: string(lease.Generation()), Text: err.Error()})
	case err != nil && !errors.As(err, &exit):
		w.failed(t, since, err)
	}
}

func (w *worker) index(k *key) int {
	for i, other := range w.Plan.Keys {
		if other == k {
			return i
		}
	}
	return -1
}

// obey is the command.
func (t task) obey() error {
	h, err := openHistory(t.Plan.history())
	if err != nil {
		return err
	}
	time.Sleep(t.Hold)
	h.say(event{What: done, At: now(), Who: t.Who, Key: t.Plan.Keys[t.Key].Name, Gen: t.Gen})
	return nil
}
