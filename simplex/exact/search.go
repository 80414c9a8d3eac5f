package exact

import "math/big"

// findFeasible moves the variables within their bounds, and reports whether they can be (Dutertre and de Moura, A fast
// linear-arithmetic solver for DPLL(T), 2006): of the basic variables outside their bounds the one of the least number
// goes to the bound that it violates, by the least nonbasic variable that can move it there.
func (d *dictionary) findFeasible() bool {
	// Crossed bounds exclude every point.
	for v := range d.x {
		if d.lower[v] != nil && d.upper[v] != nil && d.lower[v].Cmp(d.upper[v]) > 0 {
			return false
		}
	}

	for d.work >= 0 {
		leave := d.leastViolated()
		if leave < 0 {
			return true
		}

		// The variable goes to the bound that it violates.
		v := d.basic[leave]
		target := d.lower[v]
		d.tooHigh = target == nil || d.x[v].Cmp(target) >= 0
		if d.tooHigh {
			target = d.upper[v]
		}

		// A nonbasic variable enters whose coefficient in the row moves the basic one towards the bound, and that has
		// room to do so. If there is none, the row proves that the bounds contradict each other.
		step := new(big.Rat).Sub(target, d.x[v])
		enter := -1
		for j, w := range d.nonbasic {
			direction := d.table[leave][j].Sign() * d.denominator.Sign() * step.Sign()
			first := enter < 0 || w < d.nonbasic[enter]
			if first && direction != 0 && d.moves(w, direction) {
				enter = j
			}
		}
		if enter < 0 {
			d.blocked = leave
			return false
		}
		d.move(enter, step.Quo(step, d.entry(leave, enter)))
		d.pivot(leave, enter)
	}
	return false
}

// leastViolated returns the row of the basic variable of the least number that is outside its bounds, -1 for none.
func (d *dictionary) leastViolated() int {
	least := -1
	for i, v := range d.basic {
		below := d.lower[v] != nil && d.x[v].Cmp(d.lower[v]) < 0
		above := d.upper[v] != nil && d.x[v].Cmp(d.upper[v]) > 0
		first := least < 0 || v < d.basic[least]
		if first && (below || above) {
			least = i
		}
	}
	return least
}

// minimise goes from a feasible point to an optimal one by Bland's rule, and reports whether there is one.
func (d *dictionary) minimise() bool {
	for d.work >= 0 {
		// Of the nonbasic variables by which the objective falls the one of the least number enters: Bland's rule.
		enter, direction := -1, 0
		for j, v := range d.nonbasic {
			falls := -d.cost[j].Sign() * d.denominator.Sign()
			first := enter < 0 || v < d.nonbasic[enter]
			if first && falls != 0 && d.moves(v, falls) {
				enter, direction = j, falls
			}
		}
		if enter < 0 {
			return true
		}

		// The entering variable moves until it, or a basic variable, reaches a bound.
		step, leave := d.longestStep(enter, direction)
		if step == nil {
			d.entering, d.sign = enter, direction
			return false
		}
		if direction < 0 {
			step.Neg(step)
		}
		d.move(enter, step)
		if leave >= 0 {
			d.pivot(leave, enter)
		}
	}
	return false
}

// longestStep returns how far the nonbasic variable in place enter can move, nil for without end, and the row of the
// basic variable that stops it, -1 for its own bound. Of several the variable of the least number counts.
func (d *dictionary) longestStep(enter, direction int) (step *big.Rat, leave int) {
	// The entering variable may reach its own other bound first.
	least := d.nonbasic[enter]
	step, leave = d.room(least, direction), -1
	for i, v := range d.basic {
		t := d.entry(i, enter)
		if t.Sign() == 0 {
			continue
		}
		room := d.room(v, direction*t.Sign())
		if room == nil {
			continue
		}
		room.Quo(room, t.Abs(t))
		order := -1
		if step != nil {
			order = room.Cmp(step)
		}
		if order < 0 || order == 0 && v < least {
			step, leave, least = room, i, v
		}
	}
	return step, leave
}

// limit returns the bound of variable v in a direction, nil if there is none.
func (d *dictionary) limit(v, direction int) *big.Rat {
	if direction < 0 {
		return d.lower[v]
	}
	return d.upper[v]
}

// room returns how far variable v, which is within its bounds, may move in a direction; nil if there is no bound.
func (d *dictionary) room(v, direction int) *big.Rat {
	limit := d.limit(v, direction)
	if limit == nil {
		return nil
	}
	r := new(big.Rat).Sub(limit, d.x[v])
	return r.Abs(r)
}

// moves reports whether variable v, which is within its bounds, may move in a direction.
func (d *dictionary) moves(v, direction int) bool {
	limit := d.limit(v, direction)
	return limit == nil || limit.Cmp(d.x[v]) != 0
}

// move changes the nonbasic variable in place j by step, and the basic variables with it.
func (d *dictionary) move(j int, step *big.Rat) {
	// The point follows the equations of the dictionary.
	x := d.x[d.nonbasic[j]]
	x.Add(x, step)
	for i, b := range d.basic {
		if d.table[i][j].Sign() == 0 {
			continue
		}
		change := d.entry(i, j)
		d.work -= words(change.Num()) * words(step.Num())
		d.x[b].Add(d.x[b], change.Mul(change, step))
	}
}
