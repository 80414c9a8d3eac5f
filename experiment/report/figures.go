package report

import (
	"cmp"
	"html"
	"math"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/experiment"
)

// Figure is a drawing of a report.
type Figure struct {
	ID, Title, Caption string
	SVG                string // for pages
	PGF                string // for LaTeX: a tikzpicture of the package pgfplots
}

// name gives the drawing a title of its own, for those who cannot see it.
func (f *Figure) name() {
	// The title is the first element of the drawing, within its root.
	head, rest, _ := strings.Cut(f.SVG, ">")
	f.SVG = head + ` role="img"><title>` + html.EscapeString(f.Title) + "</title>" + rest
}

// span is the range of values, not empty.
func span(values []float64, least float64) [2]float64 {
	// NaN and infinities have no place on an axis.
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if finite(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}

	// Without a finite value the range is that of an empty axis.
	if lo > hi {
		return [2]float64{0, max(least, 1e-3)}
	}

	// The upper end is at least the one that the caller gives.
	return [2]float64{lo, max(hi, least)}
}

// finite says whether a value has a place on an axis.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// gapFigure shows how the true gaps of a family's methods are distributed, shape by shape (the paper's figures 5 and
// 6).
func gapFigure(group []*shape) *Figure {
	// The exact methods have no gap to show, but for what their limit left.
	list := slices.DeleteFunc(methods(group...), func(m string) bool { return strings.HasPrefix(m, baseline) })
	if len(list) == 0 {
		return nil
	}

	// The axis spans the gaps of all shapes and methods.
	var all []float64
	for _, s := range group {
		for _, m := range list {
			all = append(all, collect(s.pairs(m), trueGap)...)
		}
	}

	// One frame, with an equal part of its width for each shape.
	const width, left = 900.0, 70
	top := legendHeight(width, list) + 12
	height := top + 300
	c := newCanvas(width, height)
	p := &plot{c: c, x: left, y: top, w: width - left - 20, h: height - top - 40, xs: linear, ys: fromZero(0.01),
		xr: [2]float64{0, float64(len(group))}, yr: [2]float64{0, math.Pow(10, math.Ceil(math.Log10(span(all, 0.1)[1])))}}
	p.axes("", "true gap (%)")
	c.legend(list)

	for k, s := range group {
		// The name of a shape stands below its part, and a line divides it from the next.
		p.name(float64(k)+0.5, s.name)
		if k > 0 {
			p.divider(float64(k))
		}

		// Methods are side by side, with half a place free at each end of a shape.
		for i, m := range list {
			places := float64(len(list)) + 0.5
			p.box(m, float64(k)+(float64(i)+0.5+0.25)/places, 0.5/places, collect(s.pairs(m), trueGap), styleOf(m))
		}
	}
	return &Figure{ID: texName("gaps-" + group[0].family), Title: "Distribution of the true gap, " + group[0].family + ".",
		Caption: "One mark a held-out instance; the box spans the quartiles, the line is the median. The axis is " +
			"logarithmic above 0.01 % and shows zero.", SVG: c.String(), PGF: c.pgf.String()}
}

// scalingFigure shows time and gap against the size of the instances (the paper's figure 8).
func scalingFigure(group []*shape) *Figure {
	if len(group) < 2 {
		return nil // a line needs two shapes
	}

	// Two frames side by side: times on the left, gaps on the right.
	list := methods(group...)
	const width, gapWidth = 900.0, 90
	top := legendHeight(width, list) + 12
	height := top + 290
	c := newCanvas(width, height)
	c.legend(list)
	frame := func(k int, ys scale, yr [2]float64, title string) *plot {
		w := (width - 2*gapWidth) / 2.0
		// The frame leaves room for labels on its left and for the names of shapes below.
		p := &plot{c: c, x: 70 + float64(k)*(w+gapWidth), y: top, w: w, h: height - top - 50, xs: linear, ys: ys,
			xr: [2]float64{-0.3, float64(len(group)) - 0.7}, yr: yr}
		p.axes("", title)
		for i, s := range group {
			p.name(float64(i), s.name)
		}
		return p
	}

	// The axes span our figures and the paper's.
	var times, gaps []float64
	for _, s := range group {
		for _, m := range list {
			times = append(times, Median(collect(s.pairs(m), runTime)))
			gaps = append(gaps, Median(collect(s.pairs(m), trueGap)))
		}

		// Figures of the paper that are missing are NaN, which span leaves out.
		if q := publishedFor(s.family, s.name); q != nil {
			times = append(times, q.oracleMedian, q.proxyMedian)
			gaps = append(gaps, q.gapMedian)
		}
	}
	tr := span(times, 1e-3)
	// A logarithmic axis has no zero: a microsecond is the least time.
	tr[0] = max(tr[0], 1e-6)
	// Limits a little beyond the figures keep marks off the frame.
	left := frame(0, logarithmic, [2]float64{tr[0] / 1.5, tr[1] * 1.5}, "median time (s)")
	right := frame(1, fromZero(0.01), [2]float64{0, span(gaps, 0.1)[1] * 1.3}, "median true gap (%)")

	// Our lines are drawn first, those of the paper above them.
	for _, m := range list {
		left.series(group, m, runTime)
		right.series(group, m, trueGap)
	}
	left.quote(group, func(q *published) float64 { return q.oracleMedian }, "paper: exact")
	left.quote(group, func(q *published) float64 { return q.proxyMedian }, "paper: proxy")
	right.quote(group, func(q *published) float64 { return q.gapMedian }, "paper: proxy")
	return &Figure{ID: texName("scaling-" + group[0].family), Title: "Scaling, " + group[0].family + ".",
		Caption: "Median time (left) and median true gap (right) by shape. Grey dotted: the paper's.",
		SVG:     c.String(), PGF: c.pgf.String()}
}

// series draws the medians of a method over the shapes.
func (p *plot) series(group []*shape, method string, value func(pair) float64) {
	s := styleOf(method)
	var points [][2]float64
	// A shape without finite values breaks no line: its neighbours are joined.
	for k, g := range group {
		if v := Median(collect(g.pairs(method), value)); finite(v) {
			points = append(points, [2]float64{float64(k), v})
		}
	}
	p.draw(points, look{colour: s.colour, width: 2, dash: s.dash, mark: s.mark, radius: 4.5, opacity: 1})
}

// quote draws the paper's figures over the shapes.
func (p *plot) quote(group []*shape, value func(*published) float64, label string) {
	var points [][2]float64
	// Only shapes of the paper have figures.
	for k, g := range group {
		if q := publishedFor(g.family, g.name); q != nil {
			points = append(points, [2]float64{float64(k), value(q)})
		}
	}
	if len(points) == 0 {
		return
	}

	// The label stands at the end of the line.
	p.draw(points, look{colour: "#9a9da3", width: 1.5, dash: "2 3"})
	p.label(points[len(points)-1], "#808389", label)
}

// convergenceFigure shows the gap against the cuts on the instance of median speedup of each shape (the paper's figures
// 7 and 9).
func convergenceFigure(group []*shape) *Figure {
	// A grid of small frames, one a shape, under one legend.
	list := methods(group...)
	const columns = 3
	// Rows of the grid, the last one perhaps not full.
	rows := (len(group) + columns - 1) / columns
	const cell, tall = 300.0, 250.0
	top := legendHeight(columns*cell, list) + 8
	c := newCanvas(columns*cell, top+float64(rows)*tall)
	c.legend(list)

	drawn := 0
	for k, s := range group {
		// A shape without instances has no frame, but keeps its place.
		in := s.representative()
		if in == nil {
			continue
		}
		drawn++
		s.convergence(c, in, float64(k%columns)*cell, top+float64(k/columns)*tall, cell, tall)
	}
	if drawn == 0 {
		return nil
	}
	return &Figure{ID: texName("convergence-" + group[0].family), Title: "Convergence, " + group[0].family + ".",
		Caption: "On the instance of median speedup of each shape, against the cuts so far. Lines: the proven gap 1 − " +
			"LB/UB of exact, aggregated and hybrid, and the true gap of the best design so far of proxy. Marks: the end of a " +
			"run, with the true gap of its design.", SVG: c.String(), PGF: c.pgf.String()}
}

// representative is the instance of median speedup of proxy, or the first one.
func (s *shape) representative() *instance {
	// Instances without a run of the baseline have no speedup.
	p := slices.DeleteFunc(s.pairs("proxy"), func(p pair) bool { return p.oracle == nil })
	if len(p) == 0 {
		// Without a speedup any instance is as good as another.
		if len(s.instances) == 0 {
			return nil
		}
		return s.instances[0]
	}

	// The lower of two middle instances is taken, so that the figure is of one that exists.
	slices.SortStableFunc(p, func(a, b pair) int { return cmp.Compare(speedup(a), speedup(b)) })
	return p[(len(p)-1)/2].in
}

// convergence draws one shape.
func (s *shape) convergence(c *canvas, in *instance, x, y, w, h float64) {
	type curve struct {
		method string
		points [][2]float64
		end    [2]float64
	}

	// The curves come first, since the axes span all of them.
	var curves []curve
	maxCuts := 1.0
	worst := 0.1
	// The methods of a single instance are those that it has records of.
	for _, m := range methods(&shape{instances: []*instance{in}}) {
		r := in.by[m]
		cv := curve{method: m, end: [2]float64{float64(r.Cuts.Total()), 100 * in.gap(float64(r.TrueCost))}}
		for _, t := range r.Trace {
			// The proven gap is that of the log: of the incumbent to the bound.
			g := 100 * (float64(t.Incumbent) - float64(t.Bound)) / math.Abs(float64(t.Incumbent))
			// Of a proxy run the designs are compared, not the bound, and so the curve is the true gap.
			if strings.HasPrefix(m, "proxy") {
				g = 100 * in.gap(float64(t.Incumbent))
			}

			// Gaps above 100 % are drawn at 100 %, so that the end of a run remains visible.
			if finite(g) {
				cv.points = append(cv.points, [2]float64{float64(t.Cuts), max(0, min(g, 100))})
				worst = max(worst, min(g, 100))
			}
			maxCuts = max(maxCuts, float64(t.Cuts))
		}

		// The last cuts of a run may come after the last point of its trace.
		maxCuts = max(maxCuts, cv.end[0])
		if finite(cv.end[1]) {
			worst = max(worst, min(cv.end[1], 100))
		}
		curves = append(curves, cv)
	}

	// The axes end a little beyond the curves.
	p := &plot{c: c, x: x + 56, y: y + 24, w: w - 76, h: h - 84, xs: fromZero(1), ys: fromZero(0.01), xr: [2]float64{0,
		maxCuts * 1.15}, yr: [2]float64{0, worst * 1.3}}
	p.axes("cuts", "gap (%)")
	p.title(p.x+p.w/2, y+14, "middle", s.name)

	for _, cv := range curves {
		// The curve shows the run, the mark its result.
		st := styleOf(cv.method)
		p.draw(cv.points, look{colour: st.colour, width: 1.8, dash: st.dash})
		if finite(cv.end[1]) {
			p.draw([][2]float64{cv.end}, look{colour: st.colour, mark: st.mark, radius: 5, opacity: 0.9})
		}
	}
}

// lossFigure shows the loss of a training run against its steps.
func lossFigure(t *experiment.Training) *Figure {
	if len(t.History) == 0 {
		return nil
	}

	// Both losses share an axis.
	var all []float64
	for _, h := range t.History {
		all = append(all, float64(h.Loss), float64(h.Validation))
	}

	// The frame leaves a margin above and below the curves.
	r := span(all, math.Inf(-1))
	margin := 0.06 * nonzero(r[1]-r[0])
	const width, height = 420, 250
	c := newCanvas(width, height)
	last := t.History[len(t.History)-1].Step
	p := &plot{c: c, x: 66, y: 34, w: width - 66 - 20, h: height - 34 - 46, xs: linear, ys: linear, xr: [2]float64{0,
		float64(last)}, yr: [2]float64{r[0] - margin, r[1] + margin}}
	p.axes("optimiser steps", "loss")

	p.title(66, 18, "start", t.Family+" "+t.Shape)

	// The curves have a point for each validation check.
	var loss, valid [][2]float64
	for _, h := range t.History {
		loss = append(loss, [2]float64{float64(h.Step), float64(h.Loss)})
		valid = append(valid, [2]float64{float64(h.Step), float64(h.Validation)})
	}
	training := look{colour: "#9a9da3", width: 1.3}
	validation := look{colour: "#0f8a5f", width: 2}
	p.draw(loss, training)
	p.draw(valid, validation)
	// The weights that are kept are those of the marked step.
	if t.BestStep > 0 {
		p.draw([][2]float64{{float64(t.BestStep), float64(t.Validation)}},
			look{colour: "#0f8a5f", mark: 2, radius: 4.5, opacity: 1})
	}

	// The names of the curves take the place of a legend.
	c.pgf.entry("training", training)
	c.pgf.entry("validation", validation)
	c.text(width-20, 18, "end", "#0f8a5f", "validation")
	c.text(width-92, 18, "end", "#808389", "training")
	return &Figure{ID: texName("loss-" + t.Family + "-" + t.Shape + t.Preset.Suffix()),
		Title: "Training, " + t.Family + " " + t.Shape + ".", SVG: c.String(), PGF: c.pgf.String()}
}
