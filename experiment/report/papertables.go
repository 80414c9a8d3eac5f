package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/experiment"
)

// The tables of this file are those of the paper, with its columns, each filled from runs by the paper's schemes alone:
// the speedup of an instance is the time of exact/paper divided by that of proxy/paper on it, both without the time in
// which the model is loaded. What our own exact method takes stands in one column at the end.

// The runs by the paper's schemes, as eval names them.
const (
	paperOracle = "exact/paper"
	paperProxy  = "proxy/paper"
)

// paperPairs are the runs of the paper's proxy, each beside the run of the paper's oracle on the same instance.
func (s *shape) paperPairs() []pair {
	p := s.pairs(paperProxy)
	for k := range p {
		p[k].oracle = p[k].in.run(paperOracle)
	}
	return p
}

// oracleGap is the gap of a design to that with which the oracle ended, per cent; NaN where it has none.
func oracleGap(p pair) float64 {
	// Without a design of the oracle there is nothing to compare with.
	if p.oracle == nil || !p.oracle.Feasible {
		return math.NaN()
	}
	if !p.r.Feasible {
		return math.Inf(1)
	}

	// A cost of zero would make the gap infinite; the least positive divisor keeps its sign.
	o := float64(p.oracle.TrueCost)
	return 100 * (float64(p.r.TrueCost) - o) / max(math.Abs(o), 1e-300)
}

// certifiedGap is the true gap where the oracle has proven the optimum; NaN elsewhere.
func certifiedGap(p pair) float64 {
	if p.oracle == nil || !p.oracle.Certified() {
		return math.NaN()
	}
	return trueGap(p)
}

// oracleTime is the time of the oracle in seconds; NaN where it has no run.
func oracleTime(p pair) float64 {
	if p.oracle == nil {
		return math.NaN()
	}
	return float64(p.oracle.Seconds)
}

// oracleCuts is the number of cuts that the oracle has made; NaN where it has no run.
func oracleCuts(p pair) float64 {
	if p.oracle == nil {
		return math.NaN()
	}
	return recourseCuts(p.oracle)
}

// proxyCuts is the number of cuts that the proxy has made.
func proxyCuts(p pair) float64 { return recourseCuts(p.r) }

// recourseCuts is the number of cuts of the recourse: inequalities on cut sets are no work of a separator of it.
func recourseCuts(r *experiment.Record) float64 { return float64(r.Cuts.Total() - r.Cuts.CutSets) }

// overOurs is the time of our own exact method divided by that of a run.
func overOurs(p pair) float64 { return timeRatio(p.in.run(baseline), p.r) }

// oracleStopped reports whether a limit ended the oracle.
func oracleStopped(p pair) bool { return p.oracle != nil && p.oracle.Censored() }

// bound marks figures that are lower bounds because a limit ended runs.
func bound(c Cell, lower bool) Cell {
	if lower && c.Value != notKnown {
		c.Text = "≥" + c.Text
	}
	return c
}

// paperSection has the paper's tables; without runs by its schemes it is empty.
func paperSection(shapes []*shape) section {
	out := section{ID: "paper", Title: "The paper's tables"}
	// The tables are in the order of the paper, those that it does not have at the end.
	out.addTables(paperSizes(shapes), paperSummary(shapes))
	for _, g := range byFamily(shapes) {
		out.addTables(paperResults(g))
	}
	out.addTables(paperSelection(shapes), paperNetworks(shapes), paperBounds(shapes), classicTable(shapes),
		factorTable(shapes))
	return out
}

// paperSizes are tables 1 and 2: how large the held-out instances are, and how many. The paper's number of instances of
// its largest CAP shape is that of its table 6; its table 1 says 1660.
func paperSizes(shapes []*shape) *Table {
	t := &Table{ID: "paper-tables-1-2", Title: "Tables 1 and 2: sizes.",
		Caption: "Held-out instances: clients and facilities, or nodes, arcs and commodities; N are paired runs.",
		Columns: slices.Concat(left("Family", "Shape"), right("", "Clients", "Facilities", "Nodes", "Arcs", "Commodities"),
			right("N", "ours", "paper"))}
	for _, s := range shapes {
		// A shape with one size, or none, is of a family that the paper does not have.
		p := s.paperPairs()
		sizes := strings.Split(s.name, "x")
		if len(p) == 0 || len(sizes) < 2 || len(sizes) > 3 {
			continue
		}

		// Of two sizes both are of a location problem, three are of a network.
		cells := []Cell{word(s.family), word(s.name)}
		none := slices.Repeat([]Cell{blank()}, 5-len(sizes))
		if len(sizes) == 3 {
			cells = append(cells, none...)
			none = nil
		}
		for _, v := range sizes {
			cells = append(cells, word(v))
		}
		published := blank()
		if q := publishedFor(s.family, s.name); q != nil {
			published = whole(q.n)
		}

		// A shape that the paper does not have is quoted by a dash.
		t.Rows = append(t.Rows, Row{Cells: slices.Concat(cells, none, []Cell{whole(len(p)), published})})
	}
	return t
}

// paperSummary is table 5.
func paperSummary(shapes []*shape) *Table {
	t := &Table{ID: "paper-table-5", Title: "Table 5: summary.",
		Caption: "Median true gap of the paper's proxy, least and greatest over the shapes, and the greatest median " +
			"speedup over the paper's oracle.",
		Columns: slices.Concat(left("Family", "Row"), right("", "Shapes", "N"), right("Median true gap (%)", "min", "max"),
			right("", "Peak speedup"))}
	// The paper's figures: least and greatest median gap, and the greatest median speedup.
	quoted := map[string][3]float64{"cap": {0, .58, 3.6}, "ufl": {0, .50, 161}, "mcndp": {.012, 2.65, 27.05}}

	for _, g := range byFamily(shapes) {
		// The medians of the shapes of a family: the table has their extremes.
		var gaps, speeds []float64
		all, lower := 0, false
		for _, s := range g {
			p := s.paperPairs()
			if len(p) == 0 {
				continue
			}
			all += len(p)
			gaps = append(gaps, Median(collect(p, trueGap)))
			speeds = append(speeds, Median(collect(p, speedup)))
			// A single oracle that was stopped makes the greatest speedup a lower bound.
			lower = lower || count(p, oracleStopped) > 0
		}
		if len(gaps) == 0 {
			continue
		}

		// Our row comes first, and the paper's below it.
		family := g[0].family
		t.Rows = append(t.Rows, Row{Rule: true, Cells: []Cell{word(strings.ToUpper(family)), word("ours"), whole(len(gaps)),
			whole(all), figure(percent, slices.Min(gaps)), figure(percent, slices.Max(gaps)),
			bound(figure(ratio, slices.Max(speeds)), lower)}})
		if q, ok := quoted[family]; ok {
			name := once(false, strings.ToUpper(family))
			t.Rows = append(t.Rows, Row{Quiet: true, Cells: []Cell{name, word("paper"), blank(),
				blank(), figure(percent, q[0]), figure(percent, q[1]), figure(ratio, q[2])}})
		}
	}
	return t
}

// paperNumber is the number of the paper's table of a family.
var paperNumber = map[string]int{"cap": 6, "ufl": 7, "mcndp": 10}

// paperResults is the table of a family: 6, 7 or 10.
func paperResults(group []*shape) *Table {
	family := group[0].family
	// Other families than the paper's three have no table.
	number := paperNumber[family]
	if number == 0 {
		return nil
	}

	// The paper measures gaps of mcndp against what the oracle has found, since few optima are known.
	gap, caption := trueGap, "Gap: against the best known design."
	if family == "mcndp" {
		gap, caption = oracleGap, "Gap: against the design with which the oracle ended."
	}
	t := &Table{ID: fmt.Sprintf("paper-table-%d", number), Title: fmt.Sprintf("Table %d: %s.", number, familyName(family)),
		Caption: caption + " Speedup: time of the paper's oracle divided by that of the proxy, instance by instance; " +
			"the mean is arithmetic, as in the paper, and geometric beside it.",
		Columns: slices.Concat(left("Shape", "Row"), right("", "N"), right("Gap (%)", "med", "mean"),
			right("Oracle time (s)", averagesOfTimes...), right("Proxy time (s)", averagesOfTimes...),
			right("Speedup", averagesOfRatios...), right("Oracle cuts", "med", "mean"),
			right("Proxy cuts", "med", "mean"), right("Gap to the bound (%)", "med", "explained"),
			right("Over our exact", "med")),
		Notes: []string{"≥: a limit ended runs of the oracle, so that their times and speedups are lower bounds. The " +
			"paper's limit is one hour, ours is in the summary of the runs.", meansNote,
			"Explained: what the certificates at the master's last design lack of the recourse cost, which bounds the gap " +
				"to the bound where the run ended by itself."}}

	for _, s := range group {
		p := s.paperPairs()
		if len(p) == 0 {
			continue
		}

		// A mean is a lower bound where one oracle was stopped, a median where half of them were.
		some := count(p, oracleStopped) > 0
		most := 2*count(p, oracleStopped) >= len(p)
		// The columns are those of the paper; the last three are ours alone.
		cells := slices.Concat([]Cell{word(s.name), word("ours"), whole(len(p))}, medianMean(percent, collect(p, gap)),
			timeAverages(collect(p, oracleTime), some, most), timeAverages(collect(p, runTime), false, false),
			ratioAverages(collect(p, speedup), some, most),
			medianMean(rounded1, collect(p, oracleCuts)), medianMean(rounded1, collect(p, proxyCuts)),
			[]Cell{median(percent, p, provenGap), median(percent, p, explained), median(ratio, p, overOurs)})
		t.Rows = append(t.Rows, Row{Rule: true, Cells: cells})

		// The paper's row follows ours, with dashes where it has no such figure.
		if q := publishedFor(s.family, s.name); q != nil {
			t.Rows = append(t.Rows, Row{Quiet: true, Cells: []Cell{once(false, s.name), word("paper"), whole(q.n),
				figure(percent, q.gapMedian), figure(percent, q.gapMean),
				bound(figure(significant, q.oracleMedian), q.limited), bound(figure(significant, q.oracleMean), q.limited),
				blank(), figure(significant, q.proxyMedian), figure(significant, q.proxyMean), blank(),
				bound(figure(ratio, q.speedMedian), q.limited), bound(figure(ratio, q.speedMean), q.limited), blank(),
				figure(rounded, q.oracleCuts), figure(rounded, q.oracleCutsMean), figure(rounded, q.proxyCuts),
				figure(rounded, q.proxyCutsMean), blank(), blank(), blank()}})
		}
	}
	return t
}

// explained is the gap to the bound that the certificates of a run explain, per cent; NaN where it is not known.
func explained(p pair) float64 {
	// Only runs that ended by themselves have explained their gap.
	if p.r.Explained == nil {
		return math.NaN()
	}
	return 100 * float64(*p.r.Explained)
}

// publishedSelection is the paper's table 8: gaps without selection and with it, per cent, median and mean.
var publishedSelection = map[string][4]float64{"200x200": {9.56, 11.40, 0, .32}, "300x300": {6.74, 7.09, 0, .16},
	"500x500": {7.47, 8.19, .50, .61}, "1000x1000": {16.56, 15.80, .36, .57}, "2000x2000": {5.93, 7.42, .48, .49}}

// paperSelection is table 8.
func paperSelection(shapes []*shape) *Table {
	t := &Table{ID: "paper-table-8", Title: "Table 8: true-cost selection.",
		Caption: "True gap of the master's last incumbent, and of the cheapest design visited, in the same runs.",
		Columns: slices.Concat(left("Shape", "Row"), right("", "N"), right("Without selection (%)", "med", "mean"),
			right("With selection (%)", "med", "mean"), right("Proxy time (s)", averagesOfTimes...),
			right("Proxy cuts", "med", "mean")),
		Notes: []string{meansNote}}

	for _, s := range shapes {
		// A run whose master had no incumbent of its own has nothing to select from.
		p := slices.DeleteFunc(s.paperPairs(), func(p pair) bool { return math.IsNaN(float64(p.r.Terminal)) })
		if s.family != "ufl" || len(p) == 0 {
			continue
		}
		t.Rows = append(t.Rows, Row{Rule: true, Cells: slices.Concat([]Cell{word(s.name), word("ours"), whole(len(p))},
			medianMean(percent, collect(p, lastGap)), medianMean(percent, collect(p, trueGap)),
			timeAverages(collect(p, runTime), false, false), medianMean(rounded1, collect(p, proxyCuts)))})
		// The paper's times and cuts are those of its table 7.
		if q, ok := publishedSelection[s.name]; ok {
			of := publishedFor(s.family, s.name)
			t.Rows = append(t.Rows, Row{Quiet: true, Cells: []Cell{once(false, s.name), word("paper"), whole(of.n),
				figure(percent, q[0]), figure(percent, q[1]), figure(percent, q[2]), figure(percent, q[3]),
				figure(significant, of.proxyMedian), figure(significant, of.proxyMean), blank(),
				figure(rounded, of.proxyCuts), figure(rounded, of.proxyCutsMean)}})
		}
	}
	return t
}

// paperNetworks is table 9.
func paperNetworks(shapes []*shape) *Table {
	t := &Table{ID: "paper-table-9", Title: "Table 9: summary of network design.",
		Caption: "Median gap against the design with which the oracle ended at its limit, and median true gap where it " +
			"has proven the optimum.",
		Columns: slices.Concat(left("Shape", "Row"), right("", "N"),
			right("", "Against the oracle's design (%)", "True gap, certified (%)", "Certified", "Median speedup"))}

	for _, s := range shapes {
		p := s.paperPairs()
		if s.family != "mcndp" || len(p) == 0 {
			continue
		}

		// Optima are known where the oracle has proven them.
		proven := collect(p, certifiedGap)
		t.Rows = append(t.Rows, Row{Rule: true, Cells: []Cell{word(s.name), word("ours"), whole(len(p)),
			median(percent, p, oracleGap), figure(percent, Median(proven)), whole(len(proven)),
			bound(median(ratio, p, speedup), 2*count(p, oracleStopped) >= len(p))}})
		// The paper has certified optima of 40 instances, where not of all.
		if q := publishedFor(s.family, s.name); q != nil {
			n := 40
			if math.IsNaN(q.certifiedGap) {
				n = q.n
			}
			t.Rows = append(t.Rows, Row{Quiet: true, Cells: []Cell{once(false, s.name), word("paper"), whole(q.n),
				figure(percent, q.gapMedian), figure(percent, q.gap()), whole(n),
				bound(figure(ratio, q.speedMedian), q.limited)}})
		}
	}
	return t
}

// publishedBounds is the paper's table 11: paired runs, P < O, P = O, P > O, and the mean difference in per cent.
var publishedBounds = map[string][5]float64{"10x35x50": {113, 0, 56, 57, .461}, "10x60x50": {110, 1, 9, 100, 5.768},
	"10x83x50": {108, 0, 1, 107, 9.697}}

// paperBounds is table 11.
func paperBounds(shapes []*shape) *Table {
	t := &Table{ID: "paper-table-11", Title: "Table 11: upper bounds of network design.",
		Caption: "The cost of the proxy's design P against that of the oracle's, O, on the same instance; equal within " +
			"1e-6 of the cost.",
		Columns: slices.Concat(left("Shape", "Row"), right("", "Paired N", "P < O", "P = O", "P > O"),
			right("Difference (%)", "mean"))}

	for _, s := range shapes {
		if s.family != "mcndp" {
			continue
		}
		// A pair counts where both have a design.
		both := slices.DeleteFunc(s.paperPairs(), func(p pair) bool {
			d := oracleGap(p)
			return math.IsNaN(d) || math.IsInf(d, 0)
		})
		if len(both) == 0 {
			continue
		}

		// The tolerance is the 1e-6 of the caption in per cent.
		equal := count(both, func(p pair) bool { return math.Abs(oracleGap(p)) <= 1e-4 })
		below := count(both, func(p pair) bool { return oracleGap(p) < -1e-4 })
		t.Rows = append(t.Rows, Row{Rule: true, Cells: []Cell{word(s.name), word("ours"), whole(len(both)), whole(below),
			whole(equal), whole(len(both) - below - equal), figure(signed, mean(collect(both, oracleGap)))}})
		// The paper gives counts, and a difference.
		if q, ok := publishedBounds[s.name]; ok {
			cells := []Cell{once(false, s.name), word("paper")}
			for _, v := range q[:4] {
				cells = append(cells, whole(int(v)))
			}
			t.Rows = append(t.Rows, Row{Quiet: true, Cells: append(cells, figure(signed, q[4]))})
		}
	}
	return t
}
