package operate

import (
	"fmt"
	"time"

	"genlock.dev/genlock/internal/eventlog"
)

// red marks what did not go well, whatever the lock.
const red = "#c81e1e"

// bars draws waits first, so that a short hold is never hidden behind one.
func (c *canvas) bars() {
	pad := c.lane * 0.16
	for _, x := range c.h.Waits {
		if _, shown := c.row[x.Lane]; !shown {
			continue
		}
		c.bar(x.Begin, x.End, c.y(x.Lane)+c.lane*0.34, c.lane*0.32, c.colours[x.Lock], `opacity="0.35"`,
			fmt.Sprintf("%s waited %s for %s\nlock %s, held by %s\nfrom %s; %s", x.Lane.Name(), spanText(x.End.Sub(x.Begin)),
				c.t.Relative(x.Lock), c.t.Relative(x.Lock), x.Holder, clock(x.Begin), thenText[x.Then]))
	}
	for _, x := range c.h.Holds {
		if _, shown := c.row[x.Lane]; !shown {
			continue
		}
		extra := `rx="1.5"`
		if _, bad := badText[x.Outcome]; bad {
			extra += fmt.Sprintf(` stroke="%s" stroke-width="1.2"`, red)
		}
		c.bar(x.Begin, x.End, c.y(x.Lane)+pad, c.lane-2*pad, c.colours[x.Lock], extra, c.holdText(x))
		c.holdLabel(x, pad)
	}
}

func (c *canvas) holdText(x *Hold) string {
	s := fmt.Sprintf("%s %s\nheld %s for %s, from %s\n%s%s\ngeneration %s", x.Lane.Name(), x.Lane.Label, c.t.Relative(x.Lock),
		spanText(x.End.Sub(x.Begin)), clock(x.Begin), x.Outcome, detail(x.Detail), x.Generation)
	if x.Artifact != "" {
		s += "\npublished " + x.Artifact
	}
	return s
}

// holdLabel writes lock and duration into a bar that has room for it.
func (c *canvas) holdLabel(x *Hold, pad float64) {
	const perRune = 5.7
	label := c.t.Relative(x.Lock) + "  " + spanText(x.End.Sub(x.Begin))
	room := c.x(x.End) - c.x(x.Begin) - 15
	if c.lane < 20 || room < 40 {
		return
	}
	c.f(`<text x="%.1f" y="%.1f" font-size="10.5" fill="#ffffff" pointer-events="none">%s</text>`+"\n", c.x(x.Begin)+9,
		c.y(x.Lane)+c.lane/2+3.7, text(shorten(label, int(room/perRune))))
}

// bar is never so short that it cannot be seen.
func (c *canvas) bar(from, to time.Time, y, height float64, fill, extra, title string) {
	const least = 1.5
	x := c.x(from)
	c.f(`<rect class="b" x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s" %s><title>%s</title></rect>`+"\n",
		x, y, max(c.x(to)-x, least), height, fill, extra, text(title))
}

func clock(t time.Time) string { return t.Local().Format("15:04:05.000") }

// handOvers joins each hold with the next one of the same lock, when there are few
// enough lanes to follow a line with the eye.
func (c *canvas) handOvers() {
	const most = 60
	if len(c.lanes) > most {
		return
	}
	before := make(map[string]*Hold)
	for _, x := range c.h.Holds {
		if b := before[x.Lock]; b != nil && b.Lane != x.Lane && c.waitedFor(x, b) {
			x1, y1, x2, y2 := c.x(b.End), c.y(b.Lane)+c.lane/2, c.x(x.Begin), c.y(x.Lane)+c.lane/2
			c.f(`<path d="M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f" fill="none" stroke="%s" stroke-width="1.4" stroke-dasharray="3 2"/>`+"\n",
				x1, y1, x1+12, y1, x2-12, y2, x2, y2, c.colours[x.Lock])
		}
		before[x.Lock] = x
	}
}

// waitedFor tells whether the process of x waited until b ended.
func (c *canvas) waitedFor(x, b *Hold) bool {
	for _, w := range c.h.Waits {
		if w.Lane == x.Lane && w.Lock == x.Lock && w.For == b.Generation {
			return true
		}
	}
	return false
}

// marks draws what happened at one moment.
func (c *canvas) marks() {
	for _, x := range c.h.Holds {
		if _, shown := c.row[x.Lane]; !shown {
			continue
		}
		if how, bad := badText[x.Outcome]; bad {
			c.mark(string(x.Outcome), c.x(x.End), c.y(x.Lane)+c.lane/2, x.Lane.Name()+" "+how+detail(x.Detail)+"\nlock "+c.t.Relative(x.Lock))
		}
	}
	for _, x := range c.h.Waits {
		if _, shown := c.row[x.Lane]; shown && x.Then == "gave-up" {
			c.mark("gave-up", c.x(x.End), c.y(x.Lane)+c.lane/2, x.Lane.Name()+" gave up waiting for "+c.t.Relative(x.Lock))
		}
	}
	for _, x := range c.h.Marks {
		if _, shown := c.row[x.Lane]; shown {
			c.mark(x.Kind, c.x(x.At), c.y(x.Lane)+c.lane/2, fmt.Sprintf("%s %s at %s\nlock %s\n%s", x.Lane.Name(), x.Kind,
				clock(x.At), c.t.Relative(x.Lock), x.Text))
		}
	}
}

// mark is one sign. Each kind has a shape of its own, not only a colour.
func (c *canvas) mark(kind string, x, y float64, title string) {
	r := min(5, c.lane*0.36)
	c.f(`<g><title>%s</title>`, text(title))
	switch kind {
	case string(Crashed):
		c.f(`<path d="M%.1f %.1fL%.1f %.1fM%.1f %.1fL%.1f %.1f" stroke="#ffffff" stroke-width="%.1f"/>`, x-r, y-r, x+r, y+r, x-r, y+r, x+r, y-r, r*0.9+1.5)
		c.f(`<path d="M%.1f %.1fL%.1f %.1fM%.1f %.1fL%.1f %.1f" stroke="%s" stroke-width="%.1f"/>`, x-r, y-r, x+r, y+r, x-r, y+r, x+r, y-r, red, r*0.5)
	case string(Failed):
		c.f(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s" stroke="#ffffff" stroke-width="0.8"/>`, x-r*0.8, y-r*0.8, r*1.6, r*1.6, red)
	case string(Unseen):
		c.f(`<text x="%.1f" y="%.1f" font-size="%.1f" font-weight="700" text-anchor="middle" fill="%s" stroke="#ffffff" stroke-width="2.5" `+
			`paint-order="stroke">?</text>`, x, y+r, r*3, red)
	case string(Broken), string(Lost):
		c.f(`<path d="M%.1f %.1fH%.1fL%.1f %.1fZ" fill="%s" stroke="#ffffff" stroke-width="0.8"/>`, x-r, y-r*0.8, x+r, x, y+r, red)
	case eventlog.Breaks:
		c.f(`<path d="M%.1f %.1fH%.1fL%.1f %.1fZ" fill="#ffffff" stroke="%s" stroke-width="1.3"/>`, x-r, y-r*0.8, x+r, x, y+r, red)
	case "reclaimed":
		c.f(`<path d="M%.1f %.1fL%.1f %.1fL%.1f %.1fL%.1f %.1fZ" fill="#ffffff" stroke="#1f2933" stroke-width="1.3"/>`, x, y-r, x+r, y, x, y+r, x-r, y)
	case "adopted":
		c.f(`<circle cx="%.1f" cy="%.1f" r="%.1f" fill="#2f9e44" stroke="#ffffff" stroke-width="0.8"/>`, x, y, r*0.8)
	default:
		c.f(`<path d="M%.1f %.1fV%.1f" stroke="#1f2933" stroke-width="2"/>`, x, y-r, y+r)
	}
	c.f("</g>\n")
}
