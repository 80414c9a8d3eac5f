package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/experiment"
)

// familyNames are the paper's names.
var familyNames = map[string]string{
	"cap":   "Capacitated facility location (CAP)",
	"ufl":   "Uncapacitated facility location (UFL)",
	"mcndp": "Multicommodity capacitated network design (MCNDP)",
}

// familyName is the paper's name of a family, or its own where the paper does not have it.
func familyName(f string) string { return cmp.Or(familyNames[f], f) }

// others lists the methods of shapes without the baseline.
func others(shapes ...*shape) []string {
	return slices.DeleteFunc(methods(shapes...), func(m string) bool { return m == baseline })
}

// medianMean are two cells.
func medianMean(show func(float64) string, v []float64) []Cell {
	return []Cell{figure(show, Median(v)), figure(show, mean(v))}
}

// averages are the columns of times and of ratios: a geometric mean stands beside the arithmetic one, that of times
// shifted.
var (
	averagesOfTimes  = []string{"med", "mean", "shifted geometric"}
	averagesOfRatios = []string{"med", "mean", "geometric"}
)

// timeAverages are the cells of times in seconds. Where some of the runs were stopped the means are lower bounds, and
// where most of them were the median is.
func timeAverages(v []float64, some, most bool) []Cell {
	return []Cell{bound(figure(significant, Median(v)), most), bound(figure(significant, mean(v)), some),
		bound(figure(significant, shiftedGeometric(v)), some)}
}

// ratioAverages are the cells of ratios, marked in the same way.
func ratioAverages(v []float64, some, most bool) []Cell {
	return []Cell{bound(figure(ratio, Median(v)), most), bound(figure(ratio, mean(v)), some),
		bound(figure(ratio, geometric(v)), some)}
}

// meansNote is the note about means.
const meansNote = "Shifted geometric: exp(mean of ln(t + 1 s)) − 1 s of times t, in which neither the longest runs " +
	"nor those far below a second decide. Geometric: of ratios, inverse where the two methods are exchanged; the " +
	"arithmetic mean of ratios is never below it."

// median is a cell of the median of a figure of the runs.
func median(show func(float64) string, p []pair, of func(pair) float64) Cell {
	return figure(show, Median(collect(p, of)))
}

// once is a cell whose text is shown in the first of several rows. All rows have it as their value.
func once(first bool, text string) Cell {
	// Files repeat the text, so that each of their lines stands for itself.
	c := word(text)
	if !first {
		c.Text = ""
	}
	return c
}

// byMethod adds a row for each shape and method of the list: both names, and the cells that are made of the runs. The
// name of a shape stands in its first row. Methods without cells are left out.
func (t *Table) byMethod(shapes []*shape, list func(...*shape) []string,
	cells func(s *shape, m string, p []pair) []Cell) {
	// A shape begins with a rule and its name.
	for _, s := range shapes {
		first := true
		for _, m := range list(s) {
			row := cells(s, m, s.pairs(m))
			if row == nil {
				continue
			}
			name := once(first, s.family+" "+s.name)
			t.Rows = append(t.Rows, Row{Rule: first, Cells: append([]Cell{name, word(m)}, row...)})
			first = false
		}
	}
}

// shares are cells of how many of the runs are of each kind.
func shares(p []pair, kinds ...func(pair) bool) []Cell {
	var cells []Cell
	for _, kind := range kinds {
		cells = append(cells, share(count(p, kind), len(p)))
	}
	return cells
}

// endings is the note about how runs end.
const endings = "Fixed point: runs that ended because the proxy had no violated cut left, which proves nothing: " +
	"their bound is the network's. Stalled: runs that ended by their own rule, because their tree had found no " +
	"better design for a set number of nodes; their times are complete. Censored: runs that the time limit ended; ≥ " +
	"marks medians and means of times that are lower bounds because of them."

// summaryTable is the paper's table 5, by method.
func summaryTable(shapes []*shape) *Table {
	t := &Table{ID: "summary", Title: "Summary.",
		Caption: "True optimality gap against the best known design, and time against our own exact method, over " +
			"all held-out instances of a family.",
		Columns: slices.Concat(left("Family", "Shapes", "Method"), right("", "N"),
			right("Median true gap (%)", "min", "max"), right("Median speedup", "min", "max"),
			right("Speedup of all runs", "mean", "geometric"), right("", "Certified", "Fixed point", "Stalled", "Censored")),
		Notes: []string{endings, meansNote}}

	for _, group := range byFamily(shapes) {
		// Methods are those of the whole family, also where some shapes lack them.
		for k, m := range methods(group...) {
			// The medians of the shapes, and all runs together.
			var gaps, speeds []float64
			var all []pair
			for _, s := range group {
				if p := s.pairs(m); len(p) > 0 {
					gaps = append(gaps, Median(collect(p, trueGap)))
					speeds = append(speeds, Median(collect(p, speedup)))
					all = append(all, p...)
				}
			}
			if len(all) == 0 {
				continue
			}

			// The extremes are over the shapes, the shares over all runs.
			cells := []Cell{once(k == 0, strings.ToUpper(group[0].family)), once(k == 0, shapeNames(group)), word(m),
				whole(len(all)), figure(percent, slices.Min(gaps)), figure(percent, slices.Max(gaps)),
				figure(ratio, slices.Min(speeds)), figure(ratio, slices.Max(speeds))}
			speeds = collect(all, speedup)
			cells = append(cells, figure(ratio, mean(speeds)), figure(ratio, geometric(speeds)))
			cells = append(cells, shares(all, certified, fixedPoint, stalled, censored)...)
			t.Rows = append(t.Rows, Row{Rule: k == 0, Cells: cells})
		}
	}
	return t
}

// shapeNames joins the names of shapes.
func shapeNames(group []*shape) string {
	var names []string
	for _, s := range group {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// share shows a part of a count.
func share(k, n int) Cell {
	if n == 0 {
		return blank()
	}
	return Cell{Text: fmt.Sprintf("%d/%d", k, n), Value: fmt.Sprintf("%.6g", float64(k)/float64(n))}
}

// mostlyCensored reports whether a limit ended half of the runs or more, so that the median of their times is a lower
// bound.
func mostlyCensored(p []pair) bool { return len(p) > 0 && 2*count(p, censored) >= len(p) }

// medianTime is a cell of the median time of runs, marked where that is a lower bound.
func medianTime(p []pair) Cell { return bound(median(significant, p, runTime), mostlyCensored(p)) }

// familyTable has a row for every method, with speedups over our own exact method; those over the paper's oracle are in
// the tables of the paper.
func familyTable(group []*shape) *Table {
	family := group[0].family
	t := &Table{ID: texName("results-" + family), Title: familyName(family) + ".",
		Caption: "Held-out results: true gap against the best known design, proven gap, wall-clock time, speedup " +
			"over exact of the same instance, cuts that the master accepted.",
		Columns: slices.Concat(left("Shape", "Method"), right("", "N"), right("True gap (%)", "med", "mean"),
			right("Proven gap (%)", "med"), right("Time (s)", averagesOfTimes...), right("Speedup", averagesOfRatios...),
			right("Cuts", "med", "mean"), right("", "Optimal", "Fixed point", "Stalled", "Censored")),
		Notes: []string{"Optimal: runs that proved their design optimal to the gap " +
			"asked for. " + endings, meansNote,
			"exact: the family's own best scheme; exact/bbc: the same branch-and-Benders-cut as proxy; aggregated: " +
				"exact duals, one cut on the sum, true-cost selection; hybrid: a short proxy run, and the family's " +
				"own best exact scheme from its design; hybrid/bbc and hybrid/plain: one tree, with proxy cuts " +
				"while they cut and then exact ones.",
			"start: what comes before a master, and no more. proxy+zero and proxy+random: the same run with weights " +
				"of zero, or random ones, in place of the network's. plain: without heuristics and starts. paper " +
				"and classic: the paper's own runs with its networks, without anything that it does not have."}}

	for _, s := range group {
		// The name of the shape stands in the first of its rows that has runs.
		first := true
		for _, m := range methods(s) {
			p := s.pairs(m)
			if len(p) == 0 {
				continue
			}

			// A gap of zero is in bold; times that a limit ended are lower bounds.
			name := once(first, s.name)
			cells := append([]Cell{name, word(m), whole(len(p))}, medianMean(percent, collect(p, trueGap))...)
			cells[3].Good = cells[3].Value == "0"
			cells = append(cells, median(percent, p, provenGap))
			cells = append(cells, timeAverages(collect(p, runTime), count(p, censored) > 0, mostlyCensored(p))...)
			cells = append(cells, ratioAverages(collect(p, speedup), false, false)...)
			cells = append(cells, medianMean(rounded1, collect(p, cuts))...)
			cells = append(cells, shares(p, certified, fixedPoint, stalled, censored)...)
			t.Rows = append(t.Rows, Row{Rule: first, Cells: cells})
			first = false
		}
	}
	return t
}

// rounded1 shows a count, or a mean of counts with one decimal.
func rounded1(v float64) string { return rounded(math.Round(10*v) / 10) }

// ablationTable is the paper's table 8, for every method with cuts that are not exact at the design.
func ablationTable(shapes []*shape) *Table {
	t := &Table{ID: "ablation", Title: "True-cost selection.",
		Caption: "Without: the master's last incumbent. With: the cheapest of all designs visited, priced exactly. " +
			"Both come from the same runs.",
		Columns: slices.Concat(left("Shape", "Method"), right("", "N"), right("Without (gap %)", "med", "mean"),
			right("With (gap %)", "med", "mean"), right("", "Designs visited (med)"), right("Time (s)", "med"),
			right("Cuts", "med")),
		Notes: []string{"N counts the runs whose master ended with an incumbent of its own."}}

	// Other runs have nothing to select from.
	t.byMethod(shapes, others, func(_ *shape, _ string, p []pair) []Cell {
		p = slices.DeleteFunc(p, func(p pair) bool { return math.IsNaN(float64(p.r.Terminal)) })
		if len(p) == 0 {
			return nil
		}

		// Both gaps are of the same run: of the master's last design, and of the one that it returned.
		visited := func(p pair) float64 { return float64(p.r.Visited) }
		return slices.Concat([]Cell{whole(len(p))}, medianMean(percent, collect(p, lastGap)),
			medianMean(percent, collect(p, trueGap)), []Cell{median(rounded1, p, visited), median(significant, p, runTime),
				median(rounded1, p, cuts)})
	})
	return t
}

// boundsTable is the paper's table 11: whose design is cheaper.
func boundsTable(shapes []*shape) *Table {
	t := &Table{ID: "upper-bounds", Title: "Upper bounds.",
		Caption: "The cost of a method's design P against that of exact, O, on the same instance; equal within 1e-6 " +
			"of the cost.",
		Columns: slices.Concat(left("Shape", "Method"), right("", "Paired N", "P < O", "P = O", "P > O"),
			right("Difference (%)", "mean", "max"))}

	t.byMethod(shapes, others, func(_ *shape, _ string, runs []pair) []Cell {
		// The difference is relative to the cost of exact's design.
		var diff []float64
		below := 0
		equal := 0
		for _, p := range runs {
			// A pair counts where both have a design.
			if p.oracle == nil || !p.oracle.Feasible || !p.r.Feasible {
				continue
			}
			o := float64(p.oracle.TrueCost)
			d := (float64(p.r.TrueCost) - o) / math.Max(math.Abs(o), 1e-300)
			diff = append(diff, 100*d)
			// The rest of the pairs are those in which the design of exact is cheaper.
			switch {
			case math.Abs(d) <= 1e-6:
				equal++
			case d < 0:
				below++
			}
		}
		if len(diff) == 0 {
			return nil
		}

		// The rows add up: every pair is below, equal or above.
		return []Cell{whole(len(diff)), whole(below), whole(equal), whole(len(diff) - below - equal),
			figure(signed, mean(diff)), figure(signed, slices.Max(diff))}
	})
	return t
}

// signed shows per cent with their sign.
func signed(v float64) string {
	// The minus sign is the typographic one, as wide as the plus sign.
	if v >= 0 {
		return "+" + percent(v)
	}
	return "−" + percent(-v)
}

// feasibilityTable says how often designs had to be repaired, and whether all have a recourse.
func feasibilityTable(shapes []*shape) *Table {
	t := &Table{ID: "feasibility", Title: "Feasibility and validity.",
		Caption: "Feasible: the returned design has a recourse, by an exact solve after the run. Repaired: runs " +
			"that had to repair a design. Bounds: runs whose proven bound is above the best known cost, which a " +
			"valid cut cannot cause.",
		Columns: slices.Concat(left("Shape", "Method"), right("", "N", "Feasible"),
			right("Repair", "runs", "opened (med)", "time (s, med)", "by LP"),
			right("", "Bounds too high", "Projected", "Errors")),
		Notes: []string{"Projected: predictions that were not finite. Opened and time over the repaired runs."}}

	t.byMethod(shapes, methods, func(s *shape, m string, p []pair) []Cell {
		fixed := slices.DeleteFunc(slices.Clone(p), func(p pair) bool { return p.r.Repair.Designs == 0 })
		// Counts over all runs of a method.
		lps := 0
		projected := 0
		for _, q := range p {
			lps += q.r.Repair.LPs
			projected += q.r.Projected
		}

		// Medians of what repairing took are over the repaired runs.
		// Shares are of all runs that did not end in an error.
		feasible := count(p, func(p pair) bool { return p.r.Feasible })
		return []Cell{whole(len(p)), share(feasible, len(p)), share(len(fixed), len(p)),
			median(rounded1, fixed, func(p pair) float64 { return float64(p.r.Repair.Opened) }),
			median(significant, fixed, func(p pair) float64 { return float64(p.r.Repair.Seconds) }),
			whole(lps), whole(count(p, tooHigh)), whole(projected), whole(errorsOf(s, m))}
	})
	return t
}

// tooHigh reports whether a proven bound is above the cost of a known design, rounding of the LPs apart.
func tooHigh(p pair) bool {
	// The tolerance covers sums of many costs in another order.
	b := float64(p.r.Bound)
	return b > p.in.best+1e-6*math.Max(1, math.Abs(p.in.best))
}

// errorsOf counts the runs of a method that ended in an error.
func errorsOf(s *shape, method string) (n int) {
	for _, in := range s.instances {
		if r := in.by[method]; r != nil && r.Status == "error" {
			n++
		}
	}
	return n
}

// timeParts are the parts of the time of a run, in the order of the columns of the table of efforts.
func timeParts(r *experiment.Record) [6]float64 {
	p := &r.Parts
	return [6]float64{
		float64(p.Presolve),
		float64(p.Master),
		float64(p.Separation),
		float64(p.Recourse),
		float64(p.Heuristic),
		float64(p.Other),
	}
}

// effortTable shows time by part, and memory.
func effortTable(shapes []*shape) *Table {
	t := &Table{ID: "effort", Title: "Effort.",
		Caption: "Medians over the runs: tree nodes, simplex iterations, time by part, and the peak memory of any " +
			"run.",
		Columns: slices.Concat(left("Shape", "Method"), right("", "Nodes", "LP iterations"),
			right("Time by part (ms)", "presolve", "master LP", "separation", "pricing", "heuristic", "other"),
			right("", "Memory (MB, max)")),
		Notes: []string{"Separation is the oracle's, or the network's with projection and completion. Memory is " +
			"what the process held in total, where the system reports it."}}

	t.byMethod(shapes, methods, func(_ *shape, _ string, p []pair) []Cell {
		if len(p) == 0 {
			return nil
		}

		// Medians hold also where single runs took very long.
		cells := []Cell{median(rounded1, p, func(p pair) float64 { return float64(p.r.Nodes) }),
			median(rounded1, p, func(p pair) float64 { return float64(p.r.LPIterations) })}

		// Records have seconds, and parts are short: the table has milliseconds.
		for k := range timeParts(p[0].r) {
			took := collect(p, func(p pair) float64 { return timeParts(p.r)[k] })
			cells = append(cells, figure(significant, 1000*Median(took)))
		}

		// The peak is the largest of all runs, in units of 2^20 bytes; 0 is a system that does not report it.
		peak := 0.0
		for _, q := range p {
			peak = max(peak, float64(q.r.PeakMemory)/(1<<20))
		}
		return append(cells, figure(rounded1, cmp.Or(peak, math.NaN())))
	})
	return t
}

// trainingTable says what the models cost and when they pay.
func trainingTable(trainings []experiment.Training, shapes []*shape) *Table {
	t := &Table{ID: "training", Title: "Training.",
		Caption: "What a model cost, and how many solves pay it back: its cost over the median time that proxy " +
			"saves against exact on an instance.",
		Columns: slices.Concat(left("Model", "Preset"), right("Instances", "train", "valid."),
			right("", "States", "Steps"), left("Ended"), right("Time (s)", "states", "training"),
			right("", "Certified (%)", "Saved a solve (s)"), right("Solves to pay", "training", "with states")),
		Notes: []string{"Certified: share of the exact recourse cost that the model certifies over the validation " +
			"states. never: proxy saves no time at the median."}}

	for k := range trainings {
		r := &trainings[k]
		// The saving is that of the shape which the model was trained for, NaN where it has no runs.
		saved := math.NaN()
		for _, s := range shapes {
			if s.has(r) {
				saved = s.saved()
			}
		}

		// A cost is paid back after as many solves as its saving fits into it.
		pay := func(cost float64) Cell {
			switch {
			case math.IsNaN(saved):
				return blank()
			case saved <= 0:
				return Cell{Text: "never", Value: "Inf"}
			}
			return figure(rounded, math.Ceil(cost/saved))
		}

		// The states are collected once for all trainings of a shape, so both costs are shown.
		collecting := float64(r.Collecting)
		training := float64(r.Seconds)
		t.Rows = append(t.Rows, Row{Cells: []Cell{word(r.Family + " " + r.Shape), word(string(r.Preset)),
			whole(r.Instances[0]), whole(r.Instances[1]), whole(r.States[0] + r.States[1]), whole(r.Steps),
			word(r.Status), figure(significant, collecting), figure(significant, training),
			figure(percent, 100*float64(r.Share)), figure(significant, saved), pay(training),
			pay(training + collecting)}})
	}
	return t
}

// stagesTable says how long the stages took.
func stagesTable(stages []Stage) *Table {
	t := &Table{ID: "stages", Title: "Stages.", Caption: "Wall-clock time of the stages of this experiment.",
		Columns: slices.Concat(left("Stage"), right("", "Time (s)"))}
	// The rows are the stages in the order in which they first ran, and their sum.
	sum := 0.0
	for _, s := range stages {
		t.Rows = append(t.Rows, Row{Cells: []Cell{word(s.Name), figure(rounded1, s.Seconds)}})
		sum += s.Seconds
	}
	t.Rows = append(t.Rows, Row{Rule: true, Cells: []Cell{word("together"), figure(rounded1, sum)}})
	return t
}

// instanceTable lists every run, for CSV and those who want to look.
func instanceTable(shapes []*shape) *Table {
	t := &Table{ID: "runs", Title: "All runs.", Caption: "Every held-out instance and method.",
		Columns: slices.Concat(left("Family", "Shape", "Instance", "Method", "Status"),
			right("", "True cost", "True gap (%)", "Bound", "Proven gap (%)"),
			right("", "Time (s)", "Cuts", "Nodes", "Memory (MB)"))}
	for _, s := range shapes {
		for _, in := range s.instances {
			for k, m := range methods(&shape{instances: []*instance{in}}) {
				r := in.by[m]
				cost := func(v float64) string { return fmt.Sprintf("%.8g", v) }
				// The pair has no baseline, which none of these columns needs.
				p := pair{in: in, r: r}
				t.Rows = append(t.Rows, Row{Rule: k == 0, Cells: []Cell{once(k == 0, s.family),
					once(k == 0, s.name), once(k == 0, in.id), word(m), word(r.Status),
					figure(cost, float64(r.TrueCost)), figure(percent, trueGap(p)),
					figure(cost, float64(r.Bound)), figure(percent, provenGap(p)),
					figure(significant, runTime(p)), whole(r.Cuts.Total()), whole(r.Nodes),
					figure(rounded1, float64(r.PeakMemory)/(1<<20))}})
			}
		}
	}
	return t
}
