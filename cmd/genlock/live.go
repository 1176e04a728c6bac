package main

import (
	"fmt"
	"os"
)

// liveLine is the last line of a terminal, which is rewritten in place. A nil one
// draws nothing.
type liveLine struct {
	f     *os.File
	drawn bool
}

func newLiveLine(f *os.File) *liveLine {
	if width(f) < 0 {
		return nil
	}
	return &liveLine{f: f}
}

// drawable tells whether we may draw now: in the background the line belongs to
// somebody else.
func (l *liveLine) drawable() bool { return l != nil && inForeground(l.f) }

func (l *liveLine) draw(text string) {
	line := []rune("genlock: " + text)
	// Room for the ^C that the terminal echoes: a wrapped line cannot be cleared.
	if w := width(l.f) - len("^C"); w > 1 && len(line) >= w {
		line = append(line[:w-2], '…')
	}
	fmt.Fprintf(l.f, "\r%s\x1b[K", string(line))
	l.drawn = true
}

func (l *liveLine) clear() {
	if l != nil && l.drawn {
		fmt.Fprint(l.f, "\r\x1b[K")
		l.drawn = false
	}
}
