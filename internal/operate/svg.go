package operate

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

// svgLanes is how many processes a picture shows: more cannot be told apart.
const svgLanes = 300

// canvas draws one history. Lengths are in pixels.
type canvas struct {
	out     *bufio.Writer
	h       *History
	t       Target
	sum     Sum
	lanes   []*Lane
	row     map[*Lane]int
	colours map[string]string // by lock
	lane    float64           // height of a lane
	top     float64           // of the first lane
}

const (
	svgWidth = 1280.0
	gutter   = 230.0 // names of the processes
	margin   = 20.0
	plotEnd  = svgWidth - margin
)

// palette tells the locks that were waited for longest apart, also for people who
// do not see all colours; the others share grey.
var palette = []string{"#3b6fb6", "#d9822b", "#2a9d8f", "#8e5bb5", "#b5523b", "#7a8b2f", "#c2528b", "#4f6d7a"}

const otherLocks = "#8a94a3"

// WriteSVG writes the history as a picture: a lane for each process, what it held
// solid and what it waited for pale, in the colour of the lock.
func (h *History) WriteSVG(w io.Writer, t Target) error {
	c := &canvas{out: bufio.NewWriter(w), h: h, t: t, sum: h.Sum(), row: make(map[*Lane]int), colours: make(map[string]string)}
	c.lanes = h.mostBusy(svgLanes)
	for i, l := range c.lanes {
		c.row[l] = i
	}
	for i, l := range c.sum.Locks {
		c.colours[l.Lock] = otherLocks
		if i < len(palette) {
			c.colours[l.Lock] = palette[i]
		}
	}
	c.lane = laneHeight(len(c.lanes))
	c.top = c.headHeight()
	height := c.top + float64(len(c.lanes))*c.lane + 60
	c.f(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" `+
		`font-family="system-ui, 'DejaVu Sans', 'Segoe UI', sans-serif" font-size="12" fill="#1f2933">`+"\n",
		svgWidth, height, svgWidth, height)
	c.f("<title>%s</title>\n<style>.b:hover{stroke:#000;stroke-width:1}</style>\n", text("genlock history, "+h.Title()))
	c.f(`<rect width="100%%" height="100%%" fill="#ffffff"/>` + "\n")
	c.head()
	c.bands()
	c.axis()
	c.bars()
	c.handOvers()
	c.marks()
	c.foot(height)
	c.f("</svg>\n")
	return c.out.Flush()
}

// laneHeight makes few lanes easy on the eye and many fit.
func laneHeight(n int) float64 {
	switch {
	case n <= 12:
		return 28
	case n <= 40:
		return 20
	case n <= 120:
		return 13
	}
	return 10
}

func (c *canvas) f(format string, args ...any) { fmt.Fprintf(c.out, format, args...) }

// text is safe inside an element and inside an attribute.
func text(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s))
	return b.String()
}

// x is where a moment lies.
func (c *canvas) x(at time.Time) float64 {
	span := c.h.Span()
	if span <= 0 {
		return gutter
	}
	part := float64(at.Sub(c.h.Begin)) / float64(span)
	return gutter + min(max(part, 0), 1)*(plotEnd-gutter)
}

func (c *canvas) y(l *Lane) float64 { return c.top + float64(c.row[l])*c.lane }

func (c *canvas) bottom() float64 { return c.top + float64(len(c.lanes))*c.lane }

// steps are the distances that ticks of an axis may have.
var steps = []time.Duration{time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond,
	20 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour}

// ticks are round moments, at most about ten.
func (c *canvas) ticks() (at []time.Time, layout string) {
	const most = 10
	step := steps[len(steps)-1]
	for _, s := range steps {
		if c.h.Span()/s <= most {
			step = s
			break
		}
	}
	for c.h.Span()/step > 2*most {
		step *= 2 // longer than any that has a name
	}
	switch {
	case step >= 24*time.Hour:
		layout = "Jan 2"
	case step >= time.Minute:
		layout = "15:04"
	case step >= time.Second:
		layout = time.TimeOnly
	default:
		layout = "15:04:05.000"
	}
	_, offset := c.h.Begin.Local().Zone()
	shift := time.Duration(offset) * time.Second
	for t := c.h.Begin.Add(shift).Truncate(step).Add(-shift); !t.After(c.h.End); t = t.Add(step) {
		if !t.Before(c.h.Begin) {
			at = append(at, t)
		}
	}
	return at, layout
}

// axis draws the time above and below the lanes.
func (c *canvas) axis() {
	at, layout := c.ticks()
	for _, t := range at {
		x, label := c.x(t), t.Local().Format(layout)
		c.f(`<path d="M%.1f %.1fV%.1f" stroke="#cbd2d9" stroke-width="0.7"/>`+"\n", x, c.top, c.bottom())
		for _, y := range []float64{c.top - 6, c.bottom() + 14} {
			c.f(`<text x="%.1f" y="%.1f" text-anchor="middle" font-size="10.5" fill="#616e7c">%s</text>`+"\n", x, y, text(label))
		}
	}
}

// bands shades the lanes of every other host, and names hosts and processes.
func (c *canvas) bands() {
	size := min(11.5, c.lane-2)
	shade, host := false, ""
	for i, l := range c.lanes {
		y := c.y(l)
		if i == 0 || l.Host != host {
			shade, host = !shade, l.Host
			c.f(`<text x="%.0f" y="%.1f" font-size="%.1f" font-weight="600">%s</text>`+"\n",
				margin, y+c.lane/2+size*0.35, size, text(shorten(host, 14)))
			c.f(`<path d="M%.0f %.1fH%.0f" stroke="#9aa5b1" stroke-width="0.7"/>`+"\n", margin, y, plotEnd)
		}
		fill := "#ffffff"
		if shade {
			fill = "#f5f7fa"
		}
		c.f(`<rect x="%.0f" y="%.1f" width="%.0f" height="%.1f" fill="%s"/>`+"\n", gutter, y, plotEnd-gutter, c.lane, fill)
		c.f(`<text x="%.0f" y="%.1f" text-anchor="end" font-size="%.1f" fill="#3e4c59">%s<title>%s</title></text>`+"\n",
			gutter-8, y+c.lane/2+size*0.35, size, text(shorten(fmt.Sprintf("%d %s", l.PID, l.Label), 23)), text(l.Name()+" "+l.Label))
		if c.lane >= 20 {
			c.f(`<path d="M%.0f %.1fH%.0f" stroke="#e4e7eb" stroke-width="0.7"/>`+"\n", gutter, y+c.lane, plotEnd)
		}
	}
	c.f(`<path d="M%.0f %.1fH%.0f" stroke="#9aa5b1" stroke-width="0.7"/>`+"\n", margin, c.bottom(), plotEnd)
}
