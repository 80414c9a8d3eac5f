package scenario

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/internal/f64"
)

// pool holds the certificates of all scenarios so far, where each is one of every scenario. What they say of all
// scenarios at a point is a matrix product: loads times differences. The best one of a scenario bounds its recourse
// cost from below, and makes its cut without a linear program.
//
// The scenarios are in segments of a fixed size, which are priced by several goroutines. What a segment finds depends
// on the certificates and the point alone.
type pool struct {
	p        *Problem
	threads  int     // goroutines that price, 0 for one a processor
	count    int     // scenarios
	places   feature // what differs, but for links
	links    feature // coefficients of first-stage columns that differ
	segments []*segment

	// tabled says that segments keep what the places add to the value of each certificate, which is the same at all
	// points; else it is a part of the product of each point.
	tabled bool

	limit int // certificates that it holds
	duals []*pooled
	known map[key]*pooled
	moves [][]moves // of each block, by first-stage column
	clock int       // points that were priced
	made  int       // certificates so far, forgotten ones included
	fresh int       // certificates from this one on have not been priced at the last point

	best []float64 // of each scenario, at the last point: the greatest value
	by   []int32   // of each scenario, the certificate in duals that has this value
	now  product   // scratch of price
}

// pooled is a certificate with its cut for the skeleton, rounded.
type pooled struct {
	*twostage.Dual
	key    key
	alpha  float64     // of the cut alpha + beta y for the skeleton
	beta   []float64   // dense, a slope for each first-stage column
	fixed  []float64   // loads on the kinds of places; nil where the pool is tabled
	links  []load      // on links
	used   int         // when it was last the best of a scenario
	number int         // from 1, no other one has it
	basis  *namedBasis // that it is of, nil for none
}

// key is a hash of the multipliers of a certificate in the precision of a float32: certificates that differ by rounding
// alone count as the same.
type key [sha256.Size]byte

// load is the load of a certificate on a link: most have few that are not zero.
type load struct {
	kind, col int32
	value     float64
}

// moves are the loads of a block's certificates on the links of a first-stage column.
type moves struct {
	to    []int32   // position in a table of certificates x kinds of links, ascending by certificate
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
	places, links, small := p.features()
	if !small {
		return nil
	}

	// A certificate takes a number for every scenario, and at most one for every link.
	return emptyPool(p, places, links, max(16, min(maxDuals, maxNumbers/(len(p.weight)+len(links.at)))))
}

// emptyPool returns a pool of at most limit certificates.
func emptyPool(p *Problem, places, links feature, limit int) *pool {
	count := len(p.weight)
	return &pool{
		p:        p,
		count:    count,
		places:   places,
		links:    links,
		segments: segmentsOf(count),
		tabled:   places.kinds > links.kinds,
		limit:    limit,
		known:    map[key]*pooled{},
		best:     make([]float64, count),
		by:       make([]int32, count),
	}
}

// each calls do for all segments, by several goroutines.
func (q *pool) each(do func(g *segment)) {
	q.p.share(q.threads, len(q.segments), func(k int) { do(q.segments[k]) })
}

// add puts the certificates of cuts into the pool that it does not have, and returns those of all cuts, nil where they
// are not shared.
func (q *pool) add(cuts []*benders.Cut) []*pooled {
	// Scenarios of one call often have the same certificate: the second one finds that of the first.
	keys, shared := q.keys(cuts)
	all := make([]*pooled, len(cuts))
	var fresh []*pooled
	var of []*benders.Cut // of each fresh one
	for i, c := range cuts {
		if !shared[i] {
			continue
		}
		if all[i] = q.known[keys[i]]; all[i] != nil {
			continue
		}
		q.made++
		one := &pooled{key: keys[i], used: q.clock, number: q.made}
		all[i] = one
		q.known[one.key] = one
		fresh = append(fresh, one)
		of = append(of, c)
	}
	q.p.share(q.threads, len(fresh), func(k int) {
		fresh[k].Dual = q.p.scenarios.Dual(of[k])
		fresh[k].alpha, fresh[k].beta = fresh[k].Base()
	})

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

// keys returns the keys of the certificates of cuts, and which of them are shared.
func (q *pool) keys(cuts []*benders.Cut) (keys []key, shared []bool) {
	const part = 64 // cuts of a job
	keys = make([]key, len(cuts))
	shared = make([]bool, len(cuts))

	q.p.share(q.threads, (len(cuts)+part-1)/part, func(k int) {
		var text []byte
		for i := k * part; i < min((k+1)*part, len(cuts)); i++ {
			// Scenarios that were solved in another process may have the same certificate in memory.
			if i > k*part && cuts[i].Certificate == cuts[i-1].Certificate {
				keys[i], shared[i] = keys[i-1], shared[i-1]
				continue
			}
			lambda, ok := q.p.scenarios.Shared(cuts[i])
			if !ok {
				continue
			}

			text = text[:0]
			for _, v := range lambda {
				text = binary.LittleEndian.AppendUint32(text, math.Float32bits(float32(v)))
			}
			keys[i], shared[i] = sha256.Sum256(text), true
		}
	})
	return keys, shared
}

// place appends certificates, for which there is room, with their values in all scenarios.
func (q *pool) place(fresh []*pooled) {
	kinds := q.places.kinds
	sums := make([]float64, len(fresh)*kinds)
	q.p.share(q.threads, len(fresh), func(k int) { q.load(fresh[k], sums[k*kinds:(k+1)*kinds]) })
	for k, d := range fresh {
		q.known[d.key] = d // which forget may have cleared
		if !q.tabled {
			d.fixed = sums[k*kinds : (k+1)*kinds : (k+1)*kinds]
		}
	}

	old := len(q.duals)
	q.duals = append(q.duals, fresh...)
	q.link(old)
	if q.tabled {
		q.each(func(g *segment) { g.place(q, old, sums) })
	}
}

// load fills sums with what a certificate loads on the kinds of places; on the links, which the point changes, it is
// noted one by one.
func (q *pool) load(d *pooled, sums []float64) {
	for k, at := range q.places.at {
		sums[q.places.kind[k]] += d.Load(at)
	}
	d.links = nil
	for k, at := range q.links.at {
		if v := d.Load(at); v != 0 {
			d.links = append(d.links, load{q.links.kind[k], int32(at.Col), v})
		}
	}
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
	}
	if q.tabled {
		q.each(func(g *segment) { g.keep(order) })
	}
	clear(q.duals[len(order):])
	q.duals = q.duals[:len(order)]

	// The tables of links have positions in blocks, which are others now. No certificate counts as priced.
	q.moves = q.moves[:0]
	q.link(0)
	q.fresh = 0
	clear(q.known)
	for _, d := range q.duals {
		q.known[d.key] = d
	}
}

// current reports whether the best certificates of the last point are still there: some may have been removed since.
func (q *pool) current() bool { return q.fresh > 0 }

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

	// The others are priced some blocks at a time, so that the table of their loads stays small.
	most := max(1, maxLoads/(block*max(1, q.places.kinds, q.links.kinds))) // blocks
	for from := first; from < len(q.duals); {
		to := min(len(q.duals), (from/block+most)*block)
		q.now.at(q, y, from, to)
		q.each(func(g *segment) { g.price(q, &q.now) })
		from = to
	}

	// A certificate that is the best of a scenario was of use now, and is forgotten later.
	for _, k := range q.by {
		q.duals[k].used = q.clock
	}
	return true
}

// link sorts the loads on links of the certificates from this one on by column.
func (q *pool) link(first int) {
	if q.links.kinds == 0 {
		return
	}
	kinds := int32(q.links.kinds)
	for k := first; k < len(q.duals); k++ {
		b := k / block
		if b == len(q.moves) {
			q.moves = append(q.moves, make([]moves, len(q.duals[k].beta)))
		}
		for _, l := range q.duals[k].links {
			m := &q.moves[b][l.col]
			m.to = append(m.to, int32(k%block)*kinds+l.kind)
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
		slope[l.col] += weight * l.value * q.links.delta[int(l.kind)*q.count+s]
	}
	constant = d.alpha
	if q.tabled {
		return weight * (constant + q.segments[s/segmentSize].at(int(q.by[s]), s))
	}
	for k, v := range d.fixed {
		if v != 0 {
			constant += v * q.places.delta[k*q.count+s]
		}
	}
	return weight * constant
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

// add adds to the value of each scenario a load times what the scenario differs by in a place.
func (f *feature) add(place int, load float64, value []float64) {
	if n, k := len(value), int(f.kind[place]); load != 0 {
		f64.Axpy(load, f.delta[k*n:(k+1)*n], value)
	}
}
