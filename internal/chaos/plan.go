package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"
)

// key is one lock and what is built under it.
type key struct {
	Name, Lock, Artifact string
	Format               string
	// Dialects of old programs that ours looks for, and whether it holds theirs.
	Dialects string
	Hold     bool
	Old      string // the old program that takes turns with ours
	// Frail: it lies on the disk that is spoilt.
	Frail, ArtifactFrail bool
}

// plan is one round as the seed draws it, and what every process of it has to know.
type plan struct {
	Seed              uint64
	Round             int
	Dir, Solid, Frail string
	Until             int64
	Keys              []*key
}

func (p *plan) history() string           { return filepath.Join(p.Dir, "history") }
func (p *plan) section(key string) string { return filepath.Join(p.Dir, "section-"+key) }

// source gives each worker numbers of its own: the same ones for the same seed.
func (p *plan) source(who string) *rand.Rand {
	mixed := uint64(p.Round) << 32
	for _, c := range []byte(who) {
		mixed = mixed*1099511628211 ^ uint64(c)
	}
	return rand.New(rand.NewPCG(p.Seed, mixed))
}

var (
	formats = []string{"genlock-v3", "ttsc-plugin-build-lock-v3"}
	olds    = []struct{ program, dialects string }{
		{"mkdir", "mkdir,v2"}, {"v2", "mkdir,v2"}, {"token", "token=here"}, {"heartbeat", "heartbeat=10s"},
	}
)

// drawKeys makes n keys. Every third has an old program, and every third lies on
// the disk that is spoilt.
func (p *plan) drawKeys(n int) {
	r := p.source("keys")
	for i := range n {
		k := &key{Name: fmt.Sprintf("k%d", i), Format: formats[r.IntN(2)]}
		where, built := p.Solid, p.Solid
		switch i % 3 {
		case 0:
			k.Frail, where = true, p.Frail
			k.Hold = r.IntN(4) == 0
			if k.Hold {
				k.Dialects = "mkdir" // v2 leaves a tombstone each turn, which would fill it
			}
		case 1:
			old := olds[r.IntN(len(olds))]
			k.Old, k.Dialects = old.program, old.dialects
			k.Hold = r.IntN(4) != 0
		}
		if k.ArtifactFrail = r.IntN(2) == 0; k.ArtifactFrail {
			built = p.Frail
		}
		k.Lock = filepath.Join(where, "locks", k.Name+".lock")
		k.Artifact = filepath.Join(built, "out", k.Name)
		p.Keys = append(p.Keys, k)
	}
}

// verb is what a turn does.
type verb string

// verbs and how often each comes.
var verbs = []struct {
	verb   verb
	weight int
}{
	{"acquire", 20}, {"try", 12}, {"wait", 8}, {"cancel", 8}, {"do", 30}, {"rebuild", 6}, {"remove", 6}, {"command", 6},
	{"status", 8}, {"list", 2}, {"doctor", 1}, {"break", 3}, {"prune", 2}, {"collect", 4},
}

// turn is one thing that a worker does.
type turn struct {
	verb   verb
	key    *key
	hold   time.Duration // under the lock
	wait   time.Duration // for the lock
	size   int           // of what is built
	budget int           // of a collection
}

func (p *plan) draw(r *rand.Rand) turn {
	t := turn{key: p.Keys[r.IntN(len(p.Keys))], hold: span(r), wait: span(r) * 4, size: r.IntN(20000), budget: r.IntN(20)}
	total := 0
	for _, v := range verbs {
		total += v.weight
	}
	n := r.IntN(total)
	for _, v := range verbs {
		if n -= v.weight; n < 0 {
			t.verb = v.verb
			break
		}
	}
	return t
}

// span is short most of the time and long now and then.
func span(r *rand.Rand) time.Duration {
	d := time.Duration(r.ExpFloat64() * float64(500*time.Microsecond))
	if r.IntN(20) == 0 {
		d *= 40
	}
	return d
}
