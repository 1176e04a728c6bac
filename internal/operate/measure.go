package operate

import (
	"fmt"

	"genlock.dev/genlock/internal/vfs"
)

// size is how much something takes: names, and bytes in files.
type size struct {
	names int
	bytes int64
}

func (s *size) add(other size) {
	s.names += other.names
	s.bytes += other.bytes
}

func (s size) String() string { return Bytes(s.bytes) }

// Bytes prints a number of bytes for people.
func Bytes(n int64) string {
	const unit = 1024
	if n < unit {
		return plural(int(n), "byte")
	}
	v, names := float64(n), []string{"KiB", "MiB", "GiB", "TiB"}
	i := -1
	for v >= unit && i < len(names)-1 {
		v /= unit
		i++
	}
	return fmt.Sprintf("%.1f %s", v, names[i])
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// deepest bounds the descent of measure; what is deeper is not counted.
const deepest = 100

// measure counts what lies at name below d, through handles. What cannot be read
// counts as one name, and what goes meanwhile not at all.
func measure(d vfs.Dir, name string) size { return measureTo(d, name, deepest) }

func measureTo(d vfs.Dir, name string, depth int) (s size) {
	info, err := d.Lstat(name)
	if vfs.IsVanished(err) {
		return s
	}
	s.names = 1
	if err != nil {
		return s
	}
	if !info.IsDir() {
		s.bytes = info.Size
		return s
	}
	sub, err := d.OpenDir(name)
	if err != nil || depth == 0 {
		return s
	}
	defer sub.Close()
	names, _ := sub.Names(0)
	for _, n := range names {
		s.add(measureTo(sub, n, depth-1))
	}
	return s
}

// below measures name in the directory parent of d.
func below(d vfs.Dir, parent, name string) size {
	sub, err := d.OpenDir(parent)
	if err != nil {
		return size{}
	}
	defer sub.Close()
	return measure(sub, name)
}
