package scenario

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/internal/f64"
	"github.com/proxybd/proxybd/lp/stoch"
)

// pool holds the certificates of all scenarios so far, where each is one of every scenario. What they say of all scenarios at a
// point is a matrix product: loads times differences. The best one of a scenario bounds its recourse cost from below, and makes
// its cut without a linear program.
type pool struct {
	p      *Problem
	count  int              // scenarios
	places []twostage.Place // what differs, but for links
	links  []twostage.Place // coefficients of first-stage columns that differ
	delta  []float64        // places x scenarios: the difference from the skeleton
	link   []float64        // links x scenarios

	duals  []*pooled
	known  map[string]bool
	values []float64 // duals x scenarios: what the places add to a certificate's value
	loads  []float64 // duals x links
	clock  int

	best   []float64 // of each scenario, at the last point: the greatest value
	by     []int32   // and whose it is
	moving []float64 // scratch: link, times the point
	added  []float64 // scratch: duals x scenarios, what the links add
}

// pooled is a certificate with its cut for the skeleton, rounded.
type pooled struct {
	*twostage.Dual
	alpha float64
	beta  []float64
	used  int // when it was last the best of a scenario
}

// Sizes of the pool.
const (
	mostNumbers = 1 << 24 // of its tables
	mostDuals   = 4000
)

// newPool returns an empty pool, nil where certificates are not shared or the tables would be too large.
func newPool(p *Problem) *pool {
	if !p.scenarios.Random().FixedDual() {
		return nil
	}
	q := &pool{p: p, count: len(p.weight), known: map[string]bool{}}
	at := map[twostage.Place]int{}
	for s := range p.program.Scenarios {
		for _, c := range p.program.Scenarios[s].Changes {
			place := c
			place.Value = 0
			if _, ok := at[place]; ok || c.Value == p.scenarios.Skeleton(place) {
				continue
			}
			if c.Kind == stoch.Entry {
				at[place] = len(q.links)
				q.links = append(q.links, place)
			} else {
				at[place] = len(q.places)
				q.places = append(q.places, place)
			}
		}
	}
	if (len(q.places)+len(q.links)+1)*q.count > mostNumbers {
		return nil
	}
	q.delta, q.link = make([]float64, len(q.places)*q.count), make([]float64, len(q.links)*q.count)
	for s := range p.program.Scenarios {
		for _, c := range p.program.Scenarios[s].Changes {
			place := c
			place.Value = 0
			k, ok := at[place]
			if !ok {
				continue
			}
			d := c.Value - p.scenarios.Skeleton(place)
			if c.Kind == stoch.Entry {
				q.link[k*q.count+s] = d
			} else {
				q.delta[k*q.count+s] = d
			}
		}
	}
	q.best, q.by = make([]float64, q.count), make([]int32, q.count)
	return q
}

// limit is the most certificates that the pool holds.
func (q *pool) limit() int { return max(16, min(mostDuals, mostNumbers/q.count)) }

// add puts the certificates of cuts into the pool that it does not have.
func (q *pool) add(cuts []*benders.Cut) {
	var fresh []*pooled
	for _, c := range cuts {
		d := q.p.scenarios.Dual(c)
		if d == nil || q.known[keyOf(d)] {
			continue
		}
		q.known[keyOf(d)] = true
		one := &pooled{Dual: d, used: q.clock}
		one.alpha, one.beta = d.Base()
		fresh = append(fresh, one)
	}
	if len(fresh) == 0 {
		return
	}
	if len(q.duals)+len(fresh) > q.limit() {
		q.forget(q.limit() / 2)
	}
	n := len(fresh)
	load := make([]float64, n*len(q.places))
	for i, d := range fresh {
		for k, at := range q.places {
			load[i*len(q.places)+k] = d.Load(at)
		}
		for _, at := range q.links {
			q.loads = append(q.loads, d.Load(at))
		}
	}
	q.duals = append(q.duals, fresh...)
	old := len(q.values)
	q.values = append(q.values, make([]float64, n*q.count)...)
	if len(q.places) > 0 {
		f64.Gemm(false, false, n, q.count, len(q.places), 1, load, len(q.places), q.delta, q.count, 0, q.values[old:], q.count)
	}
}

// keyOf tells certificates apart, to the precision of a float32.
func keyOf(d *twostage.Dual) string {
	key := make([]byte, 0, 4*len(d.Lambda()))
	for _, v := range d.Lambda() {
		key = binary.LittleEndian.AppendUint32(key, math.Float32bits(float32(v)))
	}
	return string(key)
}

// forget keeps so many certificates, those that were of use last.
func (q *pool) forget(keep int) {
	order := make([]int, len(q.duals))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return q.duals[b].used - q.duals[a].used })
	order = order[:min(keep, len(order))]
	slices.Sort(order)
	n := len(q.links)
	for to, from := range order {
		q.duals[to] = q.duals[from]
		copy(q.values[to*q.count:(to+1)*q.count], q.values[from*q.count:])
		copy(q.loads[to*n:(to+1)*n], q.loads[from*n:])
	}
	clear(q.duals[len(order):])
	q.duals, q.values, q.loads = q.duals[:len(order)], q.values[:len(order)*q.count], q.loads[:len(order)*n]
	clear(q.known)
	for _, d := range q.duals {
		q.known[keyOf(d.Dual)] = true
	}
}

// price finds the best certificate of every scenario at y. It reports false where the pool is empty.
func (q *pool) price(y []float64) bool {
	if q == nil || len(q.duals) == 0 {
		return false
	}
	q.clock++
	values := q.values
	if len(q.links) > 0 {
		values = q.linked(y)
	}
	for k, d := range q.duals {
		at := d.alpha + f64.Dot(d.beta, y)
		row := values[k*q.count : (k+1)*q.count]
		if k == 0 {
			for s, v := range row {
				q.best[s], q.by[s] = at+v, 0
			}
			continue
		}
		for s, v := range row {
			if v += at; v > q.best[s] {
				q.best[s], q.by[s] = v, int32(k)
			}
		}
	}
	for _, k := range q.by {
		q.duals[k].used = q.clock
	}
	return true
}

// linked returns the values with what the links add at y.
func (q *pool) linked(y []float64) []float64 {
	n, count := len(q.links), q.count
	q.moving = append(q.moving[:0], q.link...)
	for k, at := range q.links {
		row := q.moving[k*count : (k+1)*count]
		for s := range row {
			row[s] *= y[at.Col]
		}
	}
	q.added = append(q.added[:0], q.values...)
	f64.Gemm(false, false, len(q.duals), count, n, 1, q.loads, n, q.moving, count, 1, q.added, count)
	return q.added
}

// cut returns the cut of the best certificate of a scenario at the last point.
func (q *pool) cut(s int) (benders.Cut, bool) { return q.duals[q.by[s]].Cut(s, 0) }

// strongest returns the feasibility cut of a certificate for the scenario in which it cuts y off most, and false where the
// certificate is not shared or cuts off no more there than the cut does.
func (q *pool) strongest(cut *benders.Cut, y []float64) (benders.Cut, bool) {
	if q == nil {
		return benders.Cut{}, false
	}
	d := q.p.scenarios.Dual(cut)
	if d == nil {
		return benders.Cut{}, false
	}
	value := make([]float64, q.count)
	for k, at := range q.places {
		if v := d.Load(at); v != 0 {
			f64.Axpy(v, q.delta[k*q.count:(k+1)*q.count], value)
		}
	}
	for k, at := range q.links {
		if v := d.Load(at) * y[at.Col]; v != 0 {
			f64.Axpy(v, q.link[k*q.count:(k+1)*q.count], value)
		}
	}
	most := 0
	for s, v := range value {
		if v > value[most] {
			most = s
		}
	}
	better, ok := d.Cut(most, benders.AllEpigraphs)
	return better, ok && better.Value(y) > cut.Value(y)
}
