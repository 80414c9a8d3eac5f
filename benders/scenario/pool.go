package scenario

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/internal/f64"
	"github.com/proxybd/proxybd/lp/stoch"
)

// pool holds the certificates of all scenarios so far, where each is one of every scenario. What they say of all
// scenarios at a point is a matrix product: loads times differences. The best one of a scenario bounds its recourse
// cost from below, and makes its cut without a linear program.
type pool struct {
	p      *Problem
	count  int     // scenarios
	places feature // what differs, but for links
	links  feature // coefficients of first-stage columns that differ

	limit  int // certificates that it holds
	duals  []*pooled
	known  map[string]*pooled // by keyOf
	values [][]float64        // blocks of certificates x scenarios: what the places add to a certificate's value
	moves  [][]moves          // of each block, by first-stage column
	clock  int                // points that were priced
	made   int                // certificates so far, forgotten ones included
	fresh  int                // certificates from this one on have not been priced at the last point

	best   []float64 // of each scenario, at the last point: the greatest value
	by     []int32   // of each scenario, the certificate in duals that has this value
	moving []float64 // scratch: block x kinds of links, times the point
	added  []float64 // scratch: block x scenarios, what the links add
}

// feature is what differs between scenarios, by kind: the places of a kind differ by the same numbers in all scenarios,
// as the coefficients of a commodity's demand do in the rows of all arcs.
type feature struct {
	at    []twostage.Place
	kind  []int32 // of each place
	kinds int
	delta []float64 // kinds x scenarios: the difference from the skeleton
}

// pooled is a certificate with its cut for the skeleton, rounded.
type pooled struct {
	*twostage.Dual
	alpha  float64     // of the cut alpha + beta y for the skeleton
	beta   []float64   // dense, a slope for each first-stage column
	links  []load      // on coefficients of the first stage that differ
	used   int         // when it was last the best of a scenario
	number int         // from 1, no other one has it
	basis  *namedBasis // that it is of, nil for none
}

// load is a multiplier of a link that is not zero: most certificates have few of them.
type load struct {
	link  int32 // position in pool.links.at
	value float64
}

// moves are the loads of a block's certificates on the links of a first-stage column.
type moves struct {
	to    []int32   // position in a table of certificates x kinds of links, ascending
	value []float64 // of each of these
}

// Sizes of the pool.
const (
	maxNumbers = 1 << 24 // of its tables
	maxDuals   = 4000    // certificates that it holds at most
	block      = 64      // certificates
)

// newPool returns an empty pool, nil where certificates are not shared or the tables would be too large.
func newPool(p *Problem) *pool {
	// With random costs or recourse coefficients a certificate of one scenario is none of another.
	if !p.scenarios.Random().FixedDual() {
		return nil
	}

	// Links are multiplied by the point, so that their table is apart from that of the other places.
	places, small := p.feature(false)
	links, few := p.feature(true)
	if !small || !few {
		return nil
	}

	// A certificate takes a number for every scenario, and at most one for every link.
	count := len(p.weight)
	return emptyPool(p, places, links, max(16, min(maxDuals, maxNumbers/(count+len(links.at)))))
}

// emptyPool returns a pool of at most limit certificates.
func emptyPool(p *Problem, places, links feature, limit int) *pool {
	count := len(p.weight)
	return &pool{
		p:      p,
		count:  count,
		places: places,
		links:  links,
		limit:  limit,
		known:  map[string]*pooled{},
		best:   make([]float64, count),
		by:     make([]int32, count),
	}
}

// feature collects the places that differ, the links or the others. It reports false if the table would be too large.
func (p *Problem) feature(links bool) (f feature, ok bool) {
	// rows[k][s] is by how much scenario s differs from the skeleton in place k.
	count := len(p.weight)
	index := map[twostage.Place]int{}
	var rows [][]float64
	for s := range p.program.Scenarios {
		for _, c := range p.program.Scenarios[s].Changes {
			// Equal values may be infinite: their difference is not a number.
			place := c
			place.Value = 0
			base := p.scenarios.Skeleton(place)
			if c.Value == base || links != (c.Kind == stoch.Entry) {
				continue
			}

			// The first scenario that changes a place makes a row for it.
			k, known := index[place]
			if !known {
				k = len(rows)
				index[place] = k
				if (k+1)*count > maxNumbers {
					return f, false
				}
				f.at, rows = append(f.at, place), append(rows, make([]float64, count))
			}
			rows[k][s] = c.Value - base
		}
	}

	// Places that differ alike in all scenarios are one kind, and delta has each kind once.
	kinds := map[string]int32{}
	for _, row := range rows {
		key := make([]byte, 0, 8*count)
		for _, v := range row {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v))
		}
		sum := sha256.Sum256(key)

		k, known := kinds[string(sum[:])]
		if !known {
			k = int32(len(kinds))
			kinds[string(sum[:])] = k
			f.delta = append(f.delta, row...)
		}
		f.kind = append(f.kind, k)
	}
	f.kinds = len(kinds)
	return f, true
}

// row returns the values of a certificate in all scenarios.
func (q *pool) row(k int) []float64 { return q.values[k/block][k%block*q.count:][:q.count] }

// add puts the certificates of cuts into the pool that it does not have, and returns those of all cuts, nil where they
// are not shared.
func (q *pool) add(cuts []*benders.Cut) []*pooled {
	all := make([]*pooled, len(cuts))
	var fresh []*pooled
	for i, c := range cuts {
		d := q.p.scenarios.Dual(c)
		if d == nil {
			continue
		}

		// Scenarios of one call often have the same certificate: the second one finds that of the first.
		key := keyOf(d)
		if all[i] = q.known[key]; all[i] != nil {
			continue
		}
		q.made++
		one := &pooled{Dual: d, used: q.clock, number: q.made}
		one.alpha, one.beta = d.Base()
		all[i] = one
		q.known[key] = one
		fresh = append(fresh, one)
	}

	// A full pool is halved, so that this is rare. More certificates than there is room for come one half after the other.
	half := q.limit - q.limit/2
	for len(fresh) > 0 {
		n := len(fresh)
		if len(q.duals)+n > q.limit {
			n = min(n, half)
			q.forget(q.limit - half)
		}
		q.place(fresh[:n])
		fresh = fresh[n:]
	}
	return all
}

// place appends certificates, for which there is room, with their values in all scenarios.
func (q *pool) place(fresh []*pooled) {
	// What each certificate loads on the kinds of places; on the links, which the point changes, one by one.
	n := len(fresh)
	sums := make([]float64, n*q.places.kinds)
	for i, d := range fresh {
		q.known[keyOf(d.Dual)] = d // which forget may have cleared
		for k, at := range q.places.at {
			sums[i*q.places.kinds+int(q.places.kind[k])] += d.Load(at)
		}
		for k, at := range q.links.at {
			if v := d.Load(at); v != 0 {
				d.links = append(d.links, load{int32(k), v})
			}
		}
	}

	// The values of all scenarios are the product of the loads and the kinds, block by block.
	old := len(q.duals)
	q.duals = append(q.duals, fresh...)
	q.link(old)
	for len(q.values)*block < len(q.duals) {
		q.values = append(q.values, make([]float64, block*q.count))
	}
	for i := 0; i < n; {
		// The rows up to the end of a block: the last block may be partly filled before.
		rows := min(n-i, block-(old+i)%block)
		to := q.values[(old+i)/block][(old+i)%block*q.count:]
		if k := q.places.kinds; k > 0 {
			f64.Gemm(false, false, rows, q.count, k, 1, sums[i*k:], k, q.places.delta, q.count, 0, to, q.count)
		} else {
			clear(to[:rows*q.count])
		}
		i += rows
	}
}

// keyOf returns the multipliers of a certificate in the precision of a float32: certificates that differ by rounding
// alone count as the same.
func keyOf(d *twostage.Dual) string {
	key := make([]byte, 0, 4*len(d.Lambda()))
	for _, v := range d.Lambda() {
		key = binary.LittleEndian.AppendUint32(key, math.Float32bits(float32(v)))
	}
	return string(key)
}

// forget keeps the given number of certificates, those that were of use last.
func (q *pool) forget(keep int) {
	order := make([]int, len(q.duals))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return q.duals[b].used - q.duals[a].used })
	order = order[:min(keep, len(order))]

	// Those that stay keep their order, and move to the front with their values.
	slices.Sort(order)
	for to, from := range order {
		q.duals[to] = q.duals[from]
		copy(q.row(to), q.row(from))
	}
	clear(q.duals[len(order):])
	q.duals = q.duals[:len(order)]

	// The tables of links have positions in blocks, which are others now. No certificate counts as priced.
	q.moves = q.moves[:0]
	q.link(0)
	q.fresh = 0
	clear(q.known)
	for _, d := range q.duals {
		q.known[keyOf(d.Dual)] = d
	}
}

// knows reports whether the best certificates of the last point are still there: some may have been forgotten since.
func (q *pool) knows() bool { return q.fresh > 0 }

// price finds the best certificate of every scenario at y. With again, y is the point of the last call, and only
// certificates since then are priced. It reports false where the pool is empty.
func (q *pool) price(y []float64, again bool) bool {
	if q == nil || len(q.duals) == 0 {
		return false
	}
	if !again {
		q.fresh = 0
		q.clock++
	}

	// Certificates before first have been priced at this point.
	first := q.fresh
	if first == len(q.duals) {
		return true
	}
	q.fresh = len(q.duals)
	if first == 0 {
		for s := range q.best {
			q.best[s] = math.Inf(-1)
		}
	}

	// The others are priced block by block: alpha + beta y for the certificate, plus its value in each scenario.
	for from := first; from < len(q.duals); {
		to := min(len(q.duals), (from/block+1)*block)
		values := q.values[from/block][from%block*q.count:]
		if len(q.links.at) > 0 {
			values = q.linked(y, from, to)
		}

		// Of equal values the older certificate stays the best.
		for k, d := range q.duals[from:to] {
			at := d.alpha + f64.Dot(d.beta, y)
			for s, v := range values[k*q.count : (k+1)*q.count] {
				if v += at; v > q.best[s] {
					q.best[s], q.by[s] = v, int32(from+k)
				}
			}
		}
		from = to
	}

	// A certificate that is the best of a scenario was of use now, and is forgotten later.
	for _, k := range q.by {
		q.duals[k].used = q.clock
	}
	return true
}

// linked returns the values of the certificates of a block with what the links add at y.
func (q *pool) linked(y []float64, from, to int) []float64 {
	kinds := q.links.kinds
	count := q.count
	rows := to - from

	// The loads times the columns of y, summed over the links of a kind.
	q.moving = slices.Grow(q.moving[:0], rows*kinds)[:rows*kinds]
	clear(q.moving)
	first := int32(from % block * kinds)
	for j, m := range q.moves[from/block] {
		v := y[j]
		if v == 0 || len(m.to) == 0 {
			continue
		}

		// Positions ascend with the certificate: those of certificates before from are skipped.
		start, _ := slices.BinarySearch(m.to, first)
		values := m.value[start:]
		for k, at := range m.to[start:] {
			q.moving[at-first] += v * values[k]
		}
	}

	// The product of these sums and the scenarios' differences is added to a copy of the values.
	q.added = append(q.added[:0], q.values[from/block][from%block*count:][:rows*count]...)
	f64.Gemm(false, false, rows, count, kinds, 1, q.moving, kinds, q.links.delta, count, 1, q.added, count)
	return q.added
}

// link sorts the loads on links of the certificates from this one on by column.
func (q *pool) link(first int) {
	if len(q.links.at) == 0 {
		return
	}
	for k := first; k < len(q.duals); k++ {
		b := k / block
		if b == len(q.moves) {
			q.moves = append(q.moves, make([]moves, len(q.duals[k].beta)))
		}
		for _, l := range q.duals[k].links {
			m := &q.moves[b][q.links.at[l.link].Col]
			m.to = append(m.to, int32(k%block*q.links.kinds)+q.links.kind[l.link])
			m.value = append(m.value, l.value)
		}
	}
}

// plane adds weight times the slope of the cut of a scenario's best certificate at the last point, and returns weight
// times its constant. Neither is rounded outward: they are for searches, not for bounds.
func (q *pool) plane(s int, weight float64, slope []float64) (constant float64) {
	d := q.duals[q.by[s]]
	f64.Axpy(weight, d.beta, slope)

	// The slope of a link's column differs from the skeleton's by the load times the scenario's difference.
	for _, l := range d.links {
		slope[q.links.at[l.link].Col] += weight * l.value * q.links.delta[int(q.links.kind[l.link])*q.count+s]
	}
	return weight * (d.alpha + q.row(int(q.by[s]))[s])
}

// add adds to the value of each scenario a load times what the scenario differs by in a place.
func (f *feature) add(place int, load float64, value []float64) {
	if n, k := len(value), int(f.kind[place]); load != 0 {
		f64.Axpy(load, f.delta[k*n:(k+1)*n], value)
	}
}

// strongest returns the feasibility cut of a certificate for the scenario in which y violates it most, with that
// scenario, and false where the certificate is not shared or the cut is violated as much as that one.
func (q *pool) strongest(cut *benders.Cut, y []float64) (better benders.Cut, scenario int, ok bool) {
	if q == nil {
		return better, 0, false
	}
	d := q.p.scenarios.Dual(cut)
	if d == nil {
		return better, 0, false
	}

	// What the violation of the skeleton's cut gains in each scenario: the skeleton's part is the same for all.
	value := make([]float64, q.count)
	for k, at := range q.places.at {
		q.places.add(k, d.Load(at), value)
	}
	for k, at := range q.links.at {
		q.links.add(k, d.Load(at)*y[at.Col], value)
	}

	// Of equal scenarios the first.
	for s, v := range value {
		if v > value[scenario] {
			scenario = s
		}
	}
	better, ok = d.Cut(scenario, benders.AllEpigraphs)
	return better, scenario, ok && better.Value(y) > cut.Value(y)
}
