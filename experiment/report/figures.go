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
	TikZ               string // for LaTeX
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
		return [2]float64{0, least}
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
		c.styled(p.px(float64(k)+0.5), p.y+p.h+20, "middle", ink, `font-weight="600"`, s.name)
		if k > 0 {
			c.line(p.px(float64(k)), p.y, p.px(float64(k)), p.y+p.h, grid, 1)
		}

		// Methods are side by side, with half a place free at each end of a shape.
		for i, m := range list {
			at := p.px(float64(k) + (float64(i)+0.5+0.25)/(float64(len(list))+0.5))
			p.box(m, at, 0.5*p.w/float64(len(group))/(float64(len(list))+0.5), collect(s.pairs(m), trueGap), styleOf(m))
		}
	}
	return &Figure{ID: "gaps-" + group[0].family, Title: "Distribution of the true gap, " + group[0].family + ".",
		Caption: "One mark a held-out instance; the box spans the quartiles, the line is the median. The axis is " +
			"logarithmic above 0.01 % and shows zero.", SVG: c.String(), TikZ: c.tikz.String()}
}

// box draws quartiles, median and every value around an abscissa.
func (p *plot) box(name string, at, width float64, values []float64, s style) {
	if len(values) == 0 {
		return
	}

	// Ordinates grow downwards, so that the upper quartile is the top of the box.
	top, bottom := p.py(quantile(values, .75)), p.py(quantile(values, .25))
	// A box of equal quartiles is drawn as a line of one pixel.
	p.c.rect(at-width/2, top, width, math.Max(bottom-top, 1), s.colour, s.colour, 0.18)
	for k, v := range values { // spread in a fixed pattern
		// Multiples of the golden ratio spread any number of marks evenly, the same in every run.
		dx := width * 0.42 * (2*math.Mod(float64(k)*0.618034, 1) - 1)
		p.c.titled(name+": "+figure(percent, v).Text+" %", func() { p.c.mark(s.mark, at+dx, p.py(v), 3, s.colour, 0.55) })
	}

	// The median is drawn last, above the marks.
	m := p.py(Median(values))
	p.c.line(at-width/2, m, at+width/2, m, s.colour, 2.5)
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
			c.text(p.px(float64(i)), p.y+p.h+18, "middle", faint, s.name)
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
	return &Figure{ID: "scaling-" + group[0].family, Title: "Scaling, " + group[0].family + ".",
		Caption: "Median time (left) and median true gap (right) by shape. Grey dotted: the paper's.",
		SVG:     c.String(), TikZ: c.tikz.String()}
}

// series draws the medians of a method over the shapes.
func (p *plot) series(group []*shape, method string, value func(pair) float64) {
	s := styleOf(method)
	var points [][2]float64
	// A shape without finite values breaks no line: its neighbours are joined.
	for k, g := range group {
		if v := Median(collect(g.pairs(method), value)); finite(v) {
			points = append(points, [2]float64{p.px(float64(k)), p.py(v)})
		}
	}
	p.c.path(points, s.colour, 2, s.dash)
	// Marks are drawn above the line.
	for _, at := range points {
		p.c.mark(s.mark, at[0], at[1], 4.5, s.colour, 1)
	}
}

// quote draws the paper's figures over the shapes.
func (p *plot) quote(group []*shape, value func(*published) float64, label string) {
	var points [][2]float64
	// Only shapes of the paper have figures.
	for k, g := range group {
		if q := publishedFor(g.family, g.name); q != nil {
			points = append(points, [2]float64{p.px(float64(k)), p.py(value(q))})
		}
	}
	if len(points) == 0 {
		return
	}
	p.c.path(points, "#9a9da3", 1.5, "2 3")
	// The label stands at the end of the line.
	end := points[len(points)-1]
	p.c.styled(end[0]+4, end[1]-8, "end", "#808389", `font-size="11"`, label)
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
	return &Figure{ID: "convergence-" + group[0].family, Title: "Convergence, " + group[0].family + ".",
		Caption: "On the instance of median speedup of each shape, against the cuts so far. Lines: the proven gap 1 − " +
			"LB/UB of exact, aggregated and hybrid, and the true gap of the best design so far of proxy. Marks: the end of a " +
			"run, with the true gap of its design.", SVG: c.String(), TikZ: c.tikz.String()}
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
	c.styled(p.x+p.w/2, y+14, "middle", ink, `font-weight="600"`, s.name)

	for _, cv := range curves {
		// The curve shows the run, the mark its result.
		st := styleOf(cv.method)
		var points [][2]float64
		for _, q := range cv.points {
			points = append(points, [2]float64{p.px(q[0]), p.py(q[1])})
		}
		c.path(points, st.colour, 1.8, st.dash)
		if finite(cv.end[1]) {
			c.mark(st.mark, p.px(cv.end[0]), p.py(cv.end[1]), 5, st.colour, 0.9)
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

	// The curves have a point for each validation check.
	var loss, valid [][2]float64
	for _, h := range t.History {
		loss = append(loss, [2]float64{p.px(float64(h.Step)), p.py(float64(h.Loss))})
		valid = append(valid, [2]float64{p.px(float64(h.Step)), p.py(float64(h.Validation))})
	}
	c.path(loss, "#9a9da3", 1.3, "")
	c.path(valid, "#0f8a5f", 2, "")
	// The weights that are kept are those of the marked step.
	if t.BestStep > 0 {
		c.mark(2, p.px(float64(t.BestStep)), p.py(float64(t.Validation)), 4.5, "#0f8a5f", 1)
	}

	// The names of the curves take the place of a legend.
	c.styled(66, 18, "start", ink, `font-weight="600"`, t.Family+" "+t.Shape)
	c.text(width-20, 18, "end", "#0f8a5f", "validation")
	c.text(width-92, 18, "end", "#808389", "training")
	return &Figure{ID: "loss-" + t.Family + "-" + t.Shape, Title: "Training, " + t.Family + " " + t.Shape + ".",
		Caption: "", SVG: c.String(), TikZ: c.tikz.String()}
}
