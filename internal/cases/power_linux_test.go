package cases

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"genlock.dev/genlock"
	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/vfs/faultfs"
	"genlock.dev/genlock/protocol"
)

// TestPowerLoss takes turns on real file systems in images, copies the image around
// each sync and at random moments, as a power cut would leave it, and starts
// anew on each copy: whoever comes takes the lock, or is told the truth and can
// unlock it (rule 12).
func TestPowerLoss(t *testing.T) {
	for _, d := range disks {
		t.Run(d.name, func(t *testing.T) {
			p := &power{scene: newScene(t), disk: d}
			if raceDetector && d.slow {
				p.skip("no other races than on %s", disks[0].name)
			}
			p.image = d.format(p.scene)
			p.cut()
			outcomes := map[string]int{}
			for i, c := range p.copies {
				// Some copies meet a machine that does not know its own id.
				w := afterCut
				if i%4 == 3 {
					w.Machine = protocol.NoMachine
				}
				t.Run(c.name, func(t *testing.T) { outcomes[c.recover(t, d, w)]++ })
				os.Remove(c.file)
			}
			t.Logf("%d copies", len(p.copies))
			for _, what := range slices.Sorted(maps.Keys(outcomes)) {
				t.Logf("%3d %s", outcomes[what], what)
			}
		})
	}
}

// power is a disk whose power is cut.
type power struct {
	*scene
	disk   disk
	image  string
	root   *os.File
	mu     sync.Mutex
	copies []snapshot
	// workers take turns. They are stopped while the disk is copied.
	workers []*actor
}

// snapshot is what a power cut would have left at one moment.
type snapshot struct{ name, file string }

// The machine on which turns are taken, and the same one after the cut.
var (
	beforeCut = world{Hostname: "power", Machine: "0123456789abcdef"}
	afterCut  = world{Hostname: "power", Machine: "0123456789abcdef", Reboot: true}
)

// Where things are on a disk.
const (
	cacheDir  = "cache"
	lockName  = "cache/k.lock"
	toolName  = "cache/tool"
	otherName = "cache/neighbour"
	whole     = "this is the whole artifact\n"
)

// cut mounts the disk, uses it, and unmounts it.
func (p *power) cut() {
	var err error
	if p.root, err = p.disk.mount(p.T, p.image); err != nil {
		p.skip("cannot mount: %v", err)
	}
	defer p.root.Close()
	p.must(os.Mkdir(filepath.Join(pathOf(p.root), cacheDir), 0o755))
	p.must(os.WriteFile(filepath.Join(pathOf(p.root), otherName), nil, 0o644))
	p.must(unix.Syncfs(int(p.root.Fd())))
	p.lock = filepath.Join(pathOf(p.root), lockName)
	p.tenures()
	p.storm()
}

func (p *power) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// take a copy of the disk as it is now.
func (p *power) snap(format string, args ...any) {
	p.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range p.workers {
		a.stop()
		defer a.signal(unix.SIGCONT)
	}
	c := snapshot{fmt.Sprintf(format, args...), filepath.Join(p.dir, fmt.Sprintf("copy%d", len(p.copies)))}
	p.must(copyDisk(p.image, c.file))
	p.copies = append(p.copies, c)
}

// point copies the disk around the syncs that others may do at this moment: of a
// file that has nothing to do with the lock, which takes names along and no
// contents, and of everything.
func (p *power) point(name string) {
	p.Helper()
	p.snap("%s, nothing synced", name)
	p.must(p.syncNeighbour())
	p.snap("%s, another file synced", name)
	p.must(unix.Syncfs(int(p.root.Fd())))
	p.snap("%s, everything synced", name)
}

func (p *power) syncNeighbour() error {
	f, err := os.OpenFile(filepath.Join(pathOf(p.root), otherName), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteString("x"); err != nil {
		return err
	}
	return f.Sync()
}

// world is that of somebody whose own syncs are watched as well.
func (p *power) world() context.Context {
	ctx, _ := beforeCut.in()
	e := *env.From(ctx)
	watched := func(op faultfs.Op) bool { return op.Verb == faultfs.Sync && !strings.HasSuffix(op.Path, otherName) }
	e.FS = faultfs.Wrap(e.FS, faultfs.Hooks{
		Before: func(op faultfs.Op) error {
			if watched(op) {
				p.snap("before %s is synced", filepath.Base(op.Path))
			}
			return nil
		},
		After: func(op faultfs.Op, _ error) {
			if watched(op) {
				p.snap("after %s is synced", filepath.Base(op.Path))
			}
		}})
	return env.With(context.Background(), &e)
}

// tenures goes through the life of a lock, with a cut at each station.
func (p *power) tenures() {
	ctx := p.world()
	lock := genlock.New(p.lock, &genlock.Options{Fsync: true})
	lease, err := lock.TryAcquire(ctx)
	p.must(err)
	p.point("first acquired")
	a := genlock.Artifact{Path: filepath.Join(pathOf(p.root), toolName)}
	out, err := lease.Stage(a)
	p.must(err)
	p.must(os.WriteFile(out, []byte(whole), 0o644))
	p.point("staged")
	p.must(lease.Publish(ctx, a))
	p.point("published")
	p.must(lease.Release())
	p.point("released")
	lease, err = lock.TryAcquire(ctx)
	p.must(err)
	p.point("acquired again")
	p.must(lease.Release())
	p.take(here, hold{World: beforeCut})
	p.holder.kill()
	p.point("abandoned")
	lease, err = lock.TryAcquire(ctx)
	p.must(err)
	p.point("reclaimed")
	p.must(breakGeneration(ctx, p.lock, lease.Generation()))
	p.point("broken")
	lease.Release()
}

// storm lets processes take turns and copies the disk at random moments, while
// something else on it is synced all the time.
func (p *power) storm() {
	moments := 20
	if testing.Short() || (p.disk.slow || raceDetector) && !longPlay() {
		moments = 5
	}
	seed := uint64(time.Now().UnixNano())
	p.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for i := range 3 {
		t := turns{Lock: p.lock, Section: filepath.Join(p.dir, "section"), World: beforeCut, Turns: 1 << 30, Name: fmt.Sprint(i)}
		a := p.start(here, "turns", t)
		a.expect("ready")
		fmt.Fprintln(a.in)
		p.workers = append(p.workers, a)
	}
	for i := range moments {
		// The moment is what is random here; nothing is waited for.
		time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
		if random.IntN(2) == 0 {
			p.must(p.syncNeighbour())
		}
		p.snap("moment %d", i+1)
	}
	for _, a := range p.workers {
		a.kill()
	}
}
