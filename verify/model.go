package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/proxybd/proxybd/record"
)

// model is a general two-stage model. Rows in which only first-stage columns appear are rows of the first stage, all
// others rows of the recourse.
type model struct {
	record.Model
	parts int // epigraphs

	// The columns of the first stage in order, and the place of each model column among them, -1 for a recourse column.
	columns []int
	place   []int

	// The epigraph of every row, -1 for a row of the first stage.
	block []int

	// Bounds of the columns, implied ones too; nil where there is none.
	low, high []*big.Rat

	// The box of all columns in a tree over a block, nil before the first one.
	boxLower, boxUpper []float64

	// The recourse columns of every epigraph, nil before they are needed.
	members [][]int
}

// openModel reads a general model.
func openModel(r *record.Record) (problem, error) {
	p := &model{parts: r.Header.Epigraphs}
	if err := r.Instance.Decode(&p.Model); err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}

	// Each epigraph has a recourse column, and so there are no more of them than columns.
	if p.parts < 1 || p.parts > len(p.Cost) {
		return nil, fmt.Errorf("%d epigraphs for %d columns", p.parts, len(p.Cost))
	}
	// The columns of the first stage keep their order.
	p.place = slices.Repeat([]int{-1}, len(p.Cost))
	for j := range p.Cost {
		if p.First[j] {
			p.place[j] = len(p.columns)
			p.columns = append(p.columns, j)
		} else if p.Block[j] < 0 || p.Block[j] >= p.parts {
			return nil, fmt.Errorf("recourse column %d is of no epigraph", j)
		}
	}
	if err := p.blocks(); err != nil {
		return nil, err
	}
	if err := p.limits(); err != nil {
		return nil, err
	}
	return p, p.deriveRows()
}

// check reports lists that do not fit together and numbers that no model has.
func (p *model) check() error {
	n, m := len(p.Cost), len(p.RowLower)
	// The lists of columns and those of rows each have one length.
	byCol := lengths(n, len(p.Lower), len(p.Upper), len(p.Integer), len(p.First), len(p.Block))
	byRow := len(p.RowUpper) == m && len(p.Start) == m+1
	if !byCol || !byRow {
		return errLengths
	}

	// The entries of row i are those from Start[i] to Start[i+1].
	entries := len(p.Index)
	ordered := p.Start[0] == 0 && p.Start[m] == entries && slices.IsSorted(p.Start)
	if len(p.Value) != entries || !ordered {
		return errLengths
	}
	if !finite(p.Cost...) || !finite(p.Offset) {
		return errors.New("a number that is not finite")
	}

	if err := p.sides(); err != nil {
		return err
	}

	// A column stands in a row once.
	for i := range m {
		if err := sparseVector(p.Index[p.Start[i]:p.Start[i+1]], p.Value[p.Start[i]:p.Start[i+1]], n); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	return nil
}

// sides checks that no lower bound or side is +Inf, no upper one -Inf, and none NaN.
func (p *model) sides() error {
	for _, pair := range []struct {
		what         string
		lower, upper []record.Number
	}{{"column", p.Lower, p.Upper}, {"row", p.RowLower, p.RowUpper}} {
		for k, v := range pair.lower {
			lower, upper := float64(v), float64(pair.upper[k])
			// The comparisons are such that NaN fails them.
			if !(lower < math.Inf(1)) || !(upper > math.Inf(-1)) {
				return fmt.Errorf("%s %d is between %g and %g", pair.what, k, lower, upper)
			}
		}
	}
	return nil
}

// blocks finds the epigraph of every row and checks that no row joins two. A row without sides joins nothing and
// belongs to none.
func (p *model) blocks() error {
	p.block = slices.Repeat([]int{-1}, len(p.RowLower))
	for i := range p.block {
		// Such a row restricts nothing, whatever its columns are.
		if math.IsInf(float64(p.RowLower[i]), -1) && math.IsInf(float64(p.RowUpper[i]), 1) {
			continue
		}

		// The recourse columns of a row decide which epigraph it belongs to.
		for _, j := range p.Index[p.Start[i]:p.Start[i+1]] {
			if p.First[j] {
				continue
			}

			// Two epigraphs in a row would not have separate values.
			if p.block[i] >= 0 && p.block[i] != p.Block[j] {
				return fmt.Errorf("row %d joins two epigraphs", i)
			}
			p.block[i] = p.Block[j]
		}
	}
	return nil
}

// epigraphs is how many parts the recourse has.
func (p *model) epigraphs() int { return p.parts }

// first has the columns of the first stage, with bounds that are rounded for integer ones.
func (p *model) first() *stage {
	s := &stage{offset: p.Offset}
	for _, j := range p.columns {
		lower, upper := p.bounds(j)
		s.cost = append(s.cost, p.Cost[j])
		s.lower = append(s.lower, lower)
		s.upper = append(s.upper, upper)
		s.integer = append(s.integer, p.Integer[j])
	}
	return s
}

// bounds are those of a column, of an integer one rounded inward.
func (p *model) bounds(j int) (lower, upper float64) {
	lower, upper = float64(p.Lower[j]), float64(p.Upper[j])
	// No integer lies between the bound and its rounding.
	if p.Integer[j] {
		return math.Ceil(lower), math.Floor(upper)
	}
	return lower, upper
}

// hash is that of the model.
func (p *model) hash() string { return p.Model.Hash() }

// checkRow looks for the row, or its negative, among those of the first stage.
func (p *model) checkRow(r *record.Row) error {
	// The row is of the columns of the first stage, and is compared by the columns of the model.
	want := make(map[int]float64, len(r.Index))
	for k, j := range r.Index {
		if r.Value[k] != 0 {
			want[p.columns[j]] = r.Value[k]
		}
	}
	for i := range p.block {
		// Rows of the recourse do not bound designs by themselves.
		if p.block[i] >= 0 {
			continue
		}

		// A row a'x >= b is implied by the lower side of a row, or by the upper side of its negative.
		byLower := r.Lower <= float64(p.RowLower[i]) && p.same(i, want, 1)
		byUpper := r.Lower <= -float64(p.RowUpper[i]) && p.same(i, want, -1)
		if byLower || byUpper {
			return nil
		}
	}
	return errors.New("it is no row of the first stage")
}

// same reports whether the coefficients of row i times the sign are those wanted.
func (p *model) same(i int, want map[int]float64, sign float64) bool {
	// Both have the same number of entries, and each of them is the same.
	count := 0
	for k := p.Start[i]; k < p.Start[i+1]; k++ {
		if p.Value[k] == 0 {
			continue
		}
		if want[int(p.Index[k])] != sign*p.Value[k] {
			return false
		}
		count++
	}
	return count == len(want)
}

// checkCut proves the cut from multipliers of the recourse rows: over the bounds of the recourse columns, the weighted
// rows and what the costs leave give alpha* + beta*'y, and the cut is below it wherever y is within its bounds.
func (p *model) checkCut(c *record.Cut) error {
	if len(c.Proof) > 0 {
		return p.checkTree(c)
	}
	lambda, err := p.multipliers(c)
	if err != nil {
		return err
	}

	// Feasibility cuts have no costs.
	reduced := make([]*big.Rat, len(p.Cost))
	for j := range reduced {
		// The costs of the cut's own epigraph count, since its value is bounded by them.
		reduced[j] = new(big.Rat)
		if !c.Feasibility && p.counts(c, j) {
			reduced[j].SetFloat64(p.Cost[j])
		}
	}

	// The weighted rows, each by the side that its multiplier's sign asks for.
	value := exactly(-c.Alpha)
	for i, weight := range lambda {
		if weight.Sign() == 0 {
			// A zero multiplier does not use its row.
			continue
		}

		// A positive multiplier uses the lower side, a negative one the upper side.
		side := float64(p.RowLower[i])
		if weight.Sign() < 0 {
			side = float64(p.RowUpper[i])
		}
		switch {
		case p.block[i] < 0, c.Theta >= 0 && p.block[i] != c.Theta:
			// The multipliers of an epigraph must not use rows of another one.
			return fmt.Errorf("row %d has a multiplier but no part in the epigraph", i)
		case math.IsInf(side, 0):
			return fmt.Errorf("row %d has a multiplier of the sign of its infinite side", i)
		}

		// The row enters with its side, and its entries leave the costs.
		value.Add(value, new(big.Rat).Mul(weight, exactly(side)))
		longest := value.Denom().BitLen()
		for k := p.Start[i]; k < p.Start[i+1]; k++ {
			j := p.Index[k]
			reduced[j].Sub(reduced[j], new(big.Rat).Mul(weight, exactly(p.Value[k])))
			longest = max(longest, reduced[j].Denom().BitLen())
		}

		// Multipliers that solve a system of equations have one denominator in common.
		if longest > maxDenominator {
			return fmt.Errorf("multipliers whose common denominator has more than %d bits", maxDenominator)
		}
	}

	// For first-stage columns, what the rows give less what the cut claims.
	// Slopes are exact numbers: some are no float64.
	slopes, err := exactNumbers(c.Beta, c.Slopes)
	if err != nil {
		return err
	}
	for k, j := range c.Index {
		reduced[p.columns[j]].Sub(reduced[p.columns[j]], slopes[k].rat())
	}

	// The least value over the bounds of all columns must not be negative.
	for j, d := range reduced {
		bound := p.low[j]
		if d.Sign() < 0 {
			bound = p.high[j]
		}

		// A reduced cost of zero needs no bound. The least value of any other one is at a bound.
		switch {
		case d.Sign() == 0:
		case bound == nil:
			return fmt.Errorf("column %d has the reduced cost %g and no bound on that side", j, nearest(d))
		default:
			value.Add(value, d.Mul(d, bound))
		}
	}
	if value.Sign() < 0 {
		return fmt.Errorf("it exceeds what the certificate gives by up to %g", -nearest(value))
	}
	return nil
}

// exactly returns the rational value of a finite float64.
func exactly(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// multipliers returns the certificate of a cut.
func (p *model) multipliers(c *record.Cut) ([]*big.Rat, error) {
	rows := len(p.block)
	// Fractions are left out where all multipliers are float64.
	if len(c.Certificate) != rows || len(c.Exact) != 0 && len(c.Exact) != rows {
		return nil, fmt.Errorf("%d multipliers and %d fractions for %d rows", len(c.Certificate), len(c.Exact), rows)
	}

	out := make([]*big.Rat, rows)
	for i, v := range c.Certificate {
		out[i] = exactly(v)
		// The fraction takes the place of the float64, which is near it.
		if len(c.Exact) == 0 || c.Exact[i] == "" {
			continue
		}
		var ok bool
		if out[i], ok = fraction(c.Exact[i]); !ok {
			return nil, fmt.Errorf("the multiplier %.20q of row %d", c.Exact[i], i)
		}
	}
	return out, nil
}

// limits sets the bounds of all columns, nil where there is none, and proves the implied ones one after the other: the
// row and the bounds of its other columns leave the column no more room.
func (p *model) limits() error {
	p.low = make([]*big.Rat, len(p.Cost))
	p.high = make([]*big.Rat, len(p.Cost))
	for j := range p.Cost {
		lower, upper := p.bounds(j)
		if !math.IsInf(lower, 0) {
			p.low[j] = exactly(lower)
		}
		if !math.IsInf(upper, 0) {
			p.high[j] = exactly(upper)
		}
	}

	// A bound may rest on those that are implied before it.
	for k, b := range p.Implied {
		// The numbers come from the file, and need not be those of a row and a column.
		hasRow := b.Row >= 0 && b.Row < len(p.RowLower)
		hasColumn := b.Column >= 0 && b.Column < len(p.Cost)
		if !hasRow || !hasColumn || !finite(b.Bound) {
			return fmt.Errorf("implied bound %d: row %d, column %d", k, b.Row, b.Column)
		}
		if !p.implies(b) {
			return fmt.Errorf("implied bound %d: it does not follow from row %d", k, b.Row)
		}

		// The implied bound is known from here on.
		if b.Upper {
			p.high[b.Column] = exactly(b.Bound)
		} else {
			p.low[b.Column] = exactly(b.Bound)
		}
	}
	return nil
}

// implies reports whether a bound follows: with the coefficient a of its column, a*bound is on the far side of what the
// row leaves for a*x.
func (p *model) implies(b record.Implied) bool {
	// The column must be in the row, and have no bound on this side yet.
	// The coefficient of the column in the row, which has the column once at most.
	own := 0.0
	for k := p.Start[b.Row]; k < p.Start[b.Row+1]; k++ {
		if int(p.Index[k]) == b.Column {
			own = p.Value[k]
		}
	}

	// Only a missing bound may be implied: it is proven once, before anything uses it.
	known := p.low[b.Column]
	if b.Upper {
		known = p.high[b.Column]
	}
	if own == 0 || known != nil {
		return false
	}

	fromUpper := own > 0 == b.Upper // the upper side of the row limits a*x
	// The side that limits the column on this side, which must be finite.
	side := float64(p.RowLower[b.Row])
	if fromUpper {
		side = float64(p.RowUpper[b.Row])
	}
	if math.IsInf(side, 0) {
		return false
	}

	// What the bounds of the other columns leave of that side.
	room := exactly(side)
	for k := p.Start[b.Row]; k < p.Start[b.Row+1]; k++ {
		j := int(p.Index[k])
		if j == b.Column || p.Value[k] == 0 {
			continue
		}

		// The row leaves the most room where the other terms are least, for its upper side, or greatest, for its lower one.
		bound := p.high[j]
		if p.Value[k] > 0 == fromUpper {
			bound = p.low[j]
		}

		// Without a bound of another column there is no limit on this one.
		if bound == nil {
			return false
		}
		room.Sub(room, new(big.Rat).Mul(exactly(p.Value[k]), bound))
	}

	// The comparison is of products, so that nothing is divided by the coefficient.
	at := new(big.Rat).Mul(exactly(own), exactly(b.Bound))
	if fromUpper {
		return at.Cmp(room) >= 0
	}
	return at.Cmp(room) <= 0
}

// counts reports whether the cost of a recourse column is part of the cut's epigraph.
func (p *model) counts(c *record.Cut, j int) bool {
	return !p.First[j] && (c.Theta == record.AllEpigraphs || p.Block[j] == c.Theta)
}

// price makes the complete point exact: integer columns are fixed, continuous ones of either stage may move a little.
func (p *model) price(ctx context.Context, d *record.Design) (*big.Rat, error) {
	if err := sparseVector(d.Index, d.Value, len(p.Cost)-len(p.columns)); err != nil {
		return nil, err
	}

	// The approximate point: the design, and the recorded values of the recourse columns.
	// The design comes first, with exact values of its integer columns.
	near := make([]float64, len(p.Cost))
	for k, j := range p.columns {
		near[j] = d.Y[k]
	}

	// The recorded values are those of the recourse columns in their order.
	var recourse []int
	for j := range p.Cost {
		if !p.First[j] {
			recourse = append(recourse, j)
		}
	}
	for k, at := range d.Index {
		near[recourse[at]] = d.Value[k]
	}

	// All rows of the model are in the program, those of the first stage too.
	s := &system{fixed: exactly(p.Offset)}
	for j, v := range near {
		lower, upper := p.bounds(j)
		if p.Integer[j] {
			// The value stands as it is, and so has to be one that the column may have.
			if !(v >= lower && v <= upper) || v != math.Trunc(v) {
				return nil, fmt.Errorf("integer column %d has the value %g", j, v)
			}
			lower = v
			upper = v
		}
		s.addColumn(p.Cost[j], lower, upper, v)
	}
	for i := range p.block {
		row := s.addRow(float64(p.RowLower[i]), float64(p.RowUpper[i]))
		for k := p.Start[i]; k < p.Start[i+1]; k++ {
			s.add(row, int(p.Index[k]), p.Value[k])
		}
	}
	return s.solve(ctx)
}
