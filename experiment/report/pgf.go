package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// pgf collects a drawing for the LaTeX package pgfplots: an axis for each frame, at the same place as in the SVG
// drawing and half a point a pixel, with curves in the units of the data. The zero value is an empty drawing.
type pgf struct {
	axes    []*pgfAxis
	entries []pgfEntry
}

// pgfEntry is a name of the legend, and the options of its sample.
type pgfEntry struct{ name, options string }

// pgfAxis is an axis: a frame with its titles, the names of shapes below it, and what is drawn.
type pgfAxis struct {
	frame                 *plot
	title, xTitle, yTitle string
	names                 []pgfName
	body                  strings.Builder
}

// pgfName is a name below the horizontal axis, and its abscissa.
type pgfName struct {
	at   float64
	text string
}

// entry adds a name to the legend, which the first axis has.
func (g *pgf) entry(name string, l look) { g.entries = append(g.entries, pgfEntry{name, l.pgf()}) }

// pgfStyle are the options that the axes of a figure share.
const pgfStyle = `  scale only axis, clip mode=individual, axis x line*=bottom, axis y line*=left, y axis line style={draw=none},
  ytick style={draw=none}, tick align=outside, ymajorgrids, grid style={draw={rgb,255:red,227;green,229;blue,232}},
  tick label style={font=\scriptsize}, label style={font=\scriptsize}, title style={font=\scriptsize\bfseries},
  legend cell align=left, /tikz/every even column/.append style={column sep=6bp}`

// String returns the picture.
func (g *pgf) String() string {
	var b strings.Builder
	b.WriteString("% Needs \\usepackage{pgfplots} and \\pgfplotsset{compat=1.16}.\n")
	b.WriteString("\\begin{tikzpicture}[/pgfplots/every axis/.append style={\n" + pgfStyle + "}]\n")
	for k, a := range g.axes {
		a.begin(&b)
		// One legend serves all axes.
		if k == 0 {
			g.legend(&b)
		}
		b.WriteString("]\n")
		if k == 0 {
			for _, e := range g.entries {
				fmt.Fprintf(&b, "\\addlegendimage{%s}\n\\addlegendentry{%s}\n", e.options, tex(e.name))
			}
		}
		b.WriteString(a.body.String())
		b.WriteString("\\end{axis}\n")
	}
	b.WriteString("\\end{tikzpicture}\n")
	return b.String()
}

// legend writes the options of the legend, which stands above the axis and its title.
func (g *pgf) legend(b *strings.Builder) {
	if len(g.entries) == 0 {
		return
	}
	widest := 0.0
	for _, e := range g.entries {
		widest = max(widest, legendWidth(e.name))
	}
	columns := int(max(1, (g.axes[0].frame.c.w-legendLeft)/widest))
	shift := 6
	if g.axes[0].title != "" {
		shift = 18
	}
	fmt.Fprintf(b, "  legend columns=%d, legend style={at={(0,1)}, anchor=south west, yshift=%dbp, draw=none,\n"+
		"    fill=none, font=\\scriptsize},\n", columns, shift)
}

// begin writes the beginning of the environment with the options of the frame.
func (a *pgfAxis) begin(b *strings.Builder) {
	p := a.frame
	fmt.Fprintf(b, "\\begin{axis}[\n  at={(%sbp,%sbp)}, width=%sbp, height=%sbp,\n", px(p.x/2), px(-(p.y+p.h)/2),
		px(p.w/2), px(p.h/2))
	fmt.Fprintf(b, "  xmin=%s, xmax=%s, ymin=%s, ymax=%s,\n", pgfNumber(p.xr[0]), pgfNumber(p.xr[1]), pgfNumber(p.yr[0]),
		pgfNumber(p.yr[1]))
	for _, s := range []struct{ letter, options string }{{"x", p.xs.pgf}, {"y", p.ys.pgf}} {
		if s.options != "" {
			fmt.Fprintf(b, "  %s,\n", strings.ReplaceAll(s.options, "AXIS", s.letter))
		}
	}

	// Ticks have the same labels as in the SVG drawing.
	if a.title != "" {
		fmt.Fprintf(b, "  title={%s},\n", tex(a.title))
	}
	names := a.names
	if a.xTitle != "" {
		fmt.Fprintf(b, "  xlabel={%s},\n", tex(a.xTitle))
		names = a.ticks()
	}
	pgfTicks(b, "x", names)
	fmt.Fprintf(b, "  ylabel={%s},\n", tex(a.yTitle))
	names = nil
	for _, v := range p.ys.ticks(p.yr[0], p.yr[1]) {
		names = append(names, pgfName{v, tick(v)})
	}
	pgfTicks(b, "y", names)
}

// ticks are those of the horizontal axis; labels that would overlap are empty.
func (a *pgfAxis) ticks() []pgfName {
	p := a.frame
	var list []pgfName
	last := math.Inf(-1)
	for _, v := range p.xs.ticks(p.xr[0], p.xr[1]) {
		label := ""
		if p.px(v)-last >= minTickDistance {
			label = tick(v)
			last = p.px(v)
		}
		list = append(list, pgfName{v, label})
	}
	return list
}

// pgfTicks writes the ticks of an axis with their labels.
func pgfTicks(b *strings.Builder, letter string, names []pgfName) {
	var at, labels []string
	for _, n := range names {
		at = append(at, pgfNumber(n.at))
		labels = append(labels, "{"+tex(n.text)+"}")
	}
	// An axis without a tick has none of pgfplots' own choice either.
	if len(at) == 0 {
		at = []string{`\empty`}
	}
	fmt.Fprintf(b, "  %stick={%s}, %sticklabels={%s},\n", letter, strings.Join(at, ","), letter, strings.Join(labels, ","))
}

// pgfNumber writes a number with six significant digits.
func pgfNumber(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// pgfColour is a colour of the drawing, # and six hexadecimal digits, for an option.
func pgfColour(colour string) string {
	v, err := strconv.ParseUint(strings.TrimPrefix(colour, "#"), 16, 32)
	if err != nil {
		return "black"
	}
	return fmt.Sprintf("{rgb,255:red,%d;green,%d;blue,%d}", v>>16&255, v>>8&255, v&255)
}

// pgfMarks are the names of the markers, in the order of markCorners.
var pgfMarks = [len(markCorners)]string{"*", "square*", "triangle*", "diamond*", "triangle*"}

// pgf returns the options of a plot.
func (l look) pgf() string {
	options := []string{"color=" + pgfColour(l.colour)}
	if l.width > 0 {
		options = append(options, "line width="+px(l.width/2)+"bp", "line join=round")
	} else {
		options = append(options, "only marks")
	}
	if on, off, ok := strings.Cut(l.dash, " "); ok {
		options = append(options, fmt.Sprintf("dash pattern=on %sbp off %sbp", on, off))
	}
	if l.radius > 0 {
		kind := l.mark % len(pgfMarks)
		// The last marker is the triangle upside down. Marks are drawn by solid lines where the curve is dashed.
		turned := ""
		if kind == len(pgfMarks)-1 {
			turned = ",rotate=180"
		}
		options = append(options, fmt.Sprintf("mark=%s,mark size=%sbp", pgfMarks[kind], px(l.radius/2)),
			fmt.Sprintf("mark options={solid,line width=0.4bp,fill opacity=%s%s}", px(l.opacity), turned))
	} else {
		options = append(options, "no marks")
	}
	return strings.Join(options, ",")
}

// path adds a curve with its marks.
func (a *pgfAxis) path(points [][2]float64, l look) {
	fmt.Fprintf(&a.body, "\\addplot[%s] coordinates {%s};\n", l.pgf(), a.coordinates(points))
}

// area adds a filled area with an outline.
func (a *pgfAxis) area(corners [][2]float64, colour string) {
	fmt.Fprintf(&a.body, "\\addplot[color=%s,fill,fill opacity=0.18,line width=0.5bp,no marks]"+
		" coordinates {%s} -- cycle;\n", pgfColour(colour), a.coordinates(corners))
}

// label adds a text that ends a little above a point.
func (a *pgfAxis) label(point [2]float64, colour, text string) {
	fmt.Fprintf(&a.body, "\\node[anchor=south east,font=\\tiny,text=%s] at (axis cs:%s) {%s};\n", pgfColour(colour),
		a.coordinate(point), tex(text))
}

// coordinates writes points, a few on a line.
func (a *pgfAxis) coordinates(points [][2]float64) string {
	var b strings.Builder
	for k, v := range points {
		if k%6 == 0 && len(points) > 6 {
			b.WriteString("\n  ")
		}
		fmt.Fprintf(&b, "(%s)", a.coordinate(v))
	}
	return b.String()
}

// coordinate writes a point; one beyond the axes, or at infinity, stands at their end, as in the SVG drawing.
func (a *pgfAxis) coordinate(v [2]float64) string {
	within := func(v float64, r [2]float64) string { return pgfNumber(min(max(v, r[0]), r[1])) }
	return within(v[0], a.frame.xr) + "," + within(v[1], a.frame.yr)
}

// pgfFromZero are the options of the scale fromZero: the inverse hyperbolic sine as a transformation of coordinates.
// TeX's own numbers end at 16384, so the formula needs pgf's floating-point unit.
func pgfFromZero(unit float64) string {
	const code = "  AXIS coord %s/.code={\\begingroup\\pgfkeys{/pgf/fpu=true,/pgf/fpu/output format=fixed}" +
		"\\pgfmathparse{%s}\\pgfmathsmuggle\\pgfmathresult\\endgroup}"
	u := pgfNumber(unit)
	return strings.TrimSpace(fmt.Sprintf(code, "trafo", "ln(#1/"+u+"+sqrt((#1/"+u+")^2+1))") + ",\n" +
		fmt.Sprintf(code, "inv trafo", u+"*(exp(#1)-exp(-(#1)))/2"))
}
