package twostage

import (
	"fmt"
	"math"
	"math/big"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

// Check proves in exact arithmetic that a cut follows from its certificate and the program, and so holds for every y in
// its bounds, and within Reach of zero in columns without any: every multiplier has a sign that its row has a side for,
// every reduced cost one that its column has a bound for, and the cut's coefficients are at most what they imply.
// Bounds that rows imply are derived again, step by step. An optimality cut must have a multiplier vector for each
// component of its epigraph.
func (p *Problem) Check(cut *benders.Cut) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("twostage: %w: %s", ErrCertificate, fmt.Sprintf(format, args...))
	}
	cert, ok := cut.Certificate.(*Certificate)
	if !ok || cert.kind != cut.Kind || len(cut.Index) != len(cut.Beta) {
		return bad("not a cut of this package with its certificate")
	}
	if err := p.checkComponents(cut, cert); err != nil {
		return err
	}
	lower, upper, err := p.provenBounds()
	if err != nil {
		return err
	}
	k := checker{p: p, kind: cut.Kind, lower: lower, upper: upper, alpha: new(big.Rat), slope: make([]big.Rat, p.First)}
	for _, q := range cert.parts {
		lambda, err := q.rationals(len(p.parts[q.component].rows))
		if err != nil {
			return err
		}
		if err := k.add(&p.parts[q.component], lambda, q.faint); err != nil {
			return err
		}
	}
	return k.compare(cut)
}

func (p *Problem) checkComponents(cut *benders.Cut, cert *Certificate) error {
	seen := make([]bool, len(p.parts))
	for _, q := range cert.parts {
		if q.component < 0 || q.component >= len(p.parts) || seen[q.component] {
			return fmt.Errorf("twostage: %w: component %d", ErrCertificate, q.component)
		}
		seen[q.component] = true
	}
	if cut.Kind == benders.Feasibility {
		return nil
	}
	for g, group := range p.groups {
		wanted := cut.Theta == benders.AllEpigraphs || cut.Theta == g
		for _, c := range group {
			if seen[c] != wanted {
				return fmt.Errorf("twostage: %w: component %d does not go with epigraph %d", ErrCertificate, c, cut.Theta)
			}
		}
	}
	return nil
}

// rationals returns the certificate of a part.
func (q *part) rationals(rows int) ([]*big.Rat, error) {
	if q.exact != nil && len(q.exact) == rows {
		return q.exact, nil
	}
	if len(q.lambda) != rows {
		return nil, fmt.Errorf("twostage: %w: %d multipliers for %d rows", ErrCertificate, len(q.lambda), rows)
	}
	out := make([]*big.Rat, rows)
	for i, v := range q.lambda {
		if out[i] = new(big.Rat).SetFloat64(v); out[i] == nil {
			return nil, fmt.Errorf("twostage: %w: multiplier %g", ErrCertificate, v)
		}
	}
	return out, nil
}

// provenBounds returns the bounds of every column, nil for an infinite one, and proves those that rows imply.
func (p *Problem) provenBounds() (lower, upper []*big.Rat, err error) {
	n := len(p.Compact.Cols)
	lower, upper = make([]*big.Rat, n), make([]*big.Rat, n)
	for j, c := range p.Compact.Cols {
		lower[j], upper[j] = new(big.Rat).SetFloat64(c.Lower), new(big.Rat).SetFloat64(c.Upper)
	}
	for _, s := range p.implied.steps {
		limit := p.limit(s, lower, upper)
		if limit == nil {
			return nil, nil, fmt.Errorf("twostage: %w: row %d implies no bound of column %d", ErrCertificate, s.row, s.col)
		}
		v := new(big.Rat).SetFloat64(s.value)
		if s.upper && (v.Cmp(limit) < 0 || upper[s.col] != nil) || !s.upper && (v.Cmp(limit) > 0 || lower[s.col] != nil) {
			return nil, nil, fmt.Errorf("twostage: %w: the bound %g of column %d does not follow from row %d", ErrCertificate, s.value, s.col, s.row)
		}
		if s.upper {
			upper[s.col] = v
		} else {
			lower[s.col] = v
		}
	}
	return lower, upper, nil
}

// limit returns the bound that the row of a step and the bounds of its other columns give, or nil.
func (p *Problem) limit(s boundStep, lower, upper []*big.Rat) *big.Rat {
	index, value := p.rows.Vec(int(s.row))
	var own *big.Rat
	for k, j := range index {
		if j == s.col {
			own = new(big.Rat).SetFloat64(value[k])
		}
	}
	if own == nil || own.Sign() == 0 {
		return nil
	}
	row := p.Compact.Rows[s.row]
	fromUpper := (own.Sign() > 0) == s.upper // the upper side of the row limits the column
	side := row.Lower
	if fromUpper {
		side = row.Upper
	}
	if math.IsInf(side, 0) {
		return nil
	}
	room, w := new(big.Rat).SetFloat64(side), new(big.Rat)
	for k, j := range index {
		if j == s.col || value[k] == 0 {
			continue
		}
		b := upper[j]
		if (value[k] > 0) == fromUpper {
			b = lower[j]
		}
		if b == nil {
			return nil
		}
		room.Sub(room, w.Mul(new(big.Rat).SetFloat64(value[k]), b))
	}
	return room.Quo(room, own)
}

// checker adds up what a certificate implies.
type checker struct {
	p            *Problem
	kind         benders.Kind
	lower, upper []*big.Rat
	alpha        *big.Rat
	slope        []big.Rat
}

func (k *checker) add(c *component, lambda []*big.Rat, faint bool) error {
	z := make([]*big.Rat, len(c.cols))
	for t, j := range c.cols {
		z[t] = new(big.Rat)
		if k.kind == benders.Optimality {
			z[t].SetFloat64(k.p.Compact.Cols[j].Cost)
		}
	}
	w := new(big.Rat)
	position := make(map[int32]int, len(c.cols))
	for t, j := range c.cols {
		position[j] = t
	}
	for t, i := range c.rows {
		sign := lambda[t].Sign()
		if sign == 0 {
			continue
		}
		side := k.p.Compact.Rows[i].Lower
		if sign < 0 {
			side = k.p.Compact.Rows[i].Upper
		}
		if math.IsInf(side, 0) {
			return fmt.Errorf("twostage: %w: row %s has no side for its multiplier", ErrCertificate, k.p.Compact.RowName(lp.Con(i)))
		}
		k.alpha.Add(k.alpha, w.Mul(lambda[t], new(big.Rat).SetFloat64(side)))
		index, value := k.p.rows.Vec(int(i))
		for m, j := range index {
			w.Mul(lambda[t], new(big.Rat).SetFloat64(value[m]))
			if int(j) < k.p.First {
				k.slope[j].Sub(&k.slope[j], w)
			} else {
				z[position[j]].Sub(z[position[j]], w)
			}
		}
	}
	for t, j := range c.cols {
		bound := k.lower[j]
		if z[t].Sign() == 0 {
			continue
		}
		if z[t].Sign() < 0 {
			bound = k.upper[j]
		}
		if bound == nil && faint {
			bound = big.NewRat(int64(-z[t].Sign())*Reach, 1)
		}
		if bound == nil {
			return fmt.Errorf("twostage: %w: column %s has no bound for its reduced cost", ErrCertificate, k.p.Compact.ColName(lp.Var(j)))
		}
		k.alpha.Add(k.alpha, w.Mul(z[t], bound))
	}
	return nil
}

// compare proves cut <= alpha + slope'y for every y in its bounds.
func (k *checker) compare(cut *benders.Cut) error {
	if math.IsInf(cut.Alpha, 0) || math.IsNaN(cut.Alpha) {
		return fmt.Errorf("twostage: %w: alpha %g", ErrCertificate, cut.Alpha)
	}
	beta := make([]float64, k.p.First)
	seen := make([]bool, k.p.First)
	for t, j := range cut.Index {
		if j < 0 || int(j) >= k.p.First || seen[j] || math.IsInf(cut.Beta[t], 0) || math.IsNaN(cut.Beta[t]) {
			return fmt.Errorf("twostage: %w: slope %g at index %d", ErrCertificate, cut.Beta[t], j)
		}
		beta[j], seen[j] = cut.Beta[t], true
	}
	excess := new(big.Rat).SetFloat64(cut.Alpha) // of the difference over the bounds of y
	excess.Sub(excess, k.alpha)
	for j := range beta {
		d := new(big.Rat).SetFloat64(beta[j])
		if d.Sub(d, &k.slope[j]); d.Sign() == 0 {
			continue
		}
		bound := k.upper[j]
		if d.Sign() < 0 {
			bound = k.lower[j]
		}
		if k.upper[j] == nil && k.lower[j] == nil {
			bound = big.NewRat(int64(d.Sign())*Reach, 1)
		}
		if bound == nil {
			return fmt.Errorf("twostage: %w: the slope %g of column %s is not implied", ErrCertificate, beta[j], k.p.Compact.ColName(lp.Var(j)))
		}
		excess.Add(excess, d.Mul(d, bound))
	}
	if excess.Sign() > 0 {
		v, _ := excess.Float64()
		return fmt.Errorf("twostage: %w: the cut says %g more than its certificate", ErrCertificate, v)
	}
	return nil
}
