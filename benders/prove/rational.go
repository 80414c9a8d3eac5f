package prove

import (
	"math"
	"math/big"
	"slices"

	"github.com/proxybd/proxybd/internal/rational"
	"github.com/proxybd/proxybd/record"
)

// Limits of proofs in rationals, beyond which a leaf has no proof and is divided instead.
const (
	maxEquations = 60      // that are solved together; the rationals grow with every elimination
	maxSigns     = 20      // rounds that find new reduced costs of the wrong sign
	maxDigits    = 1 << 17 // decimal digits of the weights of a proof
)

// combination is a proof in rationals under construction.
type combination struct {
	p         *prover
	objective bool                 // a bound is proven; else that the box is empty
	weight    []*big.Rat           // of the rows of the proof
	columns   []map[int32]*big.Rat // of every first-stage column, its coefficients in the rows
	lower     []*big.Rat           // sides of the rows
	epigraphs []map[int32]*big.Rat // of every epigraph, one for the cuts on it
	room      []float64            // the weights in float64: a large one may change most
}

// exactly makes a proof with rational weights: reduced costs of columns, and of epigraphs, that lack a bound become
// zero by a change of as many weights. Its bound is -Inf where that fails.
func (p *prover) exactly(q proof, objective bool) proof {
	// Where all columns and epigraphs have bounds, float64 weights prove all that there is to prove.
	none := proof{bound: math.Inf(-1)}
	bounded := !p.hasFree && p.held == len(p.s.Lower)
	nothingToBeat := objective && p.noIncumbent
	if bounded || nothingToBeat || len(q.rows) == 0 {
		return none
	}

	c := p.combine(q, objective)
	if c == nil || !c.solve() {
		return none
	}

	// A box is proven empty by a positive excess.
	value, ok := c.value()
	if !ok || !objective && value.Sign() <= 0 {
		return none
	}

	// The weights in float64 are for the record's readers; a proof that is too long is none.
	out := proof{
		bound: math.Inf(1),
		rows:  q.rows,
		exact: c.weight,
	}
	if objective {
		out.bound = -upward(value.Neg(value))
	}
	digits := 0
	for _, w := range c.weight {
		v, _ := w.Float64()
		out.weights = append(out.weights, v)

		// About three bits are a decimal digit.
		digits += (w.Num().BitLen() + w.Denom().BitLen()) / 3
	}
	if digits > maxDigits {
		return none
	}
	return out
}

// combine reads the rows of a proof; nil if a cut has no exact coefficients.
func (p *prover) combine(q proof, objective bool) *combination {
	c := &combination{
		p:         p,
		objective: objective,
		columns:   make([]map[int32]*big.Rat, p.n),
		epigraphs: make([]map[int32]*big.Rat, p.s.Problem.Epigraphs),
		room:      q.weights,
	}

	// One column of the combination for each row of the proof.
	for at, row := range q.rows {
		// Sides are float64 as the record has them; coefficients of a cut may be fractions.
		c.weight = append(c.weight, new(big.Rat).SetFloat64(q.weights[at]))
		index, _, lower := p.recordRow(row)
		coef := p.exactRow(row)
		if coef == nil {
			return nil
		}
		c.lower = append(c.lower, new(big.Rat).SetFloat64(lower))
		for k, j := range index {
			put(&c.columns[j], int32(at), coef[k])
		}
		if objective {
			p.onEpigraphs(row, func(e int) { put(&c.epigraphs[e], int32(at), big.NewRat(1, 1)) })
		}
	}
	return c
}

// put sets an entry of a map that may not be there yet.
func put(m *map[int32]*big.Rat, at int32, v *big.Rat) {
	if *m == nil {
		*m = make(map[int32]*big.Rat)
	}
	(*m)[at] = v
}

// exactRow returns the coefficients of a row of the record in the order of recordRow, to be read only; nil if a cut has
// none.
func (p *prover) exactRow(row int32) []*big.Rat {
	out, ok := p.fractions[row]
	if !ok {
		out = p.readExactly(row)
		p.fractions[row] = out
	}
	return out
}

// readExactly computes what exactRow returns.
func (p *prover) readExactly(row int32) []*big.Rat {
	_, coef, _ := p.recordRow(row)
	out := make([]*big.Rat, len(coef))
	for k, v := range coef {
		out[k] = new(big.Rat).SetFloat64(v)
	}

	// Rows of the master are exact, and where all columns have bounds the rounded slopes of a cut are enough.
	if row < 0 || !p.hasFree {
		return out
	}

	// The certificate has the slopes that are no float64 as fractions, with the sign of the cut.
	var rc record.Cut
	p.s.Certify(&p.cuts[row], &rc)
	for k, text := range rc.Slopes {
		if text == "" {
			continue
		}
		r, ok := new(big.Rat).SetString(text)
		if !ok {
			return nil
		}
		out[k] = r.Neg(r)
	}
	return out
}

// left is start less the weighted coefficients: a reduced cost.
func (c *combination) left(start float64, coef map[int32]*big.Rat) *big.Rat {
	d := new(big.Rat).SetFloat64(start)
	t := new(big.Rat)
	for at, v := range coef {
		d.Sub(d, t.Mul(v, c.weight[at]))
	}
	return d
}

// reduced is the reduced cost of column j.
func (c *combination) reduced(j int) *big.Rat {
	cost := 0.0
	if c.objective {
		cost = c.p.s.Problem.Master.Cols[j].Cost
	}
	return c.left(cost, c.columns[j])
}

// rest is the reduced cost of epigraph e, its cost of 1 less the weights of the cuts on it.
func (c *combination) rest(e int) *big.Rat { return c.left(1, c.epigraphs[e]) }

// solve changes the weights so that the reduced costs whose sign no bound prices are zero. It reports false if it
// cannot, or a weight turns negative.
func (c *combination) solve() bool {
	columns := make([]bool, len(c.columns))     // whose reduced costs have to be zero
	epigraphs := make([]bool, len(c.epigraphs)) // the same of epigraphs
	for range maxSigns {
		// A reduced cost of the wrong sign adds an equation, which stays in later rounds.
		grown := false
		var list []rational.Equation
		add := func(chosen *bool, bad bool, coef map[int32]*big.Rat, lack *big.Rat) {
			if !*chosen && bad {
				*chosen = true
				grown = true
			}
			if *chosen {
				list = append(list, equation(coef, lack))
			}
		}

		// An epigraph is bounded from below at most: its reduced cost may be positive only where that bound is finite.
		for e := range epigraphs {
			if c.objective {
				rest := c.rest(e)
				bad := rest.Sign() < 0 || rest.Sign() > 0 && math.IsInf(c.p.s.Lower[e].Alpha, -1)
				add(&epigraphs[e], bad, c.epigraphs[e], rest)
			}
		}

		// A column prices its reduced cost at the lower or the upper bound, by the sign.
		for j := range columns {
			d := c.reduced(j)
			bad := d.Sign() != 0 && math.IsInf(c.bound(j, d), 0)
			add(&columns[j], bad, c.columns[j], d)
		}

		// All signs are right, so that the weights are a proof if none is negative.
		if !grown {
			return !slices.ContainsFunc(c.weight, func(w *big.Rat) bool { return w.Sign() < 0 })
		}

		// All equations together, old ones too: the weights that they had before may not satisfy the new ones.
		if len(list) > maxEquations || !rational.Solve(list, c.weight, func(at int32) float64 { return c.room[at] }) {
			return false
		}
	}
	return false
}

// equation returns the equation for changes of the weights: the reduced cost lack becomes zero. The coefficients are
// copied, since the elimination overwrites them.
func equation(coef map[int32]*big.Rat, lack *big.Rat) rational.Equation {
	e := rational.Equation{Coef: make(map[int32]*big.Rat, len(coef)), Lack: lack}
	for at, v := range coef {
		e.Coef[at] = new(big.Rat).Set(v)
	}
	return e
}

// bound returns the bound of column j that prices its reduced cost d.
func (c *combination) bound(j int, d *big.Rat) float64 {
	if d.Sign() < 0 {
		return c.p.upper[j]
	}
	return c.p.lower[j]
}

// value returns the Lagrangian value of the weights over the present box, and false if an infinite bound makes it
// infinite.
func (c *combination) value() (*big.Rat, bool) {
	// The sides of the rows, with the weights, and the constant of the objective.
	total := new(big.Rat)
	t := new(big.Rat)
	if c.objective {
		total.SetFloat64(c.p.s.Problem.Master.Offset)
	}
	for at, w := range c.weight {
		total.Add(total, t.Mul(w, c.lower[at]))
	}

	// Reduced costs, at the bounds that price them.
	add := func(d *big.Rat, bound float64) bool {
		if d.Sign() == 0 {
			return true
		}
		if math.IsInf(bound, 0) {
			return false
		}
		total.Add(total, d.Mul(d, new(big.Rat).SetFloat64(bound)))
		return true
	}
	for j := range c.columns {
		if d := c.reduced(j); !add(d, c.bound(j, d)) {
			return nil, false
		}
	}
	for e := range c.epigraphs {
		if c.objective && !add(c.rest(e), c.p.s.Lower[e].Alpha) {
			return nil, false
		}
	}
	return total, true
}

// fractions returns the weights that are no float64 in the notation of a record, nil if all are.
func (q *proof) fractions() []string {
	var out []string
	for k, w := range q.exact {
		// The record has the float64 weights too, which stand for themselves where they are exact.
		if new(big.Rat).SetFloat64(q.weights[k]).Cmp(w) == 0 {
			continue
		}
		if out == nil {
			out = make([]string, len(q.exact))
		}
		out[k] = w.RatString()
	}
	return out
}
