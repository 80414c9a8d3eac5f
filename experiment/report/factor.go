package report

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/experiment"
)

// factorTable says where the speedup of the paper's proxy over the paper's oracle comes from. With the times of the
// oracle O, of the same run with exact duals in one aggregated cut A, of the proxy P, and the time a in which A has
// reached the bound with which P ended,
//
//	O/P = O/A * A/a * a/P
//
// is the product of aggregation, of stopping early, and of what is left for the network. The figures are geometric
// means over the instances that have all of these runs.
func factorTable(shapes []*shape) *Table {
	t := &Table{ID: "factor", Title: "Where the factor comes from.",
		Caption: "Speedup of the paper's proxy over the paper's oracle as a product: aggregation (the oracle's time " +
			"divided by that of exact duals in one aggregated cut), early stop (the time of the aggregated run divided " +
			"by the time in which it has reached the bound with which the proxy ended), and the network (that time " +
			"divided by the proxy's). Geometric means.",
		Columns: slices.Concat(left("Shape"), right("", "N"), right("Oracle's time (%)", "separation", "master LP", "other"),
			right("Factor", "all", "aggregation", "early stop", "network"),
			right("Early stop by the design", "factor"), right("Proxy's bound", "below its design (%)"),
			right("Time over the proxy's", "zero weights", "random weights", "start alone")),
		Notes: []string{"Early stop by the design: the same factor for the time in which the aggregated run has a " +
			"design that costs no more than the proxy's. A time over the proxy's of less than one: faster than the " +
			"network."}}

	for _, s := range shapes {
		f := s.factors()
		// The factors need all three runs on the same instance.
		if f.runs == 0 {
			continue
		}

		// The parts of the oracle's time add up to all of it.
		cells := []Cell{word(s.family + " " + s.name), whole(f.runs), figure(percent, 100*mean(f.separation)),
			figure(percent, 100*mean(f.master)), figure(percent, 100*(1-mean(f.separation)-mean(f.master)))}
		// The product of the next three is the first one, for each instance and so for geometric means.
		for _, v := range [][]float64{f.all, f.aggregation, f.stop, f.network, f.design} {
			cells = append(cells, figure(ratio, geometric(v)))
		}
		cells = append(cells, figure(percent, Median(f.below)))
		// Controls show what the scheme does without the network: factors below one are faster than it.
		for _, m := range []string{"proxy+zero/paper", "proxy+random/paper", "start"} {
			over := collect(s.paperPairs(), func(p pair) float64 {
				other := p.in.run(m)
				if other == nil {
					return math.NaN()
				}
				return seconds(other) / seconds(p.r)
			})
			cells = append(cells, figure(ratio, geometric(over)))
		}
		t.Rows = append(t.Rows, Row{Cells: cells})
	}
	return t
}

// factors are the figures of factorTable, one an instance.
type factors struct {
	runs int // instances that have all three runs

	// Shares of the oracle's time.
	separation, master []float64

	// The whole factor O/P, its parts O/A, A/a and a/P, and A/a with the time of a design as good as the proxy's.
	all, aggregation, stop, network, design []float64

	// By how much the proxy's bound is below its design, per cent.
	below []float64
}

// factors collects the figures of the instances of a shape that have all three runs.
func (s *shape) factors() (f factors) {
	for _, p := range s.paperPairs() {
		summed := p.in.run("aggregated/paper")
		if p.oracle == nil || summed == nil {
			continue
		}
		oracle, aggregated, own := seconds(p.oracle), seconds(summed), seconds(p.r)

		// When the aggregated run had the proxy's bound, and when a design as good as the proxy's.
		bound := reaches(summed, func(q *experiment.TracePoint) bool { return q.Bound >= p.r.Bound })
		design := reaches(summed, func(q *experiment.TracePoint) bool { return q.Incumbent <= p.r.TrueCost })

		// Each instance adds one value to every list.
		f.runs++
		f.separation = append(f.separation, float64(p.oracle.Parts.Separation)/oracle)
		f.master = append(f.master, float64(p.oracle.Parts.Master)/oracle)
		f.all = append(f.all, oracle/own)
		f.aggregation = append(f.aggregation, oracle/aggregated)
		f.stop = append(f.stop, aggregated/bound)
		f.network = append(f.network, bound/own)
		f.design = append(f.design, aggregated/design)
		// The bound is relative to the cost of the proxy's design.
		cost := float64(p.r.TrueCost)
		f.below = append(f.below, 100*(cost-float64(p.r.Bound))/math.Abs(cost))
	}
	return f
}

// seconds is the time of a run, at least a microsecond.
func seconds(r *experiment.Record) float64 { return max(float64(r.Seconds), 1e-6) }

// reaches is the time of the first point of a run's trace that satisfies a condition, the time of the run if none does.
func reaches(r *experiment.Record, holds func(*experiment.TracePoint) bool) float64 {
	// The points of a trace are in the order of their times.
	for k := range r.Trace {
		if holds(&r.Trace[k]) {
			// A time is at least a microsecond, as that of the run is, and no later than the end of the run.
			return min(max(float64(r.Trace[k].Seconds), 1e-6), seconds(r))
		}
	}
	return seconds(r)
}
