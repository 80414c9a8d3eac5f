package bnb

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/bnb/presolve"
	"github.com/proxybd/proxybd/bnb/symmetry"
	"github.com/proxybd/proxybd/lp"
)

// Symmetries that exchange continuous columns, such as the places of equal boxes, are broken by rows: a column, the
// leader, is no less than any other of its orbit. Of the points of an orbit of the group one satisfies that, since some
// element takes the largest of these values to the leader. The elements that leave the leader where it is keep the
// rows, so that the next leader follows from them (Liberti, Ostrowski 2014, Stabilizer-based symmetry breaking
// constraints for mathematical programs; Salvagnin 2018, Symmetry breaking inequalities from the Schreier-Sims table).
//
// Integer columns get no rows, those that presolve finds to be integer included. Symmetries of the model with the rows
// of continuous columns, or of the model as it is where there are none, are left to orbits.go, which finds them there
// and reduces domains by them in the order of the branchings. Rows for general integer columns end such symmetries, and
// took about twice the work (docs/engines.md).

// breakRows and breakBase limit the rows: at most that share of the rows of the model and that number more. Chosen by
// hand.
const (
	breakRows = 0.5
	breakBase = 50
)

// breaker are the rows that break symmetries of a model, and what takes a point to one that satisfies them.
type breaker struct {
	group   *symmetry.Group
	leaders []leader
}

// leader is a column that is to be the largest of its orbit under elements of the group that leave the leaders before
// it where they are.
type leader struct {
	col      int32
	orbit    []int32 // the other columns, ascending
	elements []int32 // by their numbers in the group
}

// breakSymmetries adds rows to the reduced model that break symmetries of its continuous columns, and returns them with
// the problem of that model; nil and p where there are none. Hooks that steer the search may treat the columns
// differently. The search for symmetries ends at the time limit at the latest.
func (j job) breakSymmetries(ctx context.Context, r *presolve.Reduced, p *problem) (*breaker, *problem, error) {
	allowed := j.opt.Symmetry && !j.opt.tuning.breakingOff && !j.origin.subMIP && p.implied == nil && !j.hooks.steer()
	if !allowed || !p.hasTwins() {
		return nil, p, nil
	}
	ctx, cancel := j.untilLimit(ctx)
	defer cancel()
	generators, _ := p.symmetries(ctx)
	if len(generators) == 0 {
		return nil, p, nil
	}
	b := &breaker{group: symmetry.NewGroup(p.n, generators)}
	b.choose(p)
	if len(b.leaders) == 0 {
		return nil, p, nil
	}

	// The given model stays as it is.
	if r.Model == j.model {
		r.Model = r.Model.Clone()
	}
	found := describe(len(generators), b.group)
	found.Rows = b.addRows(r.Model)
	if j.hooks.Symmetries != nil {
		j.hooks.Symmetries(found)
	}
	q, err := newProblem(r.Model, j.opt.Tolerances)
	return b, q, err
}

// hasTwins reports whether two continuous columns have the same cost, bounds and number of entries: without them no
// symmetry moves such a column.
func (p *problem) hasTwins() bool {
	type kind struct {
		cost, lower, upper float64
		entries            int
	}
	seen := map[kind]bool{}
	for j := range p.n {
		if p.integer[j] {
			continue
		}
		k := kind{p.cost[j], p.lower[j], p.upper[j], p.byCol.Start[j+1] - p.byCol.Start[j]}
		if seen[k] {
			return true
		}
		seen[k] = true
	}
	return false
}

// choose takes the leaders: each is the first column of a largest orbit among those of continuous columns.
func (b *breaker) choose(p *problem) {
	// All elements are left before the first leader.
	left := make([]int32, len(b.group.Elements))
	for k := range left {
		left[k] = int32(k)
	}

	rows := 0
	joins := symmetry.NewClasses(p.n)
	for len(left) > 0 {
		joins.Reset(b.group.Orbits)
		for _, k := range left {
			e := b.group.Elements[k]
			for i, j := range e.From {
				joins.Join(j, e.To[i])
			}
		}

		// The largest orbit breaks most.
		var best []int32
		for _, orbit := range joins.Among(b.group.Orbits) {
			if len(orbit) > len(best) && !p.integer[orbit[0]] {
				best = orbit
			}
		}

		// Too many rows would cost more than the symmetries.
		rows += len(best) - 1
		if best == nil || float64(rows) > breakRows*float64(p.rows)+breakBase {
			return
		}
		lead := leader{col: best[0], orbit: slices.Clone(best[1:]), elements: left}
		b.leaders = append(b.leaders, lead)
		left = b.fixing(left, lead.col)
	}
}

// fixing returns those of the elements that leave column j where it is.
func (b *breaker) fixing(elements []int32, j int32) []int32 {
	moving := map[int32]bool{}
	for _, m := range b.group.Movers(j) {
		moving[m.Element] = true
	}
	return slices.DeleteFunc(slices.Clone(elements), func(k int32) bool { return moving[k] })
}

// addRows adds the rows to m and returns their number. What follows from the rows of a later leader in the same orbit
// is left out.
func (b *breaker) addRows(m *lp.Model) int {
	before := len(m.Rows)
	for k, lead := range b.leaders {
		implied := map[int32]bool{}
		for _, later := range b.leaders[k+1:] {
			if _, ok := slices.BinarySearch(lead.orbit, later.col); !ok {
				continue
			}
			for _, j := range later.orbit {
				implied[j] = true
			}
		}
		for _, j := range lead.orbit {
			if !implied[j] {
				m.AddRow(lp.Row{Lower: 0, Upper: math.Inf(1)}, []int32{lead.col, j}, []float64{1, -1})
			}
		}
	}
	return len(m.Rows) - before
}

// order returns a point of the orbit of x that satisfies the rows; x itself where a value of the orbits is open.
func (b *breaker) order(x []float64) []float64 {
	y := slices.Clone(x)
	for k := range b.leaders {
		// The elements of a leader keep the values of the leaders before it.
		lead := &b.leaders[k]
		largest := lead.col
		for _, j := range lead.orbit {
			if math.IsNaN(y[j]) {
				return x
			}
			if y[j] > y[largest] {
				largest = j
			}
		}
		if math.IsNaN(y[lead.col]) {
			return x
		}
		for _, e := range b.path(lead, largest) {
			b.move(b.group.Elements[e], y)
		}
	}
	return y
}

// path returns elements of the leader that, one after the other, take column from to it.
func (b *breaker) path(lead *leader, from int32) []int32 {
	// Breadth first, with the element that each column was reached by.
	usable := map[int32]bool{}
	for _, e := range lead.elements {
		usable[e] = true
	}
	type step struct{ from, element int32 }
	by := map[int32]step{from: {}}
	queue := []int32{from}
	for k := 0; k < len(queue); k++ {
		if _, ok := by[lead.col]; ok {
			break
		}
		for _, m := range b.group.Movers(queue[k]) {
			if _, ok := by[m.To]; !ok && usable[m.Element] {
				by[m.To] = step{queue[k], m.Element}
				queue = append(queue, m.To)
			}
		}
	}

	var path []int32
	for j := lead.col; j != from; j = by[j].from {
		path = append(path, by[j].element)
	}
	slices.Reverse(path)
	return path
}

// move replaces x by its image: the value of a column goes where e takes the column.
func (b *breaker) move(e symmetry.Permutation, x []float64) {
	value := make([]float64, len(e.From))
	for i, j := range e.From {
		value[i] = x[j]
	}
	for i, j := range e.To {
		x[j] = value[i]
	}
}
