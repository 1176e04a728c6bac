package lab

import (
	"context"
	"fmt"
	"sync"
	"time"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/internal/vfs/memfs"
	"genlock.dev/genlock/protocol"
)

// Where things are in a world.
const (
	cacheDir = "/cache"
	lockPath = cacheDir + "/k.lock"
	rootPath = lockPath + protocol.RootSuffix
	toolPath = cacheDir + "/out/tool"
	apartDir = "/mnt" // another file system
)

// began is when a world begins; its first kernel started some time before.
var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// world is one machine with its disk: what processes share.
type world struct {
	disk   *memfs.FS
	format protocol.Format
	// options are those of every lock in it.
	options genlock.Options
	clock   *clock
	boot    int // how often the machine was started
	booted  time.Time

	mu    sync.Mutex
	alive map[int]bool // by pid
	last  int          // the last pid given out
}

// flavour is a kind of disk.
type flavour struct {
	name string
	opt  memfs.Options
}

func newWorld(f flavour, format protocol.Format) *world {
	w := &world{clock: &clock{now: began}, format: format}
	opt := f.opt
	opt.Clock = w.clock.Now
	w.disk = memfs.New(opt)
	w.start()
	must(w.disk.MkdirAll(cacheDir, 0o755))
	must(w.disk.MkdirAll(apartDir, 0o755))
	must(w.disk.Mount(apartDir, opt))
	return w
}

// start starts the machine, for the first time or anew.
func (w *world) start() {
	w.boot++
	w.booted = w.clock.Now().Add(-5 * time.Minute)
	w.alive = map[int]bool{}
}

// afterPowerCut is the machine an hour later, started anew on what the disk kept.
func (w *world) afterPowerCut(keep func(i int) bool) *world {
	next := &world{format: w.format, options: w.options, clock: &clock{now: w.clock.Now().Add(time.Hour), ids: w.clock.ids}, boot: w.boot, last: w.last}
	next.disk = w.disk.AfterPowerCut(func(i int, _ memfs.Change) bool { return keep(i) })
	next.start()
	return next
}

func (w *world) lock(opt genlock.Options) *genlock.Lock {
	opt.Format, opt.Dialects, opt.Hold = w.format, w.options.Dialects, w.options.Hold
	return genlock.New(lockPath, &opt)
}

// clock is virtual: whoever sleeps moves it on at once.
type clock struct {
	mu  sync.Mutex
	now time.Time
	ids int
	// onSleep, if not nil, is what others do while somebody sleeps.
	onSleep func()
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) setOnSleep(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onSleep = do
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Sleep implements env.Clock.
func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.advance(d)
	c.mu.Lock()
	others := c.onSleep
	c.mu.Unlock()
	if others != nil {
		others()
	}
	return nil
}

// newID makes ids that tell the virtual time and come in the same order at every
// run.
func (c *clock) newID() (protocol.ID, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ids++
	ms := fmt.Sprintf("%012x", c.now.UnixMilli())
	return protocol.ID(ms + "7" + fmt.Sprintf("%03x", c.ids%0x1000) + "8" + fmt.Sprintf("%015x", c.ids)), nil
}

// exists tells whether there is something at path, as the hand of the test sees it.
func (w *world) exists(path string) bool {
	_, err := w.stat(path)
	return err == nil
}

func (w *world) stat(path string) (vfs.Info, error) {
	p := w.disk.Process()
	defer p.Kill()
	return p.Lstat(path)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
