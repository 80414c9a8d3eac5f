package report

import (
	"cmp"
	"math"
	"slices"
)

// plot is a frame with two axes on a canvas.
type plot struct {
	c          *canvas
	x, y, w, h float64 // of the frame, from the top left
	xs, ys     scale
	xr, yr     [2]float64 // ranges of the data
	axis       *pgfAxis   // the same frame for LaTeX, from axes on
}

// px and py map data into the frame.
func (p *plot) px(v float64) float64 {
	// A range without width maps to one end of the frame.
	a, b := p.xs.at(p.xr[0]), p.xs.at(p.xr[1])
	return p.x + p.w*clamp((p.xs.at(v)-a)/nonzero(b-a))
}

func (p *plot) py(v float64) float64 {
	a, b := p.ys.at(p.yr[0]), p.ys.at(p.yr[1])
	return p.y + p.h*(1-clamp((p.ys.at(v)-a)/nonzero(b-a)))
}

// clamp lets a mark reach a little beyond the frame, and no further.
func clamp(v float64) float64 { return math.Min(1.02, math.Max(-0.02, v)) }

// nonzero replaces a divisor of zero.
func nonzero(v float64) float64 { return cmp.Or(v, 1) }

// axes draws grid, ticks and titles. Without a title an axis has no ticks.
func (p *plot) axes(xTitle, yTitle string) {
	p.axis = &pgfAxis{frame: p, xTitle: xTitle, yTitle: yTitle}
	p.c.pgf.axes = append(p.c.pgf.axes, p.axis)

	// Horizontal lines cross the frame at the ticks of the vertical axis.
	for _, v := range p.ys.ticks(p.yr[0], p.yr[1]) {
		at := p.py(v)
		p.c.line(p.x, at, p.x+p.w, at, grid, 1)
		p.c.text(p.x-6, at+4, "end", faint, tick(v))
	}
	if xTitle != "" {
		// Labels that would overlap are left out; their ticks are drawn all the same.
		last := math.Inf(-1)
		for _, v := range p.xs.ticks(p.xr[0], p.xr[1]) {
			at := p.px(v)
			p.c.line(at, p.y+p.h, at, p.y+p.h+4, faint, 1)
			if at-last >= minTickDistance {
				p.c.text(at, p.y+p.h+17, "middle", faint, tick(v))
				last = at
			}
		}
		p.c.text(p.x+p.w/2, p.y+p.h+35, "middle", faint, xTitle)
	}

	// The vertical axis has a title in any case, the frame a line at its bottom.
	p.c.verticalLabel(p.x-44, p.y+p.h/2, yTitle)
	p.c.line(p.x, p.y+p.h, p.x+p.w, p.y+p.h, faint, 1)
}

// title writes a title above the frame, from the left or over its middle.
func (p *plot) title(x, y float64, anchor, text string) {
	p.axis.title = text
	p.c.styled(x, y, anchor, ink, `font-weight="600"`, text)
}

// name writes the name of a shape below the horizontal axis.
func (p *plot) name(at float64, text string) {
	p.axis.names = append(p.axis.names, pgfName{at, text})
	p.c.text(p.px(at), p.y+p.h+18, "middle", ink, text)
}

// divider draws a line over the whole height of the frame.
func (p *plot) divider(at float64) {
	p.axis.path([][2]float64{{at, p.yr[0]}, {at, p.yr[1]}}, look{colour: grid, width: 1})
	p.c.line(p.px(at), p.y, p.px(at), p.y+p.h, grid, 1)
}

// look is how a curve and the marks on its points are drawn; a width or a radius of zero leaves the curve or the marks
// out. Both are in pixels.
type look struct {
	colour string
	width  float64
	dash   string // as an SVG pattern, "" for none

	mark    int // as canvas.mark has them
	radius  float64
	opacity float64 // of the marks
}

// draw draws a curve through points of the data, and marks above it.
func (p *plot) draw(points [][2]float64, l look) {
	// What is not known has no place.
	points = slices.DeleteFunc(points, func(v [2]float64) bool { return math.IsNaN(v[0]) || math.IsNaN(v[1]) })
	if len(points) == 0 {
		return
	}
	p.axis.path(points, l)

	at := make([][2]float64, len(points))
	for k, v := range points {
		at[k] = [2]float64{p.px(v[0]), p.py(v[1])}
	}
	if l.width > 0 {
		p.c.path(at, l.colour, l.width, l.dash)
	}
	if l.radius > 0 {
		for _, v := range at {
			p.c.mark(l.mark, v[0], v[1], l.radius, l.colour, l.opacity)
		}
	}
}

// label writes a text that ends at a point of the data.
func (p *plot) label(point [2]float64, colour, text string) {
	p.axis.label(point, colour, text)
	p.c.styled(p.px(point[0])+4, p.py(point[1])-8, "end", colour, `font-size="11"`, text)
}

// box draws quartiles, median and every value around an abscissa, in a part of the axis of the given width.
func (p *plot) box(name string, at, width float64, values []float64, s style) {
	if len(values) == 0 {
		return
	}

	// The area between the quartiles. Ordinates grow downwards, so that the upper quartile is the top of the box.
	lower := quantile(values, .25)
	upper := quantile(values, .75)
	left := p.px(at - width/2)
	right := p.px(at + width/2)
	top := p.py(upper)
	p.axis.area([][2]float64{{at - width/2, lower}, {at + width/2, lower}, {at + width/2, upper}, {at - width/2, upper}},
		s.colour)
	// A box of equal quartiles is drawn as a line of one pixel.
	p.c.rect(left, top, right-left, math.Max(p.py(lower)-top, 1), s.colour, s.colour, 0.18)

	// Multiples of the golden ratio spread any number of marks evenly, the same in every run.
	points := make([][2]float64, len(values))
	for k, v := range values {
		points[k] = [2]float64{at + width*0.42*(2*math.Mod(float64(k)*0.618034, 1)-1), v}
		p.c.titled(name+": "+figure(percent, v).Text+" %", func() {
			p.c.mark(s.mark, p.px(points[k][0]), p.py(v), 3, s.colour, 0.55)
		})
	}
	p.axis.path(points, look{colour: s.colour, mark: s.mark, radius: 3, opacity: 0.55})

	// The median is drawn last, above the marks.
	m := Median(values)
	p.axis.path([][2]float64{{at - width/2, m}, {at + width/2, m}}, look{colour: s.colour, width: 2.5})
	p.c.line(left, p.py(m), right, p.py(m), s.colour, 2.5)
}

// minTickDistance is the least distance of the labels of a horizontal axis, in pixels: about the width of a label.
const minTickDistance = 30
