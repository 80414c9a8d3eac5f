package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/experiment"
)

// bare returns the method that is compared with the paper's proxy: the paper's own network and run, or without such
// runs our network without heuristics.
func (s *shape) bare() (method string, p []pair) {
	// The paper's own network in the paper's run is the fair comparison, if there are runs of it.
	for _, method = range []string{"proxy/paper", "proxy/plain"} {
		if p = s.pairs(method); len(p) > 0 {
			return method, p
		}
	}
	return "–", nil
}

// againstTable compares our medians with the paper's: a proxy without heuristics with the paper's proxy, and our
// complete methods in columns of their own.
func againstTable(shapes []*shape) *Table {
	t := &Table{ID: "against", Title: "Against the paper.",
		Caption: "Medians on each shape beside the published ones (one thread, Gurobi 12, Cascade Lake 6226, other " +
			"instances of the same distribution; mcndp gaps on the instances with a certified optimum). Like stands " +
			"beside like: a bare proxy beside the paper's, the exact oracle of the paper's scheme beside the " +
			"paper's.",
		// A group of columns has our figure and the paper's next to it.
		Columns: slices.Concat(left("Shape", "Bare proxy"), right("", "N"),
			right("Bare proxy gap (%)", "ours", "paper"), right("Bare proxy time (s)", "ours", "paper"),
			right("Bare proxy cuts", "ours", "paper"), right("Paper's oracle, time (s)", "ours", "paper"),
			right("Ours with everything", "proxy gap (%)", "proxy time (s)", "exact time (s)", "start alone, gap (%)")),
		Notes: []string{"Ours in bold where it is at most the paper's. ≥: most runs reached the time limit, so the " +
			"median is a lower bound. proxy/paper: the paper's network, trained for as much of its budget as the " +
			"table of trainings says, in the paper's run. proxy/plain: our network without heuristics.",
			"Ours with everything: with the family's own starting designs, local search and fixing, which the " +
				"paper's runs do not have. What the start alone gives is its part of that."}}

	for _, s := range shapes {
		p := publishedFor(s.family, s.name)
		method, bare := s.bare()
		// Only shapes that the paper has, and that have runs of a bare proxy, can be compared.
		if p == nil || len(bare) == 0 {
			continue
		}

		// The paper's gaps of mcndp are those of the instances with a certified optimum.
		gaps := collect(bare, trueGap)
		if !math.IsNaN(p.certifiedGap) {
			gaps = collect(bare, func(p pair) float64 {
				// NaN leaves an instance out of the median.
				if !p.in.certified {
					return math.NaN()
				}
				return trueGap(p)
			})
		}

		// Each figure of ours has the paper's in the next column. It is good where it is at most the paper's.
		cells := []Cell{word(s.family + " " + s.name), word(method), whole(len(bare))}
		add := func(show func(float64) string, ours, theirs float64, lower bool) {
			c := bound(figure(show, ours), lower)
			c.Good = ours <= theirs
			cells = append(cells, c, figure(show, theirs))
		}
		oracle := s.pairs("exact/paper")
		add(percent, Median(gaps), p.gap(), false)
		add(significant, Median(collect(bare, runTime)), p.proxyMedian, mostlyCensored(bare))
		add(rounded, Median(collect(bare, cuts)), p.proxyCuts, false)
		add(significant, Median(collect(oracle, runTime)), p.oracleMedian, mostlyCensored(oracle))

		// Our complete methods have no counterpart in the paper.
		proxy := s.pairs("proxy")
		cells = append(cells,
			median(percent, proxy, trueGap),
			medianTime(proxy),
			medianTime(s.pairs(baseline)),
			median(percent, s.pairs("start"), trueGap))
		t.Rows = append(t.Rows, Row{Cells: cells})
	}
	return t
}

// publishedClassic are the paper's figures of its plain scheme for ufl (its table in Appendix C): gap, time of the
// oracle and of the proxy, speedup.
var publishedClassic = map[string][6]float64{
	"200x200": {1.41, 1.44, 153.6, .18, 646, 737}, "300x300": {1.48, 1.34, 90.6, .18, 672, 1776},
	"500x500": {.86, .91, 3600, 6.94, 505, 663}, "1000x1000": {71.4, 71.3, 3600, .05, none, none},
	"2000x2000": {70.1, 70.1, 3600, .20, none, none},
}

// classicTable is the paper's table of Appendix C; nil without runs of that scheme.
func classicTable(shapes []*shape) *Table {
	t := &Table{ID: "classic", Title: "Table 12: plain branch-and-Benders-cut (Appendix C).",
		Caption: "ufl without stabilisation, integer points alone, a cut for every client: the paper's network " +
			"against the exact oracle of the same scheme.",
		Columns: slices.Concat(left("Shape", "Row"), right("", "N"), right("True gap (%)", "med", "mean"),
			right("Time (s, med)", "oracle", "proxy"), right("Speedup", averagesOfRatios...)),
		Notes: []string{"The gap is against the cheapest design of any method. ≥: most runs reached the time limit."}}

	for _, s := range shapes {
		p := s.pairs("proxy/classic")
		oracle := s.pairs("exact/classic")
		// Shapes of families that do not have the scheme have no such runs.
		if len(p) == 0 {
			continue
		}

		// The columns are those of the paper: gap, times and speedup.
		cells := []Cell{word(s.family + " " + s.name), word("ours"), whole(len(p))}
		cells = append(cells, medianMean(percent, collect(p, trueGap))...)
		cells = append(cells, medianTime(oracle), median(significant, p, runTime))
		speeds := collect(p, func(p pair) float64 { return timeRatio(p.in.run("exact/classic"), p.r) })
		cells = append(cells, ratioAverages(speeds, false, false)...)
		t.Rows = append(t.Rows, Row{Rule: true, Cells: cells})

		// The paper's row follows ours.
		if q, ok := publishedClassic[s.name]; ok && s.family == "ufl" {
			t.Rows = append(t.Rows, Row{Quiet: true, Cells: []Cell{once(false, s.family+" "+s.name), word("paper"),
				blank(), figure(percent, q[0]), figure(percent, q[1]), figure(significant, q[2]), figure(significant, q[3]),
				figure(ratio, q[4]), figure(ratio, q[5]), blank()}})
		}
	}
	return t
}

// controlsTable compares the networks with weights of zero and random ones.
func controlsTable(trainings []experiment.Training) *Table {
	t := &Table{ID: "controls", Title: "What the networks are worth.",
		Caption: "Certified share of the exact recourse cost on bases that no training saw: of runs, and of the " +
			"prediction alone where steps follow it. Lead: mean of the paired differences over these bases, with " +
			"the lower limit of its 95 % interval.",
		Columns: slices.Concat(left("Model", "Preset"), right("", "Bases"), right("Trained (%)", "run", "alone"),
			right("Zero (%)", "run", "alone"), right("Random (%)", "run", "alone"),
			right("Lead over zero", "mean", "limit"), right("Lead over random", "mean", "limit"), left("Helps")),
		Notes: []string{"A network helps where all limits are above 0. Fewer than two bases have no limit."}}

	// A training without a score on held-out bases has nothing to compare.
	for k := range trainings {
		r := &trainings[k]
		s := &r.Score
		if s.Bases == 0 {
			continue
		}

		// Shares and leads have two parts each, and so two cells.
		cells := []Cell{word(r.Family + " " + r.Shape), word(string(r.Preset)), whole(s.Bases)}
		cells = slices.Concat(cells, both(percent, s.Trained), both(percent, s.Zero), both(percent, s.Random),
			both(signed, s.OverZero), both(signed, s.OverRandom))
		// Not shown is no proof that the network does not help: the intervals may be wide.
		helps := "not shown"
		if s.Helps {
			helps = "yes"
		}
		t.Rows = append(t.Rows, Row{Cells: append(cells, word(helps))})

		// A control that reuses multipliers of scenarios exists for some families alone, so it is a note.
		for _, c := range s.Reused {
			share := both(percent, c.Share)
			over := both(signed, c.Over)
			t.Notes = append(t.Notes, fmt.Sprintf("%s %s: multipliers of scenarios reused (%s) certify %s %%, the "+
				"network's lead over them is %s (limit %s).", r.Family, r.Shape, c.Control, share[0].Text, over[0].Text,
				over[1].Text))
		}
	}
	return t
}

// verdict says on which shapes the network helps, on which a proxy run saves time, and after how many solves its
// training is paid back.
func verdict(d *Data, shapes []*shape) string {
	// Shapes by what is known of their network, and by whether a proxy run saves time.
	var helps, not, pays, slow []string
	// The network that runs use by default is the one that the verdict is about.
	for k := range d.Trainings {
		r := &d.Trainings[k]
		if r.Score.Bases == 0 || r.Preset != experiment.DefaultTrainOptions().Model.Preset {
			continue
		}
		name := r.Family + " " + r.Shape
		// The lead over weights of zero is the part of the share that training has added.
		if r.Score.Helps {
			lead := percent(100 * float64(r.Score.OverZero[0]))
			helps = append(helps, fmt.Sprintf("%s (certified share %s points above zero weights)", name, lead))
		} else {
			not = append(not, name)
		}
	}

	for _, s := range shapes {
		// Shapes without paired runs have no median to compare.
		saved := s.saved()
		switch {
		case math.IsNaN(saved):
		case saved > 0:
			text := fmt.Sprintf("%s %s (%s s a solve, at a median gap of %s %%", s.family, s.name, significant(saved),
				figure(percent, Median(collect(s.pairs("proxy"), trueGap))).Text)
			// The cost of a training is that of its states and of its steps.
			for k := range d.Trainings {
				if r := &d.Trainings[k]; s.has(r) {
					solves := math.Ceil((float64(r.Seconds) + float64(r.Collecting)) / saved)
					text += fmt.Sprintf(", training is paid back after %s solves", rounded(solves))
				}
			}
			pays = append(pays, text+")")
		default:
			slow = append(slow, s.family+" "+s.name)
		}
	}

	// A sentence for each list that is not empty.
	var text []string
	say := func(format string, list []string) {
		if len(list) > 0 {
			text = append(text, fmt.Sprintf(format, strings.Join(list, ", ")))
		}
	}
	say("The network beats zero and random weights on held-out bases for %s.", helps)
	say("The network is not shown to help for %s.", not)
	say("A proxy run saves time at the median, against our own exact method, for %s.", pays)
	say("A proxy run saves no time for %s.", slow)
	return strings.Join(text, " ")
}

// both are cells of two parts of one, as percentages.
func both[T ~float64](show func(float64) string, v [2]T) []Cell {
	// The first part is of runs, the second one of the prediction alone, or the lower limit of a lead.
	return []Cell{figure(show, 100*float64(v[0])), figure(show, 100*float64(v[1]))}
}

// has reports whether a training is that of the proxy of a shape.
func (s *shape) has(r *experiment.Training) bool {
	return s.family == r.Family && s.name == r.Shape && r.Preset == experiment.DefaultTrainOptions().Model.Preset
}

// saved is the median time that a proxy run saves against exact on an instance.
func (s *shape) saved() float64 {
	// NaN leaves out an instance that one of the two methods has no result for.
	return Median(collect(s.pairs("proxy"), func(p pair) float64 {
		if p.oracle == nil {
			return math.NaN()
		}
		return float64(p.oracle.Seconds) - float64(p.r.Seconds)
	}))
}
