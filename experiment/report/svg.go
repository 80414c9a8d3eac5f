package report

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// canvas collects the elements of a drawing, for SVG and for LaTeX.
type canvas struct {
	b    strings.Builder // the elements of SVG so far
	pgf  pgf             // the axes and the legend for LaTeX
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
}

// path draws a line through points; dash is the pattern of the line, "" for none.
func (c *canvas) path(points [][2]float64, colour string, width float64, dash string) {
	if len(points) == 0 {
		return
	}
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
}

// text writes a label; anchor is start, middle or end.
func (c *canvas) text(x, y float64, anchor, colour, s string) { c.styled(x, y, anchor, colour, "", s) }

// styled writes a label with further attributes.
func (c *canvas) styled(x, y float64, anchor, colour, style, s string) {
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
		fmt.Fprintf(&c.b, `<circle cx="%s" cy="%s" r="%s" %s/>`+"\n", px(x), px(y), px(r), style)
		return
	}

	c.b.WriteString(`<polygon points="`)
	for _, at := range corners {
		c.b.WriteString(px(x+r*at[0]) + "," + px(y+r*at[1]) + " ")
	}
	c.b.WriteString(`" ` + style + "/>\n")
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
		c.pgf.entry(m, look{colour: s.colour, width: 2, dash: s.dash, mark: s.mark, radius: 4, opacity: 1})
		c.path([][2]float64{{x, y - 4}, {x + 22, y - 4}}, s.colour, 2, s.dash)
		c.mark(s.mark, x+11, y-4, 4, s.colour, 1)
		c.text(x+28, y, "start", ink, m)
		x += legendWidth(m)
	}
}
