package verify_test

import "math/big"

// linear is min cost'x over lower <= x <= upper and its rows, all in rationals; nil is no bound. It is the reference
// that claims are held against, and shares nothing with the checker.
type linear struct {
	cost, lower, upper []*big.Rat
	integer            []bool
	rows               []side
}

// side is lower <= coef'x <= upper.
type side struct {
	coef         map[int]*big.Rat
	lower, upper *big.Rat
}

type verdict int

const (
	solved verdict = iota
	infeasible
	unbounded
	undecided
)

// tableau is the simplex in standard form: rows of a*t = b with t >= 0, and a basis.
type tableau struct {
	a     [][]*big.Rat // the last entry of a row is b
	basis []int
	cols  int
}

// affine says how a column of the program is made from columns of the tableau: base + sum of sign * t.
type affine struct {
	base *big.Rat
	t    []int
	sign []int64
}

// solve solves the linear relaxation by Bland's rule.
func (l *linear) solve() (verdict, *big.Rat, []*big.Rat) {
	columns, n, extra, ok := l.split()
	if !ok {
		return infeasible, nil, nil
	}
	t := &tableau{}
	type inequality struct {
		coef  map[int]*big.Rat
		b     *big.Rat
		sense int // -1 for <=, 0 for =, 1 for >=
	}
	list := make([]inequality, 0, len(l.rows)+len(extra))
	for _, e := range extra {
		list = append(list, inequality{map[int]*big.Rat{e.column: big.NewRat(1, 1)}, e.bound, -1})
	}
	for _, r := range l.rows {
		coef, shift := make(map[int]*big.Rat), new(big.Rat)
		for j, v := range r.coef {
			shift.Add(shift, new(big.Rat).Mul(v, columns[j].base))
			for k, at := range columns[j].t {
				coef[at] = new(big.Rat).Mul(v, big.NewRat(columns[j].sign[k], 1))
			}
		}
		switch {
		case r.lower != nil && r.upper != nil && r.lower.Cmp(r.upper) == 0:
			list = append(list, inequality{coef, new(big.Rat).Sub(r.lower, shift), 0})
			continue
		case r.lower != nil:
			list = append(list, inequality{coef, new(big.Rat).Sub(r.lower, shift), 1})
		}
		if r.upper != nil {
			list = append(list, inequality{coef, new(big.Rat).Sub(r.upper, shift), -1})
		}
	}
	slacks := n
	for _, q := range list {
		if q.sense != 0 {
			n++
		}
	}
	artificial := n
	t.cols = n + len(list)
	for i, q := range list {
		row := make([]*big.Rat, t.cols+1)
		for k := range row {
			row[k] = new(big.Rat)
		}
		for k, v := range q.coef {
			row[k].Set(v)
		}
		row[t.cols].Set(q.b)
		if q.sense != 0 {
			row[slacks].SetInt64(int64(-q.sense))
			slacks++
		}
		if q.b.Sign() < 0 {
			for k := range row {
				row[k].Neg(row[k])
			}
		}
		row[artificial+i].SetInt64(1)
		t.a, t.basis = append(t.a, row), append(t.basis, artificial+i)
	}
	return l.phases(t, columns, artificial)
}

// phases drives the artificial columns out and then optimises.
func (l *linear) phases(t *tableau, columns []affine, artificial int) (verdict, *big.Rat, []*big.Rat) {
	first := make([]*big.Rat, t.cols)
	for k := range first {
		first[k] = new(big.Rat)
		if k >= artificial {
			first[k].SetInt64(1)
		}
	}
	t.optimise(first, t.cols)
	for i, k := range t.basis {
		if k >= artificial && t.a[i][t.cols].Sign() > 0 {
			return infeasible, nil, nil
		}
	}
	for i, k := range t.basis { // those that stay are zero: any pivot will do
		for c := 0; k >= artificial && c < artificial; c++ {
			if t.a[i][c].Sign() != 0 {
				t.pivot(i, c)
				break
			}
		}
	}
	cost := make([]*big.Rat, t.cols)
	for k := range cost {
		cost[k] = new(big.Rat)
	}
	for j, c := range columns {
		for k, at := range c.t {
			cost[at].Add(cost[at], new(big.Rat).Mul(l.cost[j], big.NewRat(c.sign[k], 1)))
		}
	}
	if !t.optimise(cost, artificial) {
		return unbounded, nil, nil
	}
	value := make([]*big.Rat, t.cols)
	for i, k := range t.basis {
		value[k] = t.a[i][t.cols]
	}
	x, total := make([]*big.Rat, len(columns)), new(big.Rat)
	for j, c := range columns {
		x[j] = new(big.Rat).Set(c.base)
		for k, at := range c.t {
			if value[at] != nil {
				x[j].Add(x[j], new(big.Rat).Mul(value[at], big.NewRat(c.sign[k], 1)))
			}
		}
		total.Add(total, new(big.Rat).Mul(x[j], l.cost[j]))
	}
	return solved, total, x
}

// limit is an upper bound of a column of the tableau.
type limit struct {
	column int
	bound  *big.Rat
}

// split writes the columns in nonnegative ones; extra are upper bounds on these. ok is false where bounds cross.
func (l *linear) split() (columns []affine, n int, extra []limit, ok bool) {
	for j := range l.cost {
		lower, upper := l.lower[j], l.upper[j]
		switch {
		case lower != nil:
			columns = append(columns, affine{lower, []int{n}, []int64{1}})
			if upper != nil {
				room := new(big.Rat).Sub(upper, lower)
				if extra = append(extra, limit{n, room}); room.Sign() < 0 {
					return nil, 0, nil, false
				}
			}
			n++
		case upper != nil:
			columns = append(columns, affine{upper, []int{n}, []int64{-1}})
			n++
		default:
			columns = append(columns, affine{new(big.Rat), []int{n, n + 1}, []int64{1, -1}})
			n += 2
		}
	}
	return columns, n, extra, true
}

// optimise pivots until no column below limit has a negative reduced cost; false says that there is a ray.
func (t *tableau) optimise(cost []*big.Rat, limit int) bool {
	reduced := new(big.Rat)
	var term big.Rat
	for {
		enter := -1
		for k := 0; k < limit && enter < 0; k++ {
			reduced.Set(cost[k])
			for i, b := range t.basis {
				if cost[b].Sign() != 0 && t.a[i][k].Sign() != 0 {
					reduced.Sub(reduced, term.Mul(cost[b], t.a[i][k]))
				}
			}
			if reduced.Sign() < 0 {
				enter = k
			}
		}
		if enter < 0 {
			return true
		}
		leave, best := -1, new(big.Rat)
		for i := range t.a {
			if t.a[i][enter].Sign() <= 0 {
				continue
			}
			ratio := new(big.Rat).Quo(t.a[i][t.cols], t.a[i][enter])
			if c := ratio.Cmp(best); leave < 0 || c < 0 || c == 0 && t.basis[i] < t.basis[leave] {
				leave, best = i, ratio
			}
		}
		if leave < 0 {
			return false
		}
		t.pivot(leave, enter)
	}
}

func (t *tableau) pivot(row, col int) {
	inverse := new(big.Rat).Inv(t.a[row][col])
	for _, v := range t.a[row] {
		if v.Sign() != 0 {
			v.Mul(v, inverse)
		}
	}
	var term big.Rat
	for i := range t.a {
		if i == row || t.a[i][col].Sign() == 0 {
			continue
		}
		factor := new(big.Rat).Set(t.a[i][col])
		for k, v := range t.a[row] {
			if v.Sign() != 0 {
				t.a[i][k].Sub(t.a[i][k], term.Mul(factor, v))
			}
		}
	}
	t.basis[row] = col
}

// optimum is the optimum over the integer points, by branching in rationals: at most limit relaxations.
func (l *linear) optimum(limit int) (verdict, *big.Rat) {
	status, value := l.branch(&limit, nil)
	if status != unbounded {
		return status, value
	}
	// With rational data an unbounded relaxation and one integer point make the program unbounded.
	zero := *l
	zero.cost = make([]*big.Rat, len(l.cost))
	for j := range zero.cost {
		zero.cost[j] = new(big.Rat)
	}
	if status, _ := zero.branch(&limit, nil); status != solved {
		return status, nil
	}
	return unbounded, nil
}

// branch returns the best value below best, nil for none.
func (l *linear) branch(limit *int, best *big.Rat) (verdict, *big.Rat) {
	if *limit--; *limit < 0 {
		return undecided, nil
	}
	status, value, x := l.solve()
	if status != solved || best != nil && value.Cmp(best) >= 0 {
		return status, best
	}
	for j, v := range x {
		if !l.integer[j] || v.IsInt() {
			continue
		}
		floor := new(big.Rat).SetInt(new(big.Int).Div(v.Num(), v.Denom()))
		below, above := *l, *l
		below.upper, above.lower = append([]*big.Rat(nil), l.upper...), append([]*big.Rat(nil), l.lower...)
		below.upper[j], above.lower[j] = floor, new(big.Rat).Add(floor, big.NewRat(1, 1))
		found := infeasible
		for _, child := range []*linear{&below, &above} {
			status, value := child.branch(limit, best)
			switch {
			case status == undecided || status == unbounded:
				return status, nil
			case status == solved:
				found, best = solved, value
			}
		}
		if found == infeasible && best == nil {
			return infeasible, nil
		}
		return solved, best
	}
	return solved, value
}
