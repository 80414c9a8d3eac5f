package cli

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/internal/sketch"
)

// runPageText is the layout of --html: one page, with everything that it shows inside.
//
//go:embed runpage.html
var runPageText string

// runPage is a page about a run. Each step of a command fills its own fields.
type runPage struct {
	Title, Command string

	// What the summary says, and what was warned of.
	Summary  []pageItem
	Warnings []string

	// Pictures, empty for none: the objective and the bound over time, and the design.
	Chart, Picture template.HTML

	Parts  []pagePart
	Tables []pageTable

	Log     string
	Version string

	log bytes.Buffer // the log as it is written
}

// pageItem is a line of the summary.
type pageItem struct{ Name, Value string }

// pagePart is a part of the time of a run.
type pagePart struct {
	Name, Text string
	seconds    float64
	Percent    float64 // of the longest part
}

// pageTable is a table of the solution, up to maxPageRows of its rows.
type pageTable struct {
	Name, Note string
	Columns    []string
	Rows       [][]string
}

// maxPageRows is how many rows of a table are on the page; --solution has all.
const maxPageRows = 500

// addPage adds --html.
func (f *solveFlags) addPage(c *cobra.Command) {
	c.Flags().StringVar(&f.html, "html", "",
		"write a page about the run to this `FILE`: objective and bound over time, solution, log")
}

// wantsPage reports whether a page is asked for.
func (a *app) wantsPage() bool { return a.flags.html != "" }

// beginPage makes the page, and has the log written to it as well.
func (a *app) beginPage() {
	if !a.wantsPage() {
		return
	}
	a.page = &runPage{Command: "proxybd " + strings.Join(a.args, " "), Version: readVersion().String()}
	a.log.w = io.MultiWriter(a.log.w, &a.page.log)
}

// takeSolution takes the tables and the picture of a design.
func (p *runPage) takeSolution(s *families.Solution) error {
	if p == nil {
		return nil
	}
	p.takeTables(s.Tables)
	if s.Drawing == nil {
		return nil
	}
	return p.draw(s.Drawing)
}

// draw takes the picture of a design.
func (p *runPage) draw(d *sketch.Drawing) error {
	var b bytes.Buffer
	if err := d.SVG(&b); err != nil {
		return err
	}

	// The picture is our own text, in which names are escaped already.
	p.Picture = template.HTML(b.String())
	return nil
}

// takeTables takes the tables of a solution.
func (p *runPage) takeTables(tables []families.Table) {
	if p == nil {
		return
	}

	// A table gives its rows one by one; those beyond the limit are only counted.
	for _, t := range tables {
		one := pageTable{Name: t.Name, Columns: t.Columns}
		rows := 0
		t.Rows(func(cells ...any) {
			if rows++; rows > maxPageRows {
				return
			}
			var line []string
			for _, c := range cells {
				if v, ok := c.(float64); ok {
					line = append(line, showExact(v+0))
				} else {
					line = append(line, showCell(c))
				}
			}
			one.Rows = append(one.Rows, line)
		})
		if one.Note = fmt.Sprintf("%d rows", rows); rows > maxPageRows {
			one.Note += fmt.Sprintf(", the first %d are shown", maxPageRows)
		}
		p.Tables = append(p.Tables, one)
	}
}

// bendersParts are the parts of the time of a Benders run.
func (p *runPage) bendersParts(of *benders.Parts) {
	if p == nil {
		return
	}
	for _, part := range []struct {
		name string
		time float64
	}{
		{"master", of.Master.Seconds()},
		{"separation", of.Separation.Seconds()},
		{"recourse", of.Recourse.Seconds()},
		{"heuristic", of.Heuristic.Seconds()},
		{"presolve", of.Presolve.Seconds()},
		{"other", of.Other.Seconds()},
	} {
		p.addPart(part.name, part.time)
	}
}

// addPart adds a part of the time, in seconds.
func (p *runPage) addPart(name string, seconds float64) {
	if p != nil && seconds > 0 {
		p.Parts = append(p.Parts, pagePart{Name: name, Text: fmt.Sprintf("%.2f s", seconds), seconds: seconds})
	}
}

// finishPage writes the page.
func (a *app) finishPage(title string, r *report, trace []tracePoint, summary []item) error {
	p := a.page
	if p == nil {
		return nil
	}
	p.Title = title
	p.Warnings = r.Warnings
	p.Log = p.log.String()
	for _, it := range summary {
		// The times have a picture of their own.
		if it.name != "time by part" {
			p.Summary = append(p.Summary, pageItem{it.name, it.value})
		}
	}

	// Each part is a bar, and the longest one has the whole width.
	longest := 0.0
	for _, part := range p.Parts {
		longest = max(longest, part.seconds)
	}
	for k := range p.Parts {
		p.Parts[k].Percent = math.Round(1000*p.Parts[k].seconds/longest) / 10
	}
	p.Chart = chart(trace)

	t, err := template.New("run").Parse(runPageText)
	if err != nil {
		return err
	}
	return a.writeFile(a.flags.html, func(w io.Writer) error { return t.Execute(w, p) })
}

// chart draws the objective and the bound over time as lines of steps; it is empty with fewer than two points.
func chart(trace []tracePoint) template.HTML {
	const (
		width, height = 720.0, 260.0
		left, right   = 100.0, 10.0
		top, bottom   = 12.0, 34.0
	)
	low, high := math.Inf(1), math.Inf(-1)
	isKnown := func(v number) bool { return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0) }
	if len(trace) < 2 {
		return ""
	}

	// The first values of a run are often far from all others, which would be one line then: those of the first
	// twentieth of the time do not count, and are drawn at the edge.
	end := max(float64(trace[len(trace)-1].Seconds), 1e-3)
	for k, p := range trace {
		early := float64(p.Seconds) < end/20 && k < len(trace)-2
		for _, v := range []number{p.Objective, p.Bound} {
			if isKnown(v) && !early {
				low = min(low, float64(v))
				high = max(high, float64(v))
			}
		}
	}
	if low > high {
		return ""
	}
	if low == high {
		low--
		high++
	}

	x := func(t number) float64 { return left + (width-left-right)*float64(t)/end }
	y := func(v float64) float64 { return top + (height-top-bottom)*(high-min(max(v, low), high))/(high-low) }
	line := func(class string, of func(tracePoint) number) string {
		var d strings.Builder
		for _, p := range trace {
			v := of(p)
			switch {
			case !isKnown(v):
			case d.Len() == 0:
				fmt.Fprintf(&d, "M%.1f %.1f", x(p.Seconds), y(float64(v)))
			default:
				fmt.Fprintf(&d, "H%.1fV%.1f", x(p.Seconds), y(float64(v)))
			}
		}
		if d.Len() == 0 {
			return ""
		}
		return fmt.Sprintf(`<path class="%s" d="%sH%.1f"/>`, class, d.String(), width-right)
	}

	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %g %g" width="%g" role="img" aria-label="objective and bound over time">`,
		width, height, width)
	fmt.Fprintf(&b, `<path class="axis" d="M%g %gV%gH%g"/>`, left, top, height-bottom, width-right)
	for _, v := range []float64{low, high} {
		fmt.Fprintf(&b, `<path class="grid" d="M%g %.1fH%g"/><text x="%g" y="%.1f" text-anchor="end">%.7g</text>`, left, y(v),
			width-right, left-6, y(v)+4, v)
	}
	fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="end">%.3g s</text>`, width-right, height-10, end)
	fmt.Fprintf(&b, `<text class="cost" x="%g" y="%g">objective</text><text class="bound" x="%g" y="%g">bound</text>`,
		left+10, height-10, left+90, height-10)
	b.WriteString(line("bound", func(p tracePoint) number { return p.Bound }))
	b.WriteString(line("cost", func(p tracePoint) number { return p.Objective }))
	b.WriteString("</svg>")

	// All of it is numbers and words of this function.
	return template.HTML(b.String())
}
