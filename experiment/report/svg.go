package report

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// canvas collects the elements of a drawing, for SVG and for LaTeX.
type canvas struct {
	b    strings.Builder // the elements of SVG so far
	tikz tikz            // the same for LaTeX
	w, h float64         // width and height in pixels
}

// Colours of text, of labels and of lines in the background, and the fonts.
const (
	ink   = "#1b1b1f"
	faint = "#6b6f76"
	grid  = "#e3e5e8"
	fonts = "system-ui,-apple-system,'Segoe UI','Helvetica Neue',Arial,'DejaVu Sans',sans-serif"
)

// newCanvas returns an empty drawing.
func newCanvas(w, h float64) *canvas { return &canvas{w: w, h: h} }

// String returns the drawing as a document. Its text scales with it.
func (c *canvas) String() string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" font-family="%s" font-size="12" fill="%s">`+"\n%s</svg>\n",
		px(c.w), px(c.h), px(c.w), px(c.h), fonts, ink, c.b.String())
}

// px writes a coordinate with two decimals, and none that are zero.
func px(v float64) string {
	return strconv.FormatFloat(math.Round(100*v)/100, 'f', -1, 64)
}

// line draws a segment.
func (c *canvas) line(x1, y1, x2, y2 float64, colour string, width float64) {
	fmt.Fprintf(&c.b, `<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="%s" stroke-width="%s"/>`+"\n", px(x1), px(y1),
		px(x2), px(y2), colour, px(width))
	c.tikz.path([][2]float64{{x1, y1}, {x2, y2}}, colour, width, "")
}

// path draws a line through points; dash is the pattern of the line, "" for none.
func (c *canvas) path(points [][2]float64, colour string, width float64, dash string) {
	if len(points) == 0 {
		return
	}
	c.tikz.path(points, colour, width, dash)
	c.b.WriteString(`<polyline fill="none" stroke-linejoin="round" points="`)
	// Points are pairs divided by blanks.
	for k, p := range points {
		if k > 0 {
			c.b.WriteByte(' ')
		}
		c.b.WriteString(px(p[0]) + "," + px(p[1]))
	}
	fmt.Fprintf(&c.b, `" stroke="%s" stroke-width="%s"`, colour, px(width))
	if dash != "" {
		fmt.Fprintf(&c.b, ` stroke-dasharray="%s"`, dash)
	}
	c.b.WriteString("/>\n")
}

// rect draws a filled rectangle from its top left corner.
func (c *canvas) rect(x, y, w, h float64, fill, stroke string, opacity float64) {
	fmt.Fprintf(&c.b, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s" fill-opacity="%s" stroke="%s"/>`+"\n", px(x),
		px(y), px(w), px(h), fill, px(opacity), stroke)
	c.tikz.polygon([][2]float64{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}, filled(fill, stroke, opacity),
		" -- cycle")
}

// text writes a label; anchor is start, middle or end.
func (c *canvas) text(x, y float64, anchor, colour, s string) { c.styled(x, y, anchor, colour, "", s) }

// styled writes a label with further attributes.
func (c *canvas) styled(x, y float64, anchor, colour, style, s string) {
	c.tikz.text(x, y, anchor, colour, s, strings.Contains(style, "font-weight"), strings.Contains(style, "rotate"))
	fmt.Fprintf(&c.b, `<text x="%s" y="%s" text-anchor="%s" fill="%s" %s>%s</text>`+"\n", px(x), px(y), anchor, colour,
		style, html.EscapeString(s))
}

// titled draws with a text that shows where the pointer rests.
func (c *canvas) titled(text string, draw func()) {
	c.b.WriteString("<g><title>" + html.EscapeString(text) + "</title>")
	draw()
	c.b.WriteString("</g>\n")
}

// verticalLabel writes a label along the vertical axis.
func (c *canvas) verticalLabel(x, y float64, s string) {
	// The text is turned by 90 degrees around its anchor.
	c.styled(x, y, "middle", faint, fmt.Sprintf(`transform="rotate(-90 %s %s)"`, px(x), px(y)), s)
}

// markCorners are the corners of the markers, relative to the centre, in multiples of the radius; a circle has none.
// The factors make marks of different kinds look alike in size.
var markCorners = [5][][2]float64{
	1: {{-.9, -.9}, {.9, -.9}, {.9, .9}, {-.9, .9}},
	2: {{0, -1.2}, {1.1, .9}, {-1.1, .9}},
	3: {{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}},
	4: {{0, 1.2}, {1.1, -.9}, {-1.1, -.9}},
}

// mark draws the marker of a series: a circle, a square, a triangle, a diamond or a triangle upside down.
func (c *canvas) mark(kind int, x, y, r float64, colour string, opacity float64) {
	// The outline has the colour of the area.
	style := fmt.Sprintf(`fill="%s" fill-opacity="%s" stroke="%s"`, colour, px(opacity), colour)
	corners := markCorners[kind%len(markCorners)]
	if corners == nil {
		c.tikz.circle(x, y, r, filled(colour, colour, opacity))
		fmt.Fprintf(&c.b, `<circle cx="%s" cy="%s" r="%s" %s/>`+"\n", px(x), px(y), px(r), style)
		return
	}

	c.b.WriteString(`<polygon points="`)
	points := make([][2]float64, len(corners))
	for k, at := range corners {
		points[k] = [2]float64{x + r*at[0], y + r*at[1]}
		c.b.WriteString(px(x+r*at[0]) + "," + px(y+r*at[1]) + " ")
	}
	c.b.WriteString(`" ` + style + "/>\n")
	c.tikz.polygon(points, filled(colour, colour, opacity), " -- cycle")
}

// scale maps data to a monotone coordinate.
type scale struct {
	at    func(float64) float64          // the coordinate of a value
	ticks func(lo, hi float64) []float64 // values to label within a range
}

// linear is the scale of numbers that are compared by differences.
var linear = scale{func(v float64) float64 { return v }, linearTicks}

// logarithmic is the scale of positive numbers that are compared by ratios.
var logarithmic = scale{func(v float64) float64 { return math.Log10(math.Max(v, 1e-12)) }, logTicks}

// fromZero is logarithmic above a unit and shows zero.
func fromZero(unit float64) scale {
	// The inverse hyperbolic sine is linear near zero and logarithmic far from it.
	return scale{func(v float64) float64 { return math.Asinh(v/unit) / math.Ln10 }, func(_, hi float64) []float64 {
		out := []float64{0}
		for v := unit; v <= hi*1.0001 && len(out) < 40; v *= 10 {
			out = append(out, v)
		}
		return out
	}}
}

// linearTicks returns four to eight round values.
func linearTicks(lo, hi float64) []float64 {
	// A range without width has one value to label.
	if !(hi > lo) {
		return []float64{lo}
	}

	// The step is a power of ten at first, and then the smallest round multiple that gives few ticks.
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/4)))
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if (hi-lo)/(m*step) <= 7 {
			step *= m
			break
		}
	}
	var out []float64
	// The tolerance keeps ticks that rounding puts just outside the range.
	first := math.Ceil(lo/step - 1e-9)
	for k := 0.0; k < 12 && (first+k)*step <= hi+1e-9*step; k++ {
		out = append(out, (first+k)*step)
	}
	return out
}

// logTicks returns powers of ten, and twos and fives between them where there are few.
func logTicks(lo, hi float64) []float64 {
	// Over two orders of magnitude powers of ten are enough.
	factors := []float64{1}
	if hi/lo < 200 {
		factors = []float64{1, 2, 5}
	}
	var out []float64
	first := math.Floor(math.Log10(math.Max(lo, 1e-12)))
	for k := 0.0; k < 40 && first+k <= math.Ceil(math.Log10(hi)); k++ {
		e := first + k
		for _, f := range factors {
			// The factors allow for rounding at both ends.
			if v := f * math.Pow(10, e); v >= lo*0.999 && v <= hi*1.001 {
				out = append(out, v)
			}
		}
	}
	return out
}

// plot is a frame with two axes on a canvas.
type plot struct {
	c          *canvas
	x, y, w, h float64 // of the frame, from the top left
	xs, ys     scale
	xr, yr     [2]float64 // ranges of the data
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
			if at-last >= 30 {
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

// tick shows a value of an axis.
func tick(v float64) string {
	// Labels have at most a few characters.
	switch a := math.Abs(v); {
	case a >= 1e4:
		return strconv.FormatFloat(v/1000, 'g', 4, 64) + "k"
	case a != 0 && a < 1e-3:
		return strconv.FormatFloat(v, 'e', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// style is how a method is drawn everywhere.
type style struct {
	colour string
	mark   int    // as canvas.mark has them
	dash   string // of lines, "" for none
}

// styles are the styles of the methods and of the controls.
var styles = map[string]style{
	"exact":        {"#1f3a68", 0, ""},
	"aggregated":   {"#c8741a", 1, ""},
	"proxy":        {"#0f8a5f", 2, ""},
	"hybrid":       {"#8c3f97", 3, ""},
	"full":         {"#7a7d83", 4, ""},
	"start":        {"#6d4c2f", 4, ""},
	"proxy+zero":   {"#b23b3b", 1, ""},
	"proxy+random": {"#2b93b8", 3, ""},
}

// styleOf gives a method its colour, the same in all figures; variants of a method are paler and dashed.
func styleOf(method string) style {
	word, rest, _ := strings.Cut(method, "/")
	s, ok := styles[word]
	if !ok {
		// A method that has no style of its own is grey.
		s = style{"#555a61", 4, ""}
	}

	// The scheme changes how the line of the method is drawn, not its hue.
	switch rest {
	case "":
	case "plain":
		s.colour = lightened(s.colour, 0.42)
		s.dash = "6 3"
	default:
		s.colour = lightened(s.colour, 0.58)
		s.dash = "2 3"
	}
	return s
}

// lightened mixes a colour with white.
func lightened(colour string, part float64) string {
	// A colour is # and six hexadecimal digits.
	v, err := strconv.ParseUint(colour[1:], 16, 32)
	if err != nil {
		return colour
	}
	out := "#"
	for _, shift := range []uint{16, 8, 0} {
		// Each of red, green and blue moves a part of its way to 255.
		c := float64(v >> shift & 255)
		out += fmt.Sprintf("%02x", int(c+(255-c)*part))
	}
	return out
}

// legendWidth is the room of a method in a legend.
func legendWidth(method string) float64 { return 46 + 7.2*float64(len(method)) }

// legendHeight is the room that a legend needs on a canvas of some width.
func legendHeight(width float64, methods []string) float64 {
	// The layout is that of legend.
	rows := 1.0
	x := legendLeft
	for _, m := range methods {
		x += legendWidth(m)
		if x > width {
			rows++
			x = legendLeft + legendWidth(m)
		}
	}
	return 18*rows + 6
}

// legendLeft is the abscissa of the first method of a row.
const legendLeft = 56.0

// legend draws the methods in rows at the top.
func (c *canvas) legend(methods []string) {
	x, y := legendLeft, 18.0
	// A method that no longer fits begins a new row.
	for _, m := range methods {
		if x+legendWidth(m) > c.w {
			x = legendLeft
			y += 18
		}

		// The sample is drawn as in the figure: a line with a mark.
		s := styleOf(m)
		c.path([][2]float64{{x, y - 4}, {x + 22, y - 4}}, s.colour, 2, s.dash)
		c.mark(s.mark, x+11, y-4, 4, s.colour, 1)
		c.text(x+28, y, "start", ink, m)
		x += legendWidth(m)
	}
}
