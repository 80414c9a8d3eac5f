package ordering

// Sides of a separator.
const (
	left   int8 = 0
	right  int8 = 1
	middle int8 = 2 // the separator
)

// separator splits the vertices of a graph: no vertex of the left is a neighbour of one of the right.
type separator struct {
	g     *weighted
	side  []int8
	parts [3]int64   // weights of the sides
	near  [][3]int64 // weights of the neighbours of a vertex of the separator on each side

	// The present pass of refinement.
	pass    int32
	toward  int8     // the side to which vertices move, middle for both
	balance bool     // the limit of a side is relative to the weight of both, not to that of the graph
	queue   [2]*heap // vertices of the separator that may move to the left and to the right
	moved   []int32  // the last pass in which a vertex left the separator
	undo    []int32  // vertices whose sides changed
	was     []int8   // the sides that they had
}

// newSeparator returns the separator with the given sides, which it keeps.
func newSeparator(g *weighted, side []int8) *separator {
	n := g.order()
	s := &separator{
		g:     g,
		side:  side,
		near:  make([][3]int64, n),
		queue: [2]*heap{newHeap(n), newHeap(n)},
		moved: make([]int32, n),
	}
	s.measure()
	return s
}

// measure computes all sums.
func (s *separator) measure() {
	s.parts = [3]int64{}
	for v, side := range s.side {
		s.parts[side] += int64(s.g.weight[v])
		if side == middle {
			s.change(int32(v), middle)
		}
	}
}

// imbalance is the most weight of a side, relative to half of the weight of both, that refinement may make. METIS has
// the same.
const imbalance = 1.2

// cost orders separators: by the weight in excess of the balance, then by their own weight, then by the balance.
type cost struct{ excess, weight, difference int64 }

func (c cost) less(d cost) bool {
	switch {
	case c.excess != d.excess:
		return c.excess < d.excess
	case c.weight != d.weight:
		return c.weight < d.weight
	}
	return c.difference < d.difference
}

// cost returns that of the present sides.
func (s *separator) cost() cost {
	larger := max(s.parts[left], s.parts[right])
	smaller := min(s.parts[left], s.parts[right])
	limit := s.limit()
	return cost{max(0, larger-limit), s.parts[middle], larger - smaller}
}

// limit returns the most weight of a side: relative to the weight of both sides, or to that of the whole graph.
func (s *separator) limit() int64 {
	weight := s.g.total
	if s.balance {
		weight -= s.parts[middle]
	}
	return int64(imbalance * float64(weight) / 2)
}

// Limits of refinement.
const (
	maxPasses   = 20  // of a graph; refinement ends before, when a pass to each side finds nothing better
	minPatience = 50  // moves of a pass without a better point,
	patience    = 5   // for each vertex of the separator,
	maxPatience = 400 // and at most
)

// refine moves vertices of the separator to a side, and their neighbours on the other side to the separator (C. M.
// Fiduccia, R. M. Mattheyses, A linear-time heuristic for improving network partitions, DAC 1982). A pass moves them to
// one side only, so that the separator can go far through the graph: moves to both sides lead to the nearest local
// optimum, and twice the operations on dfl001.
func (s *separator) refine() {
	// Sides that the separator has made very unequal are balanced first.
	s.balance = true
	if s.cost().excess > 0 {
		s.refineOnce(middle)
	}
	s.balance = false

	toward := s.lighter()
	failed := 0
	for range maxPasses {
		failed++
		if s.refineOnce(toward) {
			failed = 0
		}
		if failed == 2 {
			return
		}
		toward = 1 - toward
	}
}

// lighter returns the side of less weight.
func (s *separator) lighter() int8 {
	if s.parts[right] < s.parts[left] {
		return right
	}
	return left
}

// refineOnce makes a pass, in which each vertex leaves the separator at most once, returns to its best point, and
// reports whether that is better than the first one. Vertices move toward a side, or both if that is middle.
func (s *separator) refineOnce(toward int8) bool {
	// All vertices of the separator may move.
	s.pass++
	s.toward = toward
	s.undo = s.undo[:0]
	s.was = s.was[:0]
	s.queue[left].clear()
	s.queue[right].clear()
	size := 0
	for v, side := range s.side {
		if side == middle {
			s.enqueue(int32(v))
			size++
		}
	}

	// The best point is the first of its cost.
	first := s.cost()
	best := first
	bestLength := 0
	wait := min(max(minPatience, patience*size), maxPatience)
	for since := 0; since < wait; since++ {
		v, to := s.choose()
		if v < 0 {
			break
		}
		s.move(v, to)
		if c := s.cost(); c.less(best) {
			best = c
			bestLength = len(s.undo)
			since = 0
		}
	}
	s.rollBack(bestLength)
	return best.less(first)
}

// enqueue puts a vertex of the separator in the queues, with the weight by which its move makes the separator smaller.
func (s *separator) enqueue(v int32) {
	if s.moved[v] == s.pass {
		return
	}
	weight := int64(s.g.weight[v])
	if s.toward != right {
		s.queue[left].set(v, weight-s.near[v][right])
	}
	if s.toward != left {
		s.queue[right].set(v, weight-s.near[v][left])
	}
}

// choose returns the vertex of the largest gain that may move, and the side to which it moves; -1 if there is none.
func (s *separator) choose() (int32, int8) {
	if s.toward != middle {
		return s.fitting(s.toward), s.toward
	}

	// A side that is too heavy takes no vertex. Of equal gains, the lighter side has the first choice.
	to := s.lighter()
	best := s.queue[to].top()
	if s.parts[1-to] > s.limit() {
		return best, to
	}
	other := s.fitting(1 - to)
	if best < 0 || other >= 0 && s.queue[1-to].key[other] > s.queue[to].key[best] {
		return other, 1 - to
	}
	return best, to
}

// fitting returns the vertex of the largest gain for a side, -1 if there is none or the side would be too heavy.
func (s *separator) fitting(to int8) int32 {
	v := s.queue[to].top()
	if v >= 0 && s.parts[to]+int64(s.g.weight[v]) > s.limit() {
		return -1
	}
	return v
}

// move moves vertex v of the separator to a side.
func (s *separator) move(v int32, to int8) {
	s.queue[left].remove(v)
	s.queue[right].remove(v)
	s.moved[v] = s.pass
	s.record(v, to)
	adj, _ := s.g.neighbours(v)
	for _, u := range adj {
		switch s.side[u] {
		case middle:
			s.enqueue(u)
		case 1 - to:
			s.enter(u)
		}
	}
}

// enter moves vertex u from a side to the separator.
func (s *separator) enter(u int32) {
	s.record(u, middle)
	s.enqueue(u)
	adj, _ := s.g.neighbours(u)
	for _, w := range adj {
		if s.side[w] == middle {
			s.enqueue(w)
		}
	}
}

// record is change with an entry in the list of changes.
func (s *separator) record(v int32, to int8) {
	s.undo = append(s.undo, v)
	s.was = append(s.was, s.side[v])
	s.change(v, to)
}

// change sets the side of v, and updates all sums.
func (s *separator) change(v int32, to int8) {
	from := s.side[v]
	weight := int64(s.g.weight[v])
	s.parts[from] -= weight
	s.parts[to] += weight
	s.side[v] = to
	adj, _ := s.g.neighbours(v)
	var sum [3]int64
	for _, u := range adj {
		side := s.side[u]
		sum[side] += int64(s.g.weight[u])
		if side == middle {
			near := &s.near[u]
			near[from] -= weight
			near[to] += weight
		}
	}
	s.near[v] = sum
}

// rollBack undoes all changes but the first ones.
func (s *separator) rollBack(length int) {
	for k := len(s.undo) - 1; k >= length; k-- {
		s.change(s.undo[k], s.was[k])
	}
}
