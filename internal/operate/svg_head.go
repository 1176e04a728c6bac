package operate

import (
	"fmt"
	"slices"
	"time"

	"genlock.dev/genlock/internal/eventlog"
)

const (
	tilesTop    = 62.0
	locksTop    = 132.0
	locksRow    = 18.0
	waitHeight  = 40.0
	holdHeight  = 18.0
	loadHeight  = waitHeight + 6 + holdHeight
	legendSpace = 34.0
)

// topLocks are as many as have a colour of their own, so that each is explained.
var topLocks = len(palette)

// headHeight is where the lanes begin.
func (c *canvas) headHeight() float64 {
	return locksTop + float64(min(topLocks, len(c.sum.Locks)))*locksRow + 42 + loadHeight + legendSpace + 24
}

// head is what people want to know before they look at any lane.
func (c *canvas) head() {
	c.f(`<text x="%.0f" y="30" font-size="19" font-weight="600">Who held what, and who waited</text>`+"\n", margin)
	c.f(`<text x="%.0f" y="48" fill="#616e7c">%s</text>`+"\n", margin, text(fmt.Sprintf("%s · %s · times are %s",
		c.t.Path, c.h.Title(), c.h.Begin.Local().Format("MST"))))
	c.tiles()
	c.worst()
	y := locksTop + float64(min(topLocks, len(c.sum.Locks)))*locksRow + 30
	c.load(y)
	c.legend(y + loadHeight + 26)
}

func (c *canvas) tiles() {
	tiles := [][2]string{
		{fmt.Sprint(len(c.h.Lanes)), "processes"}, {fmt.Sprint(len(c.sum.Locks)), "locks"},
		{spanText(c.sum.Waited), "waited in all"}, {spanText(c.sum.Held), "held in all"},
		{fmt.Sprint(c.sum.Adopted), "adopted"}, {fmt.Sprint(c.sum.Failed), "failed"},
		{fmt.Sprint(c.sum.Crashed), "crashed"}, {fmt.Sprint(c.sum.Broken), "broken or lost"}, {fmt.Sprint(c.sum.GaveUp), "gave up"},
	}
	width := (plotEnd - margin + 8) / float64(len(tiles))
	for i, t := range tiles {
		x, colour := margin+float64(i)*width, "#1f2933"
		if t[0] != "0" && (t[1] == "failed" || t[1] == "crashed" || t[1] == "broken or lost") {
			colour = red
		}
		c.f(`<rect x="%.1f" y="%.0f" width="%.1f" height="44" rx="4" fill="#f5f7fa"/>`+"\n", x, tilesTop, width-8)
		c.f(`<text x="%.1f" y="%.0f" font-size="16" font-weight="600" fill="%s">%s</text>`+"\n", x+10, tilesTop+20, colour, text(t[0]))
		c.f(`<text x="%.1f" y="%.0f" font-size="10.5" fill="#616e7c">%s</text>`+"\n", x+10, tilesTop+35, t[1])
	}
}

// worst shows the locks that cost most waiting, and how much they were held.
func (c *canvas) worst() {
	c.f(`<text x="%.0f" y="%.0f"><tspan font-weight="600">Waited for longest</tspan>%s</text>`+"\n", margin, locksTop-8, c.others())
	longest := time.Duration(1)
	for _, l := range c.sum.Locks {
		longest = max(longest, l.Waited, l.Held)
	}
	const room = 560.0
	for i, l := range c.sum.Locks[:min(topLocks, len(c.sum.Locks))] {
		y := locksTop + float64(i)*locksRow
		c.f(`<text x="%.0f" y="%.1f" text-anchor="end" font-size="11.5">%s</text>`+"\n", gutter-8, y+11, text(tail(c.t.Relative(l.Lock), 30)))
		w := float64(l.Waited) / float64(longest) * room
		held := float64(l.Held) / float64(longest) * room
		c.f(`<rect x="%.0f" y="%.1f" width="%.1f" height="7" fill="%s" opacity="0.35"/>`+"\n", gutter, y+1, max(w, 1), c.colours[l.Lock])
		c.f(`<rect x="%.0f" y="%.1f" width="%.1f" height="5" fill="%s"/>`+"\n", gutter, y+9, max(held, 1), c.colours[l.Lock])
		c.f(`<text x="%.1f" y="%.1f" font-size="11" fill="#3e4c59">%s</text>`+"\n", gutter+max(w, held, 1)+8, y+11,
			text(fmt.Sprintf("waited %s in %s, longest %s · held %s in %s", spanText(l.Waited), plural(l.Waits, "wait"), spanText(l.LongWait),
				spanText(l.Held), plural(l.Holds, "hold"))))
	}
}

// others says what the grey ones are.
func (c *canvas) others() string {
	if n := len(c.sum.Locks) - topLocks; n > 0 {
		return fmt.Sprintf(`<tspan fill="#616e7c"> · %s that were waited for less are grey</tspan>`, several(n, "other lock", "other locks"))
	}
	return ""
}

// tail keeps the end of s, which tells locks apart.
func tail(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return "…" + string(r[len(r)-most+1:])
	}
	return s
}

// load draws how many processes waited, and how many held, at each moment.
func (c *canvas) load(y float64) {
	waiting := c.levels(func(add func(from, to time.Time)) {
		for _, w := range c.h.Waits {
			add(w.Begin, w.End)
		}
	})
	holding := c.levels(func(add func(from, to time.Time)) {
		for _, x := range c.h.Holds {
			add(x.Begin, x.End)
		}
	})
	c.f(`<text x="%.0f" y="%.1f" text-anchor="end" font-size="11.5" font-weight="600" fill="#b45309">waiting, at most %d</text>`+"\n",
		gutter-8, y+waitHeight/2+4, slices.Max(waiting))
	c.f(`<text x="%.0f" y="%.1f" text-anchor="end" font-size="11.5" font-weight="600" fill="#1f4e8c">holding, at most %d</text>`+"\n",
		gutter-8, y+loadHeight-holdHeight/2+4, slices.Max(holding))
	// Of few that hold many may wait: each has a scale of its own.
	c.area(waiting, y, waitHeight, `fill="#f0b35a"`)
	c.area(holding, y+loadHeight-holdHeight, holdHeight, `fill="#7f9ecb"`)
}

// levels counts in one column for each pixel or two. What is shorter has one of its
// own, so that it is seen.
func (c *canvas) levels(spans func(add func(from, to time.Time))) []int {
	const columns = 600
	change, peak := make([]int, columns+1), make([]int, columns)
	column := func(t time.Time) int {
		return min(int((c.x(t)-gutter)/(plotEnd-gutter)*columns), columns-1)
	}
	spans(func(from, to time.Time) {
		change[column(from)]++
		change[max(column(to), column(from)+1)]--
	})
	n := 0
	for i := range peak {
		n += change[i]
		peak[i] = n
	}
	return peak
}

func (c *canvas) area(levels []int, y, height float64, style string) {
	step, top := (plotEnd-gutter)/float64(len(levels)), max(1, slices.Max(levels))
	c.f(`<path %s d="M%.1f %.1f`, style, gutter, y+height)
	before := -1
	for i, n := range levels {
		if n != before {
			c.f("H%.1fV%.1f", gutter+float64(i)*step, y+height-float64(n)/float64(top)*height)
			before = n
		}
	}
	c.f(`H%.1fV%.1f"/>`+"\n", plotEnd, y+height)
	c.f(`<path d="M%.0f %.1fH%.0f" stroke="#9aa5b1" stroke-width="0.7"/>`+"\n", gutter, y+height, plotEnd)
}

func (c *canvas) legend(y float64) {
	x := margin
	bar := func(height float64, opacity, label string) {
		c.f(`<rect x="%.1f" y="%.1f" width="26" height="%.1f" fill="%s" opacity="%s"/>`+"\n", x, y-height/2, height, palette[0], opacity)
		c.f(`<text x="%.1f" y="%.1f" font-size="11">%s</text>`+"\n", x+32, y+4, label)
		x += 50 + 6.4*float64(len(label))
	}
	bar(12, "1", "held, in the lock's colour")
	bar(6, "0.35", "waited for that lock")
	scale := c.lane
	c.lane = 28 // signs of full size
	for _, m := range [][2]string{{"adopted", "adopted"}, {"reclaimed", "reclaimed"}, {"failed", "failed"}, {"crashed", "crashed"},
		{"broken", "broken or lost"}, {eventlog.Breaks, "broke it"}, {"unseen", "ended without a word"}, {"gave-up", "gave up"}} {
		c.mark(m[0], x+6, y, m[1])
		c.f(`<text x="%.1f" y="%.1f" font-size="11">%s</text>`+"\n", x+16, y+4, m[1])
		x += 34 + 6.4*float64(len(m[1]))
	}
	c.lane = scale
}

func (c *canvas) foot(height float64) {
	s := "Point at a bar or a sign for details."
	if n := len(c.h.Lanes) - len(c.lanes); n > 0 {
		s = fmt.Sprintf("%d more processes, which held and waited less, are not shown. ", n) + s
	}
	c.f(`<text x="%.0f" y="%.1f" font-size="11" fill="#616e7c">%s</text>`+"\n", margin, height-14, s)
}
