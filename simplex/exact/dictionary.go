package exact

import (
	"math"
	"math/big"

	"github.com/proxybd/proxybd/lp"
)

// dictionary expresses the basic variables and the objective by the nonbasic ones:
//
//	denominator * basic[i] = sum_j table[i][j] * nonbasic[j].
//
// Variables are the columns and then the activities of the rows; row i is multiplied by scale[i], and the costs by
// costScale, powers of two that make all entries integers.
type dictionary struct {
	table           [][]*big.Int
	cost            []*big.Int // by nonbasic variable, as a row of the table: the reduced costs of a minimisation
	denominator     *big.Int
	basic, nonbasic []int

	lower, upper []*big.Rat // by variable; nil where there is no bound
	x            []*big.Rat // by variable: the present point
	scale        []*big.Rat // by row
	costScale    *big.Rat

	work float64 // that is left; negative once the limit is exceeded

	// Why the search ended without an optimum.
	blocked  int  // the row of the dictionary whose variable no other can move to its bound, -1 for crossed bounds
	tooHigh  bool // that variable is above its upper bound
	entering int  // the place of the variable that moves without end, ...
	sign     int  // ... and the direction in which it does
}

// newDictionary returns the dictionary of the basis of the rows, nil for a model without a matrix.
func newDictionary(m *lp.Model, work float64) *dictionary {
	a, err := m.Matrix()
	if err != nil {
		return nil
	}
	d := &dictionary{denominator: big.NewInt(1), costScale: big.NewRat(1, 1), work: work, blocked: -1}

	// Columns are nonbasic.
	costs := make([]float64, len(m.Cols))
	for j := range m.Cols {
		c := &m.Cols[j]
		costs[j] = c.Cost
		if m.Maximize {
			costs[j] = -c.Cost
		}
		d.lower = append(d.lower, bound(c.Lower))
		d.upper = append(d.upper, bound(c.Upper))
		d.nonbasic = append(d.nonbasic, j)
	}
	shift := commonShift(costs)
	d.costScale = power(shift)
	for _, c := range costs {
		d.cost = append(d.cost, integer(c, shift))
	}

	// Rows are basic.
	rows := a.Transpose()
	for i := range m.Rows {
		index, value := rows.Vec(i)
		shift := commonShift(value)
		entries := make([]*big.Int, len(m.Cols))
		for j := range entries {
			entries[j] = new(big.Int)
		}
		for k, j := range index {
			entries[j] = integer(value[k], shift)
		}
		scale := power(shift)
		d.scale = append(d.scale, scale)
		d.lower = append(d.lower, times(bound(m.Rows[i].Lower), scale))
		d.upper = append(d.upper, times(bound(m.Rows[i].Upper), scale))
		d.table = append(d.table, entries)
		d.basic = append(d.basic, len(m.Cols)+i)
	}

	d.x = make([]*big.Rat, len(d.lower))
	return d
}

// commonShift returns the least k such that every value times 2^k is an integer.
func commonShift(values []float64) int {
	// Only values other than zero restrict the shift; the mantissa of each has 53 bits.
	shift := math.MinInt
	for _, v := range values {
		if v != 0 {
			fraction, exponent := math.Frexp(v)
			mantissa := new(big.Int).SetInt64(int64(fraction * (1 << 53)))
			shift = max(shift, 53-exponent-int(mantissa.TrailingZeroBits()))
		}
	}
	if shift == math.MinInt {
		return 0
	}
	return shift
}

// integer returns v 2^shift, which is an integer.
func integer(v float64, shift int) *big.Int {
	r := new(big.Rat).SetFloat64(v)
	return r.Mul(r, power(shift)).Num()
}

// power returns 2^k.
func power(k int) *big.Rat {
	// A negative power is the inverse of a positive one.
	p := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(k, -k))))
	if k < 0 {
		p.Inv(p)
	}
	return p
}

// times returns b times a factor, nil for a bound that is not there.
func times(b, factor *big.Rat) *big.Rat {
	if b == nil {
		return nil
	}
	return b.Mul(b, factor)
}

// entry returns the coefficient of the nonbasic variable in place j for the basic variable in row i.
func (d *dictionary) entry(i, j int) *big.Rat {
	return new(big.Rat).SetFrac(d.table[i][j], d.denominator)
}

// enter pivots to the basis of a start, as far as its variables are independent, and computes its point.
func (d *dictionary) enter(start Start) {
	// The pivots lead to the wanted basis one exchange at a time.
	// A basic variable that should not be leaves for the first wanted one that its row depends on.
	if len(start.Basic) == len(d.x) {
		for i, b := range d.basic {
			if start.Basic[b] {
				continue
			}
			for j, v := range d.nonbasic {
				if start.Basic[v] && d.table[i][j].Sign() != 0 {
					d.pivot(i, j)
					break
				}
			}
		}
	}

	// Nonbasic variables are at a bound, free ones at zero; the equations give the basic ones.
	for _, v := range d.nonbasic {
		atUpper := len(start.AtUpper) == len(d.x) && start.AtUpper[v]
		d.x[v] = new(big.Rat)
		switch {
		case d.upper[v] != nil && (atUpper || d.lower[v] == nil):
			d.x[v].Set(d.upper[v])
		case d.lower[v] != nil:
			d.x[v].Set(d.lower[v])
		}
	}
	for i, b := range d.basic {
		d.x[b] = new(big.Rat)
		for j, v := range d.nonbasic {
			d.x[b].Add(d.x[b], new(big.Rat).Mul(d.entry(i, j), d.x[v]))
		}
	}
}

// pivot exchanges the basic variable of row r and the nonbasic one in place s. With p = table[r][s], the equation of
// row r solved for the entering variable is
//
//	p * entering = denominator * leaving - sum over j != s of table[r][j] * nonbasic[j],
//
// and p is the new denominator: each entry of another row becomes (p t_ij - t_is t_rj) / denominator, a determinant of
// entries of the model and so an integer.
func (d *dictionary) pivot(r, s int) {
	// All other rows, and the costs, lose the entering variable before the pivot row changes.
	row := d.table[r]
	p := row[s]
	for i, other := range d.table {
		if i != r {
			d.eliminate(other, row, s)
		}
	}
	d.eliminate(d.cost, row, s)

	// Row r itself; p is an entry of it.
	row[s] = d.denominator
	for j := range row {
		if j != s {
			row[j].Neg(row[j])
		}
	}
	d.denominator = p
	d.basic[r], d.nonbasic[s] = d.nonbasic[s], d.basic[r]
}

// eliminate replaces the entering variable, in place s, in another row of the dictionary by the pivot row.
func (d *dictionary) eliminate(other, row []*big.Int, s int) {
	p, factor := row[s], other[s]

	// The products are counted by the words of their factors.
	var product big.Int
	for j, t := range other {
		noChange := factor.Sign() == 0 || row[j].Sign() == 0
		if j == s || noChange && t.Sign() == 0 {
			continue
		}
		d.work -= words(p)*words(t) + words(factor)*words(row[j])
		v := new(big.Int).Mul(p, t)
		v.Sub(v, product.Mul(factor, row[j]))
		other[j] = v.Quo(v, d.denominator)
	}
}

// words returns the size of an integer in machine words.
func words(v *big.Int) float64 { return float64(v.BitLen()/64 + 1) }
