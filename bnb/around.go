package bnb

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// Limits of the neighbourhoods of the incumbent.
const (
	aroundKnown   = 4    // incumbents remembered
	aroundFree    = 0.2  // share of the columns that are free at first, where the kind does not say
	aroundMaxFree = 0.6  // and at most
	aroundWiden   = 1.4  // by which it grows where a search was complete
	aroundLeap    = 2    // the same where that took almost nothing
	aroundNarrow  = 0.7  // and shrinks where one ended before it had found a point
	aroundForget  = 0.95 // weight of what a kind has found up to the last search
	aroundTry     = 0.3  // weight of what is not known of a kind
	aroundLong    = 50   // entries of a row that connects columns, at most: so many or one in ten of the columns
)

// aroundKind is a kind of neighbourhood of the incumbent: it says which columns are free.
type aroundKind int

const (
	farFromLP     aroundKind = iota // those in which incumbent and LP differ (RINS: Danna, Rothberg, Le Pape 2005)
	farFromOthers                   // those in which the last incumbents differ (crossover: Rothberg 2007)
	anyColumns                      // columns drawn at random (mutation, ibid.)
	neighbours                      // a column drawn at random and those near it by rows
	aroundKinds
)

// around chooses neighbourhoods of the incumbent. The kind that has paid comes more often; a share of the columns is
// free that grows where searches are complete and shrinks where they are not (Hendel, Adaptive large neighborhood
// search for mixed integer programming, 2022).
type around struct {
	kinds [aroundKinds]struct{ free, tried, found float64 }
	last  aroundKind
	known [][]float64 // the last incumbents
	rng   *rand.Rand
	order []int32 // the columns that are not fixed globally, those first that are free first
	key   []float64
}

// clone is for another worker, which draws its own numbers.
func (a *around) clone() around {
	return around{kinds: a.kinds, last: a.last, known: slices.Clone(a.known)}
}

// asked reports whether it has chosen any.
func (a *around) asked() bool { return len(a.known) > 0 }

// model is that of the next neighbourhood; false where there are too few columns.
func (a *around) model(s *search) (*lp.Model, bool) {
	if a.rng == nil {
		a.rng = rand.New(rand.NewPCG(s.opt.Seed, uint64(s.effort.nodes)))
	}
	x := s.inc.guide()
	a.remember(x)
	m := s.freeModel()
	a.order = a.order[:0]
	for _, j := range s.p.ints {
		if c := &m.Cols[j]; c.Lower < c.Upper && x[j] >= c.Lower && x[j] <= c.Upper {
			a.order = append(a.order, j)
		}
	}
	if len(a.order) < 2*subMinFixed {
		return nil, false
	}
	a.last = a.pick()
	a.rng.Shuffle(len(a.order), func(i, k int) { a.order[i], a.order[k] = a.order[k], a.order[i] })
	named := a.rank(s, x)
	k := &a.kinds[a.last]
	if k.free == 0 {
		if k.free = aroundFree; named > 0 {
			k.free = math.Min(float64(named)/float64(len(a.order)), aroundMaxFree)
		}
	}
	free := max(int(math.Ceil(k.free*float64(len(a.order)))), subMinFixed)
	for _, j := range a.order[min(free, len(a.order)-subMinFixed):] {
		m.Cols[j].Lower, m.Cols[j].Upper = x[j], x[j]
	}
	return m, true
}

// remember keeps an incumbent.
func (a *around) remember(x []float64) {
	if n := len(a.known); n > 0 && &a.known[n-1][0] == &x[0] {
		return
	}
	if len(a.known) == aroundKnown {
		a.known = slices.Delete(a.known, 0, 1)
	}
	a.known = append(a.known, x)
}

// pick returns the kind whose share of successes may be the highest (the upper confidence bounds of Auer,
// Cesa-Bianchi, Fischer 2002).
func (a *around) pick() aroundKind {
	total := 1.0
	for k := range a.kinds {
		total += a.kinds[k].tried
	}
	best, at := math.Inf(-1), farFromLP
	for k := range aroundKinds {
		if k == farFromOthers && len(a.known) < 2 {
			continue
		}
		n := a.kinds[k].tried + 1
		if v := (a.kinds[k].found+1)/n + aroundTry*math.Sqrt(math.Log(total)/n); v > best {
			best, at = v, k
		}
	}
	return at
}

// learn says what the last search came to, and whether it had almost nothing to do.
func (a *around) learn(out subOutcome, easy bool) {
	for k := range a.kinds {
		a.kinds[k].tried *= aroundForget
		a.kinds[k].found *= aroundForget
	}
	k := &a.kinds[a.last]
	k.tried++
	if out.found {
		k.found++
	}
	switch {
	case easy && out.complete && !out.found:
		k.free = math.Min(k.free*aroundLeap, aroundMaxFree)
	case out.complete:
		k.free = math.Min(k.free*aroundWiden, aroundMaxFree)
	case !out.found:
		k.free *= aroundNarrow
	}
}

// rank orders the columns by the kind of the neighbourhood and returns how many columns the kind itself names, 0 where
// it says nothing.
func (a *around) rank(s *search, x []float64) (named int) {
	if a.key == nil {
		a.key = make([]float64, s.p.n)
	}
	switch a.last {
	case farFromLP:
		for _, j := range a.order {
			if a.key[j] = math.Abs(s.point.x[j] - x[j]); a.key[j] > s.opt.Tolerances.Integrality {
				named++
			} else {
				a.key[j] = -math.Abs(s.point.price[j])
			}
		}
	case farFromOthers:
		for _, j := range a.order {
			a.key[j] = math.Min(1, math.Abs(s.point.x[j]-x[j]))
			if a.differs(j) {
				a.key[j]++
				named++
			}
		}
	case neighbours:
		a.connect(s.p)
		return 0
	default:
		return 0 // as they were drawn
	}
	slices.SortStableFunc(a.order, func(i, k int32) int { return cmp.Compare(a.key[k], a.key[i]) })
	return named
}

// differs reports whether the last incumbents differ in a column.
func (a *around) differs(j int32) bool {
	return slices.ContainsFunc(a.known, func(x []float64) bool { return x[j] != a.known[0][j] })
}

// connect orders the columns by the number of rows between them and the first one; those that no rows connect with it
// follow in the same way. Long rows connect nothing.
func (a *around) connect(p *problem) {
	open, seen, crossed := make([]bool, p.n), make([]bool, p.n), make([]bool, p.rows)
	starts := slices.Clone(a.order)
	for _, j := range starts {
		open[j] = true
	}
	a.order = a.order[:0]
	var queue []int32
	for _, start := range starts {
		if seen[start] {
			continue
		}
		seen[start] = true
		queue = append(queue[:0], start)
		for head := 0; head < len(queue); head++ {
			j := queue[head]
			if open[j] {
				a.order = append(a.order, j)
			}
			near := len(queue)
			rows, _ := p.byCol.Vec(int(j))
			for _, i := range rows {
				if crossed[i] {
					continue
				}
				crossed[i] = true
				columns, _ := p.byRow.Vec(int(i))
				if len(columns) > max(aroundLong, p.n/10) {
					continue
				}
				for _, k := range columns {
					if !seen[k] {
						seen[k] = true
						queue = append(queue, k)
					}
				}
			}
			drawn := queue[near:]
			a.rng.Shuffle(len(drawn), func(i, k int) { drawn[i], drawn[k] = drawn[k], drawn[i] })
		}
	}
}
