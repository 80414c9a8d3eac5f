package sketch

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Sizes of a picture, in pixels.
const (
	width, margin = 1000.0, 40.0
	lowest        = 380.0 // of the part with the nodes
	highest       = 720.0
	line          = 20.0 // of text
	thinnest      = 1.2  // line with a flow
	widest        = 9.0
)

// style has the colours, light and dark.
const style = `svg{--paper:#fff;--ink:#1f2328;--faint:#6e7781;--closed:#afb8c1;--flow:#0969da;--open:#0969da;--client:#57606a;` +
	`--origin:#1a7f37;--destination:#bc4c00;--both:#8250df;--transit:#6e7781;font:13px system-ui,sans-serif}
@media(prefers-color-scheme:dark){svg{--paper:#0d1117;--ink:#e6edf3;--faint:#9198a1;--closed:#59626d;--flow:#4493f8;--open:#4493f8;` +
	`--client:#9198a1;--origin:#3fb950;--destination:#f0883e;--both:#ab7df8;--transit:#6e7681}}
.paper{fill:var(--paper)}text{fill:var(--ink)}.title{font-size:17px;font-weight:600}.note{fill:var(--faint)}
.flow path{stroke:var(--flow);fill:none;opacity:.62}.flow polygon{fill:var(--flow)}
.closed-arc path{stroke:var(--closed);fill:none;stroke-dasharray:3 4;opacity:.8}.closed-arc polygon{fill:var(--closed);opacity:.8}
.label{font-size:11px;paint-order:stroke;stroke:var(--paper);stroke-width:3px}.in{font-size:11px;fill:#fff;text-anchor:middle;font-weight:600}
.open{fill:var(--open);stroke:var(--paper)}.closed{fill:var(--paper);stroke:var(--closed);stroke-width:1.5}.client{fill:var(--client);stroke:var(--paper)}
.origin{fill:var(--origin)}.destination{fill:var(--destination)}.both{fill:var(--both)}.transit{fill:var(--transit)}
g:hover>path{opacity:1}g:hover>rect,g:hover>circle{stroke:var(--ink)}`

// legend has the descriptions of the kinds of nodes.
var legend = [...]string{transit: "transit", Origin: "origin", Destination: "destination",
	Both:   "origin and destination",
	Client: "client", Open: "open facility", Closed: "closed facility"}

// class has the style class of each kind of nodes.
var class = [...]string{transit: "transit", Origin: "origin", Destination: "destination", Both: "both",
	Client: "client",
	Open:   "open", Closed: "closed"}

// picture is a drawing while it is written as SVG.
type picture struct {
	w *bufio.Writer
	d *Drawing

	// The places of the nodes, in pixels, y downwards.
	at [][2]float64

	// The factor of sizes, at most 1: many nodes are drawn small.
	crowd float64

	height float64
}

// SVG writes the picture.
func (d *Drawing) SVG(w io.Writer) error {
	p := &picture{w: bufio.NewWriter(w), d: d}
	// Up to 60 nodes have their full size.
	p.crowd = min(1, max(0.3, math.Sqrt(60/float64(max(len(d.Nodes), 1)))))
	top := margin + line*float64(1+len(d.Notes))
	bottom := p.fit(d.Places(), top)
	p.height = bottom + margin + 2*line

	// The head: the page, its title for those who cannot see it, and the colours.
	fmt.Fprintf(p.w, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "+
		"height=\"%.0f\">\n<title>%s</title>\n<style>%s</style>\n",
		width, p.height, width, p.height, escape(d.Title), style)
	// The title and the notes are above the drawing, one below the other.
	fmt.Fprintf(p.w, "<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n<text class=\"title\" x=\"%.0f\" "+
		"y=\"%.0f\">%s</text>\n", margin/2, margin*0.8,
		escape(d.Title))
	for k, note := range d.Notes {
		fmt.Fprintf(p.w, "<text class=\"note\" x=\"%.0f\" y=\"%.0f\">%s</text>\n", margin/2, margin*0.8+line*float64(k+1),
			escape(note))
	}

	// Facilities and network nodes are drawn over lines, closed facilities and clients.
	p.links()
	for _, layer := range [][]kind{{Closed}, {Client}, {Open, transit, Origin, Destination, Both}} {
		for v := range d.Nodes {
			if slices.Contains(layer, d.Nodes[v].Kind) {
				p.node(v)
			}
		}
	}

	// The legend comes last, below the drawing.
	p.legend()
	p.w.WriteString("</svg>\n")
	return p.w.Flush()
}

// escape returns a text for XML.
func escape(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a builder cannot fail
	return b.String()
}

// fit scales places to the page below top and returns their lower end.
func (p *picture) fit(places [][2]float64, top float64) (bottom float64) {
	// The box around all places, in their own unit.
	low := [2]float64{math.Inf(1), math.Inf(1)}
	high := [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, at := range places {
		for a, v := range at {
			low[a] = min(low[a], v)
			high[a] = max(high[a], v)
		}
	}

	// One scale for both directions: the width of the page decides, unless the picture would be too high.
	// A drawing with one node, or with nodes in a row, has no width or height.
	wide := max(high[0]-low[0], 1e-300)
	tall := max(high[1]-low[1], 1e-300)
	scale := (width - 2*margin) / wide
	height := min(max(tall*scale, lowest), highest)
	scale = min(scale, height/tall)

	p.at = make([][2]float64, len(places))
	// The drawing is centred in its box, and turned upside down, since y grows downwards on a page.
	for v, at := range places {
		p.at[v] = [2]float64{width/2 + (at[0]-(low[0]/2+high[0]/2))*scale, top + margin/2 +
			height/2 - (at[1]-(low[1]/2+high[1]/2))*scale}
	}
	return top + margin/2 + height
}

// radius is that of a node.
func (p *picture) radius(v int) float64 {
	n := &p.d.Nodes[v]
	// The area of a node grows with its size.
	size := math.Sqrt(max(n.Size, 0))
	switch n.Kind {
	case Client:
		return (2 + 4*size) * p.crowd
	case Open, Closed:
		return (5 + 6*size) * max(p.crowd, 0.5)
	}
	return (9 + 5*size) * max(p.crowd, 0.5)
}

// links draws the lines; lines between the same two nodes are bent away from each other.
func (p *picture) links() {
	// Lines in both directions between two nodes count together.
	count := map[[2]int]int{}
	for _, l := range p.d.Links {
		count[ends(l)]++
	}
	drawn := map[[2]int]int{}
	for _, l := range p.d.Links {
		pair := ends(l)

		// A bend is to the right of the direction, so two opposite lines need only one.
		bend := 0.0
		if count[pair] > 1 {
			bend = 0.1 * float64(1+drawn[pair]/2)
		}
		drawn[pair]++
		p.link(l, bend)
	}
}

// ends returns the nodes of a line, the lower number first.
func ends(l Link) [2]int { return [2]int{min(l.From, l.To), max(l.From, l.To)} }

// link draws a line as a quadratic curve, with an arrow head if it is directed.
func (p *picture) link(l Link, bend float64) {
	from := p.at[l.From]
	to := p.at[l.To]
	dx := to[0] - from[0]
	dy := to[1] - from[1]
	// A line between two nodes at one place has no direction.
	if math.Hypot(dx, dy) < 1e-6 {
		return
	}
	middle := [2]float64{(from[0]+to[0])/2 - bend*2*dy, (from[1]+to[1])/2 + bend*2*dx}

	// The width grows from the thinnest line to the widest one.
	stroke := thinnest + (widest-thinnest)*min(max(l.Width, 0), 1)
	group := "flow"
	if !l.Arrow {
		stroke *= 0.7
	}
	if l.Faint {
		stroke = 1
		group = "closed-arc"
	}

	// A crowded picture has thin lines.
	stroke *= p.crowd

	// The curve ends at the borders of the nodes, before the arrow head.
	head := 0.0
	if l.Arrow {
		head = 4 + 1.6*stroke
	}
	start := toward(from, middle, p.radius(l.From))
	tip := toward(to, middle, p.radius(l.To)+1)
	end := toward(tip, middle, head*0.8)
	// The line is a curve through the bent middle, whose tooltip says what it carries.
	fmt.Fprintf(p.w, "<g class=\"%s\"><title>%s</title><path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\" "+
		"stroke-width=\"%.2f\"/>", group, escape(l.Tip),
		start[0], start[1], middle[0], middle[1], end[0], end[1], stroke)
	// The head is a triangle at the tip, across the direction of the curve.
	if l.Arrow {
		back := toward(tip, middle, head)
		nx := (tip[1] - back[1]) * 0.45
		ny := (back[0] - tip[0]) * 0.45
		fmt.Fprintf(p.w, "<polygon points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>", tip[0], tip[1], back[0]+nx, back[1]+ny,
			back[0]-nx, back[1]-ny)
	}
	p.w.WriteString("</g>\n")
}

// toward returns the point at a distance from a on the line to b.
func toward(a, b [2]float64, distance float64) [2]float64 {
	// The least length keeps the quotient finite for points at one place.
	dx := b[0] - a[0]
	dy := b[1] - a[1]
	length := max(math.Hypot(dx, dy), 1e-9)
	return [2]float64{a[0] + dx/length*distance, a[1] + dy/length*distance}
}

// Limits of the number of nodes for labels.
const (
	manyLabels = 400 // with more nodes only open facilities have labels
	someLabels = 100 // with more nodes closed facilities have none
)

// node draws a node, its tooltip and its label.
func (p *picture) node(v int) {
	n := &p.d.Nodes[v]
	// The node, its tooltip and its label are one group, so that the pointer finds all of them.
	p.w.WriteString("<g>")
	if n.Tip != "" {
		fmt.Fprintf(p.w, "<title>%s</title>", escape(n.Tip))
	}
	p.shape(n.Kind, p.at[v], p.radius(v))

	label := n.Label
	// Open facilities always have their label.
	limit := manyLabels
	if n.Kind == Closed {
		limit = someLabels
	}
	if len(p.d.Nodes) > limit && n.Kind != Open {
		label = ""
	}

	// A short label fits into a large node, any other one is next to it.
	r := p.radius(v)
	switch {
	case label == "":
	case n.Kind <= Both && r >= 8 && len(label) <= 3:
		fmt.Fprintf(p.w, "<text class=\"in\" x=\"%.1f\" y=\"%.1f\">%s</text>", p.at[v][0], p.at[v][1]+4, escape(label))
	default:
		fmt.Fprintf(p.w, "<text class=\"label\" x=\"%.1f\" y=\"%.1f\">%s</text>", p.at[v][0]+r+2, p.at[v][1]-r+2,
			escape(label))
	}
	p.w.WriteString("</g>\n")
}

// shape draws a facility as a square, any other node as a disc.
func (p *picture) shape(k kind, at [2]float64, r float64) {
	// The kinds differ by their form as well, for readers who cannot distinguish the colours.
	if k == Open || k == Closed {
		fmt.Fprintf(p.w, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"2\"/>", class[k],
			at[0]-r, at[1]-r, 2*r, 2*r)
		return
	}
	fmt.Fprintf(p.w, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>", class[k], at[0], at[1], r)
}

// legend describes the kinds of nodes and lines that the picture has.
func (p *picture) legend() {
	// The entries follow each other in one line at the bottom of the page.
	x := margin/2 + 8
	y := p.height - line
	for k := range legend {
		// A kind that the drawing does not have needs no entry.
		if !slices.ContainsFunc(p.d.Nodes, func(n Node) bool { return n.Kind == kind(k) }) {
			continue
		}
		p.shape(kind(k), [2]float64{x, y - 4}, 6)
		fmt.Fprintf(p.w, "<text class=\"note\" x=\"%.0f\" y=\"%.0f\">%s</text>\n", x+12, y, legend[k])
		// The width of an entry is estimated by its number of characters.
		x += 40 + 7.5*float64(len(legend[k]))
	}

	// An example of each kind of line.
	sample := func(group, text string, stroke float64) {
		fmt.Fprintf(p.w, "<g class=\"%s\"><path d=\"M%.0f %.0fh28\" stroke-width=\"%.1f\"/></g><text class=\"note\" "+
			"x=\"%.0f\" y=\"%.0f\">%s</text>\n", group, x-4, y-4, stroke, x+32, y, escape(text))
		x += 60 + 7.5*float64(len(text))
	}
	if p.d.Widest != "" {
		sample("flow", p.d.Widest, widest*0.7)
	}

	// Lines without a flow have an entry where there are some.
	if slices.ContainsFunc(p.d.Links, func(l Link) bool { return l.Faint }) {
		sample("closed-arc", "closed arc", 1)
	}
}
