package twostage

import (
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/internal/outward"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Place is a number of the skeleton that differs between scenarios: a change without its value.
type Place = stoch.Change

// Dual is a certificate of a program whose scenarios share their dual-feasible set (stoch.Random.FixedDual): one that a
// scenario had, as one of all. Its cut for the skeleton is kept; that of a scenario differs from it by the places that
// do.
type Dual struct {
	kind   benders.Kind
	s      *Scenarios
	lambda []float64         // multipliers of the recourse rows
	alpha  outward.DualBound // value in the skeleton at y = 0
	beta   []outward.Dot     // slope in the skeleton, of every first-stage column
	loaded []int32           // positions in s.compact of the places whose numbers count for the cut of a scenario
}

// Shared returns the multipliers of the recourse rows in a scenario's cut, and false where its certificate is not for
// all scenarios, no float64 vector, or dual feasible only up to rounding. They must not be changed.
func (s *Scenarios) Shared(cut *benders.Cut) (lambda []float64, ok bool) {
	c, ok := cut.Certificate.(*Certificate)
	if !ok || !s.span.random.FixedDual() {
		return nil, false
	}
	if len(c.parts) != 1 || c.parts[0].exact != nil || c.parts[0].faint || c.rounded {
		return nil, false
	}
	return c.parts[0].lambda, true
}

// Dual returns the certificate of a scenario's cut, nil where it is not shared.
func (s *Scenarios) Dual(cut *benders.Cut) *Dual {
	lambda, shared := s.Shared(cut)
	if !shared {
		return nil
	}

	// The sums of the skeleton are kept unrounded: a scenario adds its differences to them.
	t := terms{p: s.base, beta: map[int32]*outward.Dot{}}
	t.addFloat(cut.Kind, &s.base.parts[0], &part{lambda: lambda})
	d := &Dual{
		kind:   cut.Kind,
		s:      s,
		lambda: lambda,
		alpha:  t.alpha,
		beta:   make([]outward.Dot, s.base.First),
	}
	for j, b := range t.beta {
		d.beta[j] = *b
	}
	if s.compact != nil {
		for k, c := range s.compact.Places() {
			if d.counts(c) {
				d.loaded = append(d.loaded, int32(k))
			}
		}
	}
	return d
}

// counts reports whether a number in a place may change the certificate's cut.
func (d *Dual) counts(at Place) bool {
	switch at.Kind {
	case stoch.Entry:
		return d.lambda[d.s.local[at.Row]] != 0
	case stoch.RowLower, stoch.RowUpper: // a positive multiplier prices the lower side
		l := d.lambda[d.s.local[at.Row]]
		return l != 0 && (l > 0) == (at.Kind == stoch.RowLower)
	}
	return true // the error of a reduced cost counts at both bounds
}

// Lambda returns the multipliers of the recourse rows. They must not be changed.
func (d *Dual) Lambda() []float64 { return d.lambda }

// Base returns the value of the certificate in the skeleton at y = 0 and its slopes, rounded.
func (d *Dual) Base() (alpha float64, beta []float64) {
	alpha, _ = d.alpha.Value()
	beta = make([]float64, len(d.beta))
	for j := range d.beta {
		beta[j], _ = d.beta[j].Value()
	}
	return alpha, beta
}

// Load returns by how much the certificate's value changes with the number in a place, rounded; for the coefficient of
// a first-stage column, with the number times that column.
func (d *Dual) Load(at Place) float64 {
	price := 0.0 // multiplier of the row, or reduced cost of the column
	switch at.Kind {
	case stoch.Entry, stoch.RowLower, stoch.RowUpper:
		price = d.lambda[d.s.local[at.Row]]
	case stoch.ColLower, stoch.ColUpper:
		price, _ = d.reduced(int32(at.Col))
	}

	// A positive price is that of a lower side or bound, a negative one that of an upper side or bound.
	switch at.Kind {
	case stoch.Entry:
		return -price
	case stoch.RowLower, stoch.ColLower:
		return max(0, price)
	case stoch.RowUpper, stoch.ColUpper:
		return min(0, price)
	}
	return 0
}

// reduced returns the reduced cost of a recourse column in the skeleton, and a bound on its error.
func (d *Dual) reduced(col int32) (v, err float64) {
	c := &d.s.base.parts[0]
	return d.s.base.reduced(d.kind, c, int(col)-d.s.base.First, d.lambda)
}

// Cut returns the certificate's cut for a scenario on an epigraph, rounded outward as every cut, without slopes that
// are noise. It reports false if a number is too large.
func (d *Dual) Cut(scenario, theta int) (benders.Cut, bool) {
	// A sum of one certificate is rounded in the same way as a sum of several.
	w := d.s.NewWeighted()
	w.AddDual(1, d, scenario)
	cut, ok := w.Cut(theta)
	cut.Kind, cut.Certificate = d.kind, d.Multipliers()
	if d.kind == benders.Feasibility {
		cut.Theta = benders.AllEpigraphs
	}
	return cut, ok
}

// Multipliers returns the certificate as what a record keeps of it.
func (d *Dual) Multipliers() *benders.Multipliers {
	return &benders.Multipliers{Of: d.kind, Values: d.lambda}
}

// shiftAll is shift for all changes of a scenario that count.
func (d *Dual) shiftAll(w *Weighted, weight float64, alpha *outward.DualBound, scenario int) {
	s := d.s
	k := scenario - s.from
	if s.compact == nil {
		// Coefficients are numbered apart, in the order of the changes.
		entries := s.entries[k]
		for _, c := range s.program.Scenarios[k].Changes {
			at := int32(-1)
			if c.Kind == stoch.Entry {
				at, entries = entries[0], entries[1:]
			}
			if d.counts(c) {
				d.shift(w, weight, alpha, c, at)
			}
		}
		return
	}

	// Most places of most certificates do not count.
	places := s.compact.Places()
	for _, at := range d.loaded {
		c := places[at]
		if c.Value = s.compact.Value(k, at); !math.IsNaN(c.Value) {
			d.shift(w, weight, alpha, c, s.entry[at])
		}
	}
}

// shift moves alpha, and the slopes of a sum to which the cut was added with a weight, from the number of the skeleton
// to that of a change that counts. at is the spot of a coefficient, and not used for other numbers.
func (d *Dual) shift(w *Weighted, weight float64, alpha *outward.DualBound, c stoch.Change, at int32) {
	base := d.s.base
	move := func(v, from, to float64) { // replaces v from by v to in alpha
		if from != to {
			alpha.Add(v, to)
			alpha.Add(-v, from)
		}
	}

	// The number has a multiplier or a reduced cost as its factor in the dual objective.
	switch c.Kind {
	case stoch.Entry: // of a first-stage column: the others do not differ
		if l := d.lambda[d.s.local[c.Row]]; int(c.Col) < base.First {
			w.beta[c.Col].AddProduct(-weight, l, c.Value)
			w.beta[c.Col].AddProduct(weight, l, d.s.spots[at].base)
		}
	case stoch.RowLower, stoch.RowUpper:
		move(d.lambda[d.s.local[c.Row]], *number(base.Compact, c), c.Value)
	case stoch.ColLower, stoch.ColUpper:
		if math.IsInf(c.Value, 0) { // as in the skeleton
			return
		}

		// The reduced cost prices one of the two bounds, and its error may count for the difference at either.
		v, err := d.reduced(int32(c.Col))
		l, u := base.lower(int32(c.Col)), base.upper(int32(c.Col))
		lower := math.IsInf(u, 1) || v > 0 && !math.IsInf(l, -1) // the side that is priced, as in terms.addFloat
		if lower == (c.Kind == stoch.ColLower) {
			move(v, *number(base.Compact, c), c.Value)
		}
		alpha.Lose(outward.Up(err * math.Abs(c.Value)))
	}
}

// Skeleton returns the number of the skeleton in a place; costs are those of the minimisation.
func (s *Scenarios) Skeleton(at Place) float64 {
	if at.Kind == stoch.Entry {
		return s.spots[s.places[place{int32(at.Row), int32(at.Col)}]].base
	}
	return *number(s.base.Compact, at)
}

// number returns where a model keeps the cost, side or bound that a change replaces.
func number(m *lp.Model, at Place) *float64 {
	switch at.Kind {
	case stoch.Cost:
		return &m.Cols[at.Col].Cost
	case stoch.RowLower:
		return &m.Rows[at.Row].Lower
	case stoch.RowUpper:
		return &m.Rows[at.Row].Upper
	case stoch.ColLower:
		return &m.Cols[at.Col].Lower
	}
	return &m.Cols[at.Col].Upper
}
