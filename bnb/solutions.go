package bnb

import (
	"math"
	"slices"
)

// Point is a feasible point of the solution pool.
type Point struct {
	X         []float64 // one value a column
	Objective float64   // model's sense
}

// solutions are the best accepted points that differ in the integer columns of the caller's model, hidden ones apart,
// best first.
type solutions struct {
	p        *problem
	original *presolved // the caller's model, where presolve has made p from it; else nil
	limit    int        // Options.PoolSize
	list     []Point
}

// compareIn sets the model in which points are compared.
func (q *solutions) compareIn(original *presolved) { q.original = original }

// admits reports whether a point with that internal objective, which is no incumbent, would enter the pool.
func (q *solutions) admits(x []float64, objective float64) bool {
	if q.limit == 0 {
		return false
	}

	// A full pool takes only points better than its last one, by as much as an incumbent has to be better: it never
	// drops the incumbent for a point that is none.
	if len(q.list) == q.limit {
		last := q.p.sense * q.list[q.limit-1].Objective
		if objective >= last-numericTol*math.Max(1, math.Abs(last)) {
			return false
		}
	}
	return q.find(x) < 0
}

// find returns the point of the pool with the integer columns of x, -1 if there is none. A reduced model may have
// integer columns in place of continuous ones, and one column in place of two: the caller's model compares them.
func (q *solutions) find(x []float64) int {
	if q.original == nil {
		return slices.IndexFunc(q.list, func(o Point) bool { return q.p.alike(o.X, x) })
	}
	full := q.original.r.Restore(x)
	return slices.IndexFunc(q.list, func(o Point) bool { return q.original.p.alike(q.original.r.Restore(o.X), full) })
}

// alike reports whether two points have the same integer columns, hidden ones apart.
func (p *problem) alike(x, y []float64) bool {
	return !slices.ContainsFunc(p.ints, func(j int32) bool {
		return math.Round(x[j]) != math.Round(y[j]) && !p.m.Cols[j].Hidden
	})
}

// add takes a verified point, an incumbent or one that the pool admits.
func (q *solutions) add(x []float64, objective float64) {
	// A pool of size zero keeps nothing.
	if q.limit == 0 {
		return
	}

	// A point with the same integer columns is replaced: the new one is at least as good in its continuous columns.
	if k := q.find(x); k >= 0 {
		q.list = slices.Delete(q.list, k, k+1)
	}

	// Among equal objectives the new point is the last.
	at, _ := slices.BinarySearchFunc(q.list, objective, func(o Point, v float64) int {
		if q.p.sense*o.Objective <= v {
			return -1
		}
		return 1
	})
	q.list = slices.Insert(q.list, at, Point{slices.Clone(x), q.p.sense * objective})
	q.list = q.list[:min(len(q.list), q.limit)]
}

// merge takes the points of a worker.
func (q *solutions) merge(list []Point) {
	for _, o := range list {
		// A worker may have found other continuous columns for the integer ones of a known point.
		v := q.p.sense * o.Objective
		k := q.find(o.X)
		better := k >= 0 && v < q.p.sense*q.list[k].Objective
		if better || k < 0 && q.admits(o.X, v) {
			q.add(o.X, v)
		}
	}
}

// copyFrom takes the list of another search.
func (q *solutions) copyFrom(o *solutions) { q.list = slices.Clone(o.list) }

// bytes is the memory of the points, of n columns each.
func (q *solutions) bytes(n int) int64 { return int64(len(q.list)) * int64(8*n+48) }
