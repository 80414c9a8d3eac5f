package integer

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// polishNodes is how many nodes the search for a cheaper design may take: it is a heuristic.
const polishNodes = 200

// polish returns the cheapest design for which the recourse that the scenarios chose at the design that was priced last
// stays feasible, and whether it is cheaper by its first stage. Costs of the recourse are the same there, or lower once
// it is priced. It is what a continuous column needs, whose best value is one that some scenario just needs.
func (d *pricedDesigns) polish(ctx context.Context) (y []float64, better bool, err error) {
	m := d.prices.p.master.Clone()
	given, err := d.prices.p.tight.FirstRows()
	if err != nil {
		return nil, false, prefixed(err)
	}

	// A row of the recourse leaves to the first stage what the points of the scenarios do not use. Where the scenarios
	// have the same coefficients there, the tightest of these rows is enough.
	shared := !d.prices.p.tight.Random().Links
	tightest := make([]lp.Row, len(given))
	terms := make([][]term, len(given))
	for s := range d.prices.points {
		scenario, err := d.prices.model(s)
		if err != nil {
			return nil, false, err
		}
		a, err := scenario.Matrix()
		if err != nil {
			return nil, false, prefixed(err)
		}

		// What the recourse of the scenario uses of every row, and the terms of the first stage there.
		used := make([]float64, len(given))
		for i := range terms {
			terms[i] = terms[i][:0]
		}
		for j, v := range d.prices.points[s] {
			index, value := a.Vec(j)
			for k, i := range index {
				if j < d.prices.p.tight.First {
					terms[i] = append(terms[i], term{int32(j), value[k]})
				} else {
					used[i] += value[k] * v
				}
			}
		}

		// What is left is a row of the first stage alone.
		for i, r := range scenario.Rows {
			if given[i] || len(terms[i]) == 0 {
				continue
			}
			r.Lower -= used[i]
			r.Upper -= used[i]
			if shared && s > 0 {
				r.Lower = max(r.Lower, tightest[i].Lower)
				r.Upper = min(r.Upper, tightest[i].Upper)
			}
			tightest[i] = r
			if !shared || s == len(d.prices.points)-1 {
				addTerms(m, r, terms[i])
			}
		}
	}

	// The cheapest design of these rows.
	o := bnb.DefaultOptions()
	o.MaxNodes = polishNodes
	out, err := bnb.Solve(ctx, m, o, bnb.Hooks{})
	if err != nil || out.X == nil {
		return nil, false, nil // rounding may leave no point: it is a heuristic
	}
	y = slices.Clone(out.X[:len(d.prices.at)])
	gain := d.prices.p.master.Evaluate(d.prices.at) - d.prices.p.master.Evaluate(y)
	return y, gain > 1e-9*max(1, math.Abs(d.cost)), nil
}

// addTerms adds a row.
func addTerms(m *lp.Model, r lp.Row, terms []term) {
	index := make([]int32, len(terms))
	value := make([]float64, len(terms))
	for k, t := range terms {
		index[k] = t.col
		value[k] = t.value
	}
	m.AddRow(lp.Row{Lower: r.Lower, Upper: r.Upper}, index, value)
}
