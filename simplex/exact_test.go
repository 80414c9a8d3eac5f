package simplex

import (
	"math"
	"math/big"

	"github.com/proxybd/proxybd/lp"
)

// exactSimplex solves small models in rationals. It shares nothing with the solver. Variables are the columns and then
// the activities of the rows; basic variables are linear in the nonbasic ones: basic[i] = sum over j of
// table[i][j] * nonbasic[j].
type exactSimplex struct {
	lower, upper    []*big.Rat // nil where there is no bound
	cost, x         []*big.Rat
	basic, nonbasic []int
	table           [][]*big.Rat
}

// exactOptimum returns the status of m, and its optimal value where there is one.
func exactOptimum(m *lp.Model) (lp.Status, *big.Rat) {
	s := newExact(m)
	if !s.feasible() {
		return lp.Infeasible, nil
	}
	if !s.minimise() {
		return lp.Unbounded, nil
	}
	value := new(big.Rat).SetFloat64(m.Offset)
	for j := range m.Cols {
		value.Add(value, product(new(big.Rat).SetFloat64(m.Cols[j].Cost), s.x[j]))
	}
	return lp.Optimal, value
}

func newExact(m *lp.Model) *exactSimplex {
	s := &exactSimplex{}
	for j := range m.Cols {
		c := &m.Cols[j]
		cost := new(big.Rat).SetFloat64(c.Cost)
		if m.Maximize {
			cost.Neg(cost)
		}
		s.add(c.Lower, c.Upper, cost)
		s.nonbasic = append(s.nonbasic, j)
		if s.lower[j] != nil {
			s.x[j].Set(s.lower[j])
		} else if s.upper[j] != nil {
			s.x[j].Set(s.upper[j])
		}
	}
	a, _ := m.Matrix()
	for i := range m.Rows {
		s.add(m.Rows[i].Lower, m.Rows[i].Upper, new(big.Rat))
		s.basic = append(s.basic, len(m.Cols)+i)
		s.table = append(s.table, make([]*big.Rat, len(m.Cols)))
	}
	for j := range m.Cols {
		for i := range s.table {
			s.table[i][j] = new(big.Rat)
		}
		index, value := a.Vec(j)
		for k, i := range index {
			v := new(big.Rat).SetFloat64(value[k])
			s.table[i][j].Add(s.table[i][j], v)
			s.x[s.basic[i]].Add(s.x[s.basic[i]], product(v, s.x[j]))
		}
	}
	return s
}

// add appends a variable, at 0.
func (s *exactSimplex) add(lower, upper float64, cost *big.Rat) {
	s.lower = append(s.lower, exactBound(lower))
	s.upper = append(s.upper, exactBound(upper))
	s.cost = append(s.cost, cost)
	s.x = append(s.x, new(big.Rat))
}

// exactBound returns v, nil for an infinity.
func exactBound(v float64) *big.Rat {
	if math.IsInf(v, 0) {
		return nil
	}
	return new(big.Rat).SetFloat64(v)
}

func product(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }

// feasible moves the variables to a feasible point, and reports whether there is one (Dutertre and de Moura, A fast
// linear-arithmetic solver for DPLL(T), 2006). Of the candidates the one of the least index is taken, as Bland's rule
// has it, so that it ends.
func (s *exactSimplex) feasible() bool {
	for v := range s.x {
		if s.lower[v] != nil && s.upper[v] != nil && s.lower[v].Cmp(s.upper[v]) > 0 {
			return false
		}
	}
	for {
		leave, target := -1, (*big.Rat)(nil)
		for i, v := range s.basic {
			if leave >= 0 && s.basic[leave] < v {
				continue
			}
			if s.lower[v] != nil && s.x[v].Cmp(s.lower[v]) < 0 {
				leave, target = i, s.lower[v]
			} else if s.upper[v] != nil && s.x[v].Cmp(s.upper[v]) > 0 {
				leave, target = i, s.upper[v]
			}
		}
		if leave < 0 {
			return true
		}
		step := new(big.Rat).Sub(target, s.x[s.basic[leave]])
		enter := -1
		for j, v := range s.nonbasic {
			entry := s.table[leave][j].Sign()
			if entry != 0 && s.moves(v, entry*step.Sign()) && (enter < 0 || v < s.nonbasic[enter]) {
				enter = j
			}
		}
		if enter < 0 {
			return false
		}
		s.move(enter, step.Quo(step, s.table[leave][enter]))
		s.pivot(leave, enter)
	}
}

// minimise goes from a feasible point to an optimal one by Bland's rule, and reports whether there is one.
func (s *exactSimplex) minimise() bool {
	for {
		enter, direction := -1, 0
		for j, v := range s.nonbasic {
			d := new(big.Rat).Set(s.cost[v])
			for i, b := range s.basic {
				d.Add(d, product(s.cost[b], s.table[i][j]))
			}
			if d.Sign() != 0 && s.moves(v, -d.Sign()) && (enter < 0 || v < s.nonbasic[enter]) {
				enter, direction = j, -d.Sign()
			}
		}
		if enter < 0 {
			return true
		}

		// The entering variable moves until it, or a basic variable, reaches a bound.
		v := s.nonbasic[enter]
		step, leave, least := s.room(v, direction), -1, v
		for i, b := range s.basic {
			entry := s.table[i][enter]
			if entry.Sign() == 0 {
				continue
			}
			room := s.room(b, direction*entry.Sign())
			if room == nil {
				continue
			}
			room.Quo(room, new(big.Rat).Abs(entry))
			if step == nil || room.Cmp(step) < 0 || room.Cmp(step) == 0 && b < least {
				step, leave, least = room, i, b
			}
		}
		if step == nil {
			return false
		}
		if direction < 0 {
			step.Neg(step)
		}
		s.move(enter, step)
		if leave >= 0 {
			s.pivot(leave, enter)
		}
	}
}

// room returns how far variable v may move in a direction; nil if there is no bound.
func (s *exactSimplex) room(v, direction int) *big.Rat {
	bound := s.upper[v]
	if direction < 0 {
		bound = s.lower[v]
	}
	if bound == nil {
		return nil
	}
	r := new(big.Rat).Sub(bound, s.x[v])
	return r.Abs(r)
}

// moves reports whether variable v, which is within its bounds, may move in a direction.
func (s *exactSimplex) moves(v, direction int) bool {
	r := s.room(v, direction)
	return r == nil || r.Sign() > 0
}

// move changes the nonbasic variable in place j by step, and the basic variables with it.
func (s *exactSimplex) move(j int, step *big.Rat) {
	s.x[s.nonbasic[j]].Add(s.x[s.nonbasic[j]], step)
	for i, b := range s.basic {
		s.x[b].Add(s.x[b], product(s.table[i][j], step))
	}
}

// pivot exchanges a basic variable and a nonbasic one.
func (s *exactSimplex) pivot(leave, enter int) {
	row := s.table[leave]
	inverse := new(big.Rat).Inv(row[enter])
	for j := range row {
		if j == enter {
			row[j] = inverse
		} else {
			row[j].Neg(product(row[j], inverse))
		}
	}
	for i, other := range s.table {
		if i == leave || other[enter].Sign() == 0 {
			continue
		}
		factor := other[enter]
		other[enter] = new(big.Rat)
		for j := range other {
			other[j].Add(other[j], product(factor, row[j]))
		}
	}
	s.basic[leave], s.nonbasic[enter] = s.nonbasic[enter], s.basic[leave]
}

// exactResiduals are the largest violations of rows and bounds, and of the signs of reduced costs and row duals, at a
// solution, in rationals: absolute, and relative to 1 plus the largest term.
// Beyond is the absolute violation of a row or bound less the rounding of its terms.
type exactResiduals struct{ primal, dual, primalShare, dualShare, beyond float64 }

func exactlyCheck(m *lp.Model, sol *Solution) exactResiduals {
	var r exactResiduals
	a, _ := m.Matrix()
	activity, size := make([]*big.Rat, len(m.Rows)), make([]float64, len(m.Rows))
	for i := range activity {
		activity[i] = new(big.Rat)
	}
	for j := range m.Cols {
		c := &m.Cols[j]
		d, dsize := new(big.Rat).SetFloat64(c.Cost), math.Abs(c.Cost)
		x := new(big.Rat).SetFloat64(sol.X[j])
		index, value := a.Vec(j)
		for k, i := range index {
			v := new(big.Rat).SetFloat64(value[k])
			activity[i].Add(activity[i], product(v, x))
			size[i] = max(size[i], math.Abs(value[k]*sol.X[j]))
			d.Sub(d, product(v, new(big.Rat).SetFloat64(sol.RowDual[i])))
			dsize = max(dsize, math.Abs(value[k]*sol.RowDual[i]))
		}
		r.see(m, x, math.Abs(sol.X[j]), c.Lower, c.Upper, d, dsize)
	}
	for i := range m.Rows {
		y := new(big.Rat).SetFloat64(sol.RowDual[i])
		r.see(m, activity[i], size[i], m.Rows[i].Lower, m.Rows[i].Upper, y, math.Abs(sol.RowDual[i]))
	}
	return r
}

func (r *exactResiduals) see(m *lp.Model, x *big.Rat, size, lower, upper float64, d *big.Rat, dsize float64) {
	for sign, bound := range map[int]*big.Rat{-1: exactBound(lower), 1: exactBound(upper)} {
		if bound == nil {
			continue
		}
		over, _ := new(big.Rat).Sub(x, bound).Float64()
		over *= float64(sign)
		r.primal, r.primalShare = max(r.primal, over), max(r.primalShare, over/(1+size))
		r.beyond = max(r.beyond, over-0x1p-49*size)
	}
	price, _ := d.Float64()
	if m.Maximize {
		price = -price
	}
	if price > 0 && math.IsInf(lower, 0) || price < 0 && math.IsInf(upper, 0) {
		r.dual, r.dualShare = max(r.dual, math.Abs(price)), max(r.dualShare, math.Abs(price)/(1+dsize))
	}
}
