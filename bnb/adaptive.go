package bnb

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// Limits of the neighbourhoods of the incumbent. The numbers were chosen by hand.
const (
	knownIncumbents   = 4    // last incumbents that are kept for crossover
	initialFree       = 0.2  // share of the columns that are free at first, where the kind names none
	maxFree           = 0.6  // share of the columns that are free at most
	completeGrowth    = 1.4  // factor on that share after a complete search
	fastGrowth        = 2    // the same factor where the search was complete after almost no work
	incompleteShrink  = 0.7  // factor after a search that ended before it had found a point
	rewardDecay       = 0.95 // factor on what each kind has tried and found, at every search
	explorationWeight = 0.3  // weight of the uncertainty in the score of a kind
	maxConnectingRow  = 50   // entries of a row that connects columns are at most this many, or a tenth of the columns
)

// neighbourhoodKind is a kind of neighbourhood of the incumbent: a rule for the columns that are free.
type neighbourhoodKind int

const (
	farFromLP     neighbourhoodKind = iota // those in which incumbent and LP differ (RINS: Danna, Rothberg, Le Pape 2005)
	farFromOthers                          // those in which the last incumbents differ (crossover: Rothberg 2007)
	anyColumns                             // columns drawn at random (mutation, ibid.)
	nearByRows                             // a column drawn at random and those near it by rows
	neighbourhoodKinds
)

// adaptive chooses neighbourhoods of the incumbent. The kind that has found more points comes more often; a share of
// the columns is free that grows where searches are complete and shrinks where they are not (Hendel, Adaptive large
// neighborhood search for mixed integer programming, 2022).
type adaptive struct {
	kinds [neighbourhoodKinds]struct{ free, tried, found float64 }
	last  neighbourhoodKind
	known [][]float64 // the last incumbents
	rng   *rand.Rand
	order []int32 // the columns that are not fixed globally, those first that are free first
	key   []float64
}

// clone is for another worker, which draws its own numbers.
func (a *adaptive) clone() adaptive {
	return adaptive{kinds: a.kinds, last: a.last, known: slices.Clone(a.known)}
}

// used reports whether any neighbourhood was chosen.
func (a *adaptive) used() bool { return len(a.known) > 0 }

// model is the model of the next neighbourhood; false where there are too few columns.
func (a *adaptive) model(s *search) (*lp.Model, bool) {
	// A fork has no random numbers yet: the stream begins at its first call.
	if a.rng == nil {
		a.rng = rand.New(rand.NewPCG(s.opt.Seed, uint64(s.effort.nodes)))
	}
	x := s.inc.guide()
	a.record(x)

	// Only columns that are not fixed in the whole tree, and whose incumbent value is still allowed, take part.
	m := s.restricted()
	a.order = a.order[:0]
	for _, j := range s.p.decisions {
		if c := &m.Cols[j]; c.Lower < c.Upper && x[j] >= c.Lower && x[j] <= c.Upper {
			a.order = append(a.order, j)
		}
	}
	if len(a.order) < 2*subMinFixed {
		return nil, false
	}

	// The columns are drawn first, then ordered by the kind: ties stay random.
	a.last = a.pick()
	a.rng.Shuffle(len(a.order), func(i, k int) { a.order[i], a.order[k] = a.order[k], a.order[i] })
	named := a.rank(s, x)

	// A kind that was never used frees the columns that it names, or the usual share where it names none.
	k := &a.kinds[a.last]
	if k.free == 0 {
		if k.free = initialFree; named > 0 {
			k.free = math.Min(float64(named)/float64(len(a.order)), maxFree)
		}
	}

	// At least subMinFixed columns are free, and at least as many are fixed.
	free := max(int(math.Ceil(k.free*float64(len(a.order)))), subMinFixed)
	for _, j := range a.order[min(free, len(a.order)-subMinFixed):] {
		setBounds(m, j, x[j], x[j])
	}
	return m, true
}

// record keeps an incumbent, unless it is the last one kept.
func (a *adaptive) record(x []float64) {
	// An incumbent is never changed in place: the same memory is the same point.
	if n := len(a.known); n > 0 && &a.known[n-1][0] == &x[0] {
		return
	}
	if len(a.known) == knownIncumbents {
		a.known = slices.Delete(a.known, 0, 1)
	}
	a.known = append(a.known, x)
}

// pick returns the kind whose share of successes may be the highest (the upper confidence bounds of Auer,
// Cesa-Bianchi, Fischer 2002).
func (a *adaptive) pick() neighbourhoodKind {
	total := 1.0
	for k := range a.kinds {
		total += a.kinds[k].tried
	}

	// One success in one more attempt for every kind keeps the scores of new kinds above those of failing ones.
	at, best := farFromLP, math.Inf(-1)
	for k := range neighbourhoodKinds {
		// Crossover needs two incumbents that can differ.
		if k == farFromOthers && len(a.known) < 2 {
			continue
		}
		n := a.kinds[k].tried + 1
		if v := (a.kinds[k].found+1)/n + explorationWeight*math.Sqrt(math.Log(total)/n); v > best {
			at, best = k, v
		}
	}
	return at
}

// learn adapts the kinds to the outcome of the last search; easy is set where that had almost nothing to do.
func (a *adaptive) learn(out subOutcome, easy bool) {
	// Earlier searches count less and less, so that the choice follows the progress of the search.
	for k := range a.kinds {
		a.kinds[k].tried *= rewardDecay
		a.kinds[k].found *= rewardDecay
	}
	k := &a.kinds[a.last]
	k.tried++
	if out.found {
		k.found++
	}

	// A complete search was too easy, an incomplete one without a point too hard.
	switch {
	case easy && out.complete && !out.found:
		k.free = math.Min(k.free*fastGrowth, maxFree)
	case out.complete:
		k.free = math.Min(k.free*completeGrowth, maxFree)
	case !out.found:
		k.free *= incompleteShrink
	}
}

// rank orders the columns by the kind of the neighbourhood and returns the number of columns that the kind itself
// names, 0 where it names none.
func (a *adaptive) rank(s *search, x []float64) (named int) {
	if a.key == nil {
		a.key = make([]float64, s.p.n)
	}

	switch a.last {
	case farFromLP:
		// Beyond the columns that differ those with the smallest reduced costs come first: they cost least to move.
		for _, j := range a.order {
			if a.key[j] = math.Abs(s.point.x[j] - x[j]); a.key[j] > s.opt.Tolerances.Integrality {
				named++
			} else {
				a.key[j] = -math.Abs(s.point.price[j])
			}
		}
	case farFromOthers:
		// Columns in which the incumbents differ come first, each group in the order of the distance to the LP.
		for _, j := range a.order {
			a.key[j] = math.Min(1, math.Abs(s.point.x[j]-x[j]))
			if a.differs(j) {
				a.key[j]++
				named++
			}
		}
	case nearByRows:
		a.connect(s.p)
		return 0
	default:
		return 0 // as they were drawn
	}
	slices.SortStableFunc(a.order, func(i, k int32) int { return cmp.Compare(a.key[k], a.key[i]) })
	return named
}

// differs reports whether the last incumbents differ in a column.
func (a *adaptive) differs(j int32) bool {
	return slices.ContainsFunc(a.known, func(x []float64) bool { return x[j] != a.known[0][j] })
}

// connect orders the columns by the number of rows between them and the first one; those that no rows connect with it
// follow in the same way. It is a breadth-first search from column to column over rows that are not long.
func (a *adaptive) connect(p *problem) {
	// Only the columns of the given order are ordered again; all columns may connect others.
	open, seen := make([]bool, p.n), make([]bool, p.n)
	crossed := make([]bool, p.rows)
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
				// A long row would make nearly all columns neighbours.
				columns, _ := p.byRow.Vec(int(i))
				if len(columns) > max(maxConnectingRow, p.n/10) {
					continue
				}
				for _, k := range columns {
					if !seen[k] {
						seen[k] = true
						queue = append(queue, k)
					}
				}
			}

			// The columns at the same distance come in random order.
			drawn := queue[near:]
			a.rng.Shuffle(len(drawn), func(i, k int) { drawn[i], drawn[k] = drawn[k], drawn[i] })
		}
	}
}
