package simplex

import (
	"math"

	"github.com/proxybd/proxybd/internal/sparse"
)

// replace is update, and reports whether the new pivot is as good as it must be; else the factors are invalid.
func (f *factor) replace(p int32, alpha float64) bool {
	f.ok = f.update(p, alpha) <= updateTol
	return f.ok
}

// update replaces the column of pivot id p by the one whose spike the last ftran saved, after Forrest and
// Tomlin (1972): column p of U becomes the spike, row p is eliminated by a row eta, and p moves to the end of
// the order. The row eta comes from the last btran of e_p: with v = U^-T e_p it is v_i / v_p. It returns
// the relative error of the new pivot against alpha times the old one, which it must equal.
func (f *factor) update(p int32, alpha float64) float64 {
	if f.inverse.valid {
		return f.updateInverse(p, alpha)
	}
	scratch := f.scratch
	if len(scratch.Value) != f.m {
		scratch.Resize(f.m)
	}

	// The primal loop and the crossover have not solved for row p.
	if f.row.id != p {
		scratch.Clear()
		scratch.Add(p, 1)
		f.btranU(scratch, true)
		f.row.save(scratch)
		scratch.Clear()
	}

	// The elimination of row p adds the row eta times the spike to the new pivot.
	old := f.pivot[p]
	f.removeColumn(p)
	f.removeRow(p)
	pivot := f.storeSpike(p, scratch)
	pivot += f.storeEta(p, old, scratch)
	scratch.Clear()

	f.order[f.pos[p]] = -1
	f.pushPivot(p, pivot)
	f.updates++
	f.clearSaved()

	want := alpha * old
	return math.Abs(pivot-want) / math.Abs(want)
}

// removeColumn takes the entries of column p out of U.
func (f *factor) removeColumn(p int32) { f.removeVector(p, &f.u, &f.ut) }

// removeRow takes the entries of row p out of U.
func (f *factor) removeRow(p int32) { f.removeVector(p, &f.ut, &f.u) }

// removeVector empties vector p of one copy of U and takes its entries out of the other.
func (f *factor) removeVector(p int32, from, other *lists) {
	// The twins lead to the same entries in the other copy.
	s := from.start[p]
	for k := s; k < s+int(from.len[p]); k++ {
		other.drop(from.index[k], from.twin[k], from)
	}

	f.charge(int(from.len[p]))
	from.len[p] = 0
}

// storeSpike puts the spike into column p of U, and into scratch; it returns its entry in row p.
func (f *factor) storeSpike(p int32, scratch *sparse.Vector) float64 {
	diag := 0.0
	f.u.reserve(p, int32(len(f.spike.index)))

	// The entry in row p is the pivot, but for what the row eta adds.
	for k, i := range f.spike.index {
		v := f.spike.value[k]
		scratch.Add(i, v)
		if i == p {
			diag = v
			continue
		}
		f.insertU(i, p, v)
	}
	f.charge(len(f.spike.index))
	return diag
}

// storeEta appends the row eta of p and returns what it adds to the pivot.
func (f *factor) storeEta(p int32, old float64, scratch *sparse.Vector) float64 {
	// The multiplier of row i is v_i / v_p, with v_p = 1 / old.
	sum := 0.0
	for k, i := range f.row.index {
		if i == p {
			continue
		}
		v := f.row.value[k] * old
		if math.Abs(v) < dropTol {
			continue
		}
		f.rIndex = append(f.rIndex, i)
		f.rValue = append(f.rValue, v)
		sum += v * scratch.Value[i]
	}
	f.charge(len(f.row.index))

	// An eta without entries is the identity.
	if len(f.rIndex) > f.rStart[len(f.rStart)-1] {
		f.rPivot = append(f.rPivot, p)
		f.rStart = append(f.rStart, len(f.rIndex))
	}
	return sum
}

// extend is addRow; where there is no room, or the factors are not valid, the row is only counted.
func (f *factor) extend(ids []int32, value []float64) {
	if !f.ok || !f.addRow(ids, value) {
		f.invalidate()
		f.m++
	}
}

// addRow extends the factor by a row whose logical is basic: the new pivot comes first in the order, so
// its row of U is the row itself, restricted to the basic columns. It returns false when there is no
// room at the front of the order, or in the inverse; then the basis must be factored anew. ids and value are the pivots
// and coefficients of the basic columns of the row.
func (f *factor) addRow(ids []int32, value []float64) bool {
	if f.inverse.valid {
		return f.addRowInverse(ids, value)
	}
	if f.first == 0 {
		return false
	}

	// The new vectors of L and U are empty, at the ends of their pools.
	id := int32(f.m)
	f.m++
	for _, l := range []*lists{&f.l, &f.lt, &f.u, &f.ut} {
		l.start = append(l.start, len(l.index))
		l.len = append(l.len, 0)
		l.room = append(l.room, 0)
	}
	f.first--
	f.order[f.first] = id
	f.pos = append(f.pos, int32(f.first))
	f.pivot = append(f.pivot, -1)
	f.sizeScratch()

	f.ut.reserve(id, int32(len(ids)))
	for k, c := range ids {
		f.insertU(id, c, value[k])
	}
	f.clearSaved()
	return true
}

// clock decides when a new factorisation pays. Every update makes the solves cost more; the mean cost of the
// solves of an iteration, its share of the factorisation included, is least where the cost of the
// latest ones reaches the mean so far. Costs are counted in work units, so that the moment is
// deterministic.
type clock struct {
	build  float64 // cost of the factorisation, and of what was recomputed with it
	solves float64 // of ftran, btran and update since then
	last   float64 // solves at the last look
	recent float64 // running cost of the solves of an iteration
	begin  float64 // f.work when the factors were made
}

// startClock starts to measure the solves with factors that have just been made; work was done before.
func (f *factor) startClock(work float64) {
	f.clock = clock{begin: f.work, build: buildFactor * (f.work - work + float64(f.m))}
}

// clockRate is the weight of the newest iteration in the running cost of the solves.
const clockRate = 0.1

// shouldRefactor reports whether a new factorisation pays. It must be called once an iteration.
func (f *factor) shouldRefactor() bool {
	c := &f.clock
	cost := c.solves - c.last
	c.last = c.solves
	switch {
	case f.updates == 0:
		c.build += f.work - c.begin
		c.restart(f.work)
		return false
	// The first iteration after a factorisation starts the running cost.
	case f.updates == 1:
		c.recent = cost
		return false
	}

	c.recent += clockRate * (cost - c.recent)
	if f.updates < minUpdates {
		return false
	}
	mean := (c.build + c.solves) / float64(f.updates)
	return c.recent > mean || f.updates >= min(maxUpdates+f.m/updatesRows, updatesCap)
}

// restart counts solves from the present work on.
func (c *clock) restart(work float64) {
	c.begin = work
	c.solves = 0
	c.last = 0
}

// restore goes back to the U of z, without updates; L has not changed.
func (f *factor) restore(z *updated) {
	f.copyFrom(z)
	f.clearUpdates()

	// The clock goes on as it was straight after the factorisation.
	f.clock.restart(f.work)
	f.ok = true
}
