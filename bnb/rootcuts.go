package bnb

import (
	"cmp"
	"math"
	"slices"

	"github.com/proxybd/proxybd/simplex"
)

// Limits of the cuts that this package makes at the root.
const (
	cutRounds     = 30   // rounds at most
	cutsPerRound  = 50   // cuts added in a round: this plus columns/10
	maxParallel   = 0.8  // cosine between two cuts of one round at most
	gomoryMost    = 100  // tableau rows looked at in a round
	aggregateMost = 2000 // rows that start an aggregation in a round
	aggregateLen  = 5    // rows in an aggregation at most
	weightRange   = 1e5  // ratio of the weights of a tableau row at most
)

// rootCuts separates Gomory mixed-integer and aggregated mixed-integer-rounding cuts at the root.
type rootCuts struct {
	s     *search
	mir   *mir
	agg   *aggregation
	y     []float64
	found []foundCut
	done  int
}

type foundCut struct {
	c        Cut
	efficacy float64
}

func (s *search) newRootCuts() *rootCuts {
	return &rootCuts{s: s, mir: newMIR(s.p, s.lp, s.dom), agg: newAggregation(s.p.n)}
}

// round separates at the node's LP point and puts the best cuts into the LP. It returns their number.
func (rc *rootCuts) round() int {
	if rc.done >= cutRounds {
		return 0
	}
	rc.done++
	rc.found = rc.found[:0]
	rc.mir.x = rc.s.x
	rc.gomory()
	rc.aggregate()
	return rc.insert()
}

func (rc *rootCuts) try() bool {
	c, eff, ok := rc.mir.separate(rc.agg)
	if ok {
		rc.found = append(rc.found, foundCut{c, eff})
	}
	return ok
}

// gomory tries the tableau rows of the most fractional basic integer columns.
func (rc *rootCuts) gomory() {
	s := rc.s
	list := slices.Clone(s.fractional)
	slices.SortStableFunc(list, func(a, b int32) int {
		return cmp.Compare(math.Abs(s.x[a]-math.Floor(s.x[a])-0.5), math.Abs(s.x[b]-math.Floor(s.x[b])-0.5))
	})
	rc.y = make([]float64, s.p.rows+len(s.lp.cuts))
	for _, j := range list[:min(len(list), gomoryMost)] {
		if s.lp.s.ColStatus(int(j)) != simplex.Basic || s.lp.s.BInvRow(int(j), rc.y) != nil {
			continue
		}
		if rc.combine() {
			rc.try()
		}
	}
}

// combine aggregates the rows with the weights y, if they are of similar size.
func (rc *rootCuts) combine() bool {
	largest := 0.0
	for _, v := range rc.y {
		largest = math.Max(largest, math.Abs(v))
	}
	rc.agg.clear()
	for i, v := range rc.y {
		if math.Abs(v) > largest/weightRange {
			rc.agg.add(rc.s.lp, int32(i), v)
		} else if math.Abs(v) > 1e-11*largest && v != 0 {
			return false
		}
	}
	return largest > 0
}

// aggregate starts from every tight row of the model and adds rows that cancel continuous columns
// strictly between their bounds, until a cut is found.
func (rc *rootCuts) aggregate() {
	p := rc.s.p
	starts := 0
	for i := 0; i < p.rows && starts < aggregateMost; i++ {
		if rc.slack(int32(i)) > 0.1 {
			continue
		}
		starts++
		rc.agg.clear()
		rc.agg.add(rc.s.lp, int32(i), 1)
		for !rc.try() && len(rc.agg.rows) < aggregateLen {
			if !rc.extend() {
				break
			}
		}
	}
}

// slack is the distance of a model row's activity from its nearer side, relative.
func (rc *rootCuts) slack(i int32) float64 {
	p := rc.s.p
	index, value := p.byRow.Vec(int(i))
	act := 0.0
	for k, j := range index {
		act += value[k] * rc.s.x[j]
	}
	return math.Min(act-p.rowLower[i], p.rowUpper[i]-act) / math.Max(1, math.Abs(act))
}

// extend cancels the continuous column that is farthest from its bounds with another row.
func (rc *rootCuts) extend() bool {
	p, x, a := rc.s.p, rc.s.x, rc.agg
	best, far := int32(-1), 1e-6
	for _, j := range a.cols {
		if p.integer[j] || math.Abs(a.coef[j]) < 1e-9 {
			continue
		}
		d := math.Min(x[j]-p.lower[j], p.upper[j]-x[j])
		if b := &rc.mir.vb.upper[j]; b.col >= 0 {
			d = math.Min(d, b.at(x)-x[j])
		}
		if b := &rc.mir.vb.lower[j]; b.col >= 0 {
			d = math.Min(d, x[j]-b.at(x))
		}
		if d > far {
			best, far = j, d
		}
	}
	if best < 0 {
		return false
	}
	row, value := rc.partner(best)
	if row < 0 {
		return false
	}
	a.add(rc.s.lp, row, -a.coef[best]/value)
	a.coef[best] = 0
	return true
}

// partner picks the tightest unused model row that holds column j.
func (rc *rootCuts) partner(j int32) (int32, float64) {
	index, value := rc.s.p.byCol.Vec(int(j))
	best, bestValue, least := int32(-1), 0.0, 0.1
	for k, i := range index {
		if math.Abs(value[k]) < 1e-6 || rc.agg.uses(i) {
			continue
		}
		n, _ := rc.s.p.byRow.Vec(int(i))
		if sl := rc.slack(i) + 1e-4*float64(len(n)); sl < least {
			best, bestValue, least = i, value[k], sl
		}
	}
	return best, bestValue
}

// insert adds the found cuts by efficacy, leaving out those nearly parallel to a better one.
func (rc *rootCuts) insert() int {
	s := rc.s
	slices.SortStableFunc(rc.found, func(a, b foundCut) int { return cmp.Compare(b.efficacy, a.efficacy) })
	var taken []*cut
	for k := range rc.found {
		if len(taken) >= cutsPerRound+s.p.n/10 {
			break
		}
		c, err := s.pool.read(&rc.found[k].c)
		if err != nil || !rc.distinct(c, taken) {
			continue
		}
		c.own = true
		kept, isNew, changed := s.pool.add(c)
		if changed && kept.row >= 0 {
			s.lp.tightened(kept)
			s.grown++
		}
		if isNew || kept.row < 0 {
			s.insert(kept)
		}
		taken = append(taken, kept)
	}
	return len(taken)
}

func (rc *rootCuts) distinct(c *cut, taken []*cut) bool {
	for _, o := range taken {
		if dot(c, o) > maxParallel*c.norm*o.norm {
			return false
		}
	}
	return true
}

// dot is the inner product of two cuts' coefficients.
func dot(a, b *cut) float64 {
	sum := 0.0
	for k, l := 0, 0; k < len(a.index) && l < len(b.index); {
		switch {
		case a.index[k] < b.index[l]:
			k++
		case a.index[k] > b.index[l]:
			l++
		default:
			sum += a.value[k] * b.value[l]
			k++
			l++
		}
	}
	return sum
}
