package symmetry

import (
	"context"
	"slices"
)

// Limits of the search for one automorphism, chosen by hand.
const (
	maxDepth = 200 // vertices individualised beyond the one that is to be moved
	maxTries = 400 // refinements
)

// level is a vertex that was individualised on the way to a discrete partition.
type level struct {
	cell, vertex int32
	mark         int // splits before
}

// finder is the state of a search. Both partitions refine the same one: left fixes the vertices of the levels, right is
// its image under the automorphism that is looked for.
type finder struct {
	m           *Model
	g           *graph
	opt         Options
	left, right *partition
	levels      []level
	found       []Permutation
	support     int // columns that these move
	joins       Classes
	check       *checker

	tries  int // refinements for the present automorphism
	trace  []uint64
	differ []int32 // vertices whose cells differ between the partitions
	seen   []int32 // by vertex or cell: the last pass that visited it
	pass   int32
}

// work is the number of edges visited.
func (s *finder) work() int { return s.left.work + s.right.work + s.check.work }

// over reports whether a limit is reached.
func (s *finder) over(ctx context.Context) bool {
	return s.work() > s.opt.Work || s.support > s.opt.Support || ctx.Err() != nil
}

// descend individualises the first vertex of the first cell with several until the partition is discrete.
func (s *finder) descend(ctx context.Context) {
	for cell := int32(0); int(cell) < s.g.vertices; {
		if s.left.size[cell] == 1 {
			cell++
			continue
		}
		if s.over(ctx) {
			return
		}
		v := slices.Min(s.left.of(cell))
		s.levels = append(s.levels, level{cell, v, len(s.left.splits)})
		s.both(v, v)
	}
}

// both individualises u on the left and v on the right, and refines. It returns false where the partitions show that
// no automorphism maps one to the other.
func (s *finder) both(u, v int32) bool {
	s.trace = s.trace[:0]
	s.left.individualise(u)
	s.left.refine(func(h uint64) bool {
		s.trace = append(s.trace, h)
		return true
	})

	// The numbers of both refinements must be the same, one after the other.
	k := 0
	s.right.individualise(v)
	same := s.right.refine(func(h uint64) bool {
		ok := k < len(s.trace) && s.trace[k] == h
		k++
		return ok
	})
	return same && k == len(s.trace)
}

// ascend looks for automorphisms that fix the vertices of the levels before one and move its own, the last level first.
func (s *finder) ascend(ctx context.Context) {
	for k := len(s.levels) - 1; k >= 0; k-- {
		l := s.levels[k]
		s.left.undo(l.mark)
		s.right.undo(l.mark)

		// What fails for one vertex fails for its whole orbit.
		var failed []int32
		candidates := slices.Clone(s.left.of(l.cell))
		slices.Sort(candidates)
		for _, w := range candidates {
			root := s.joins.Find(w)
			known := root == s.joins.Find(l.vertex) ||
				slices.ContainsFunc(failed, func(f int32) bool { return s.joins.Find(f) == root })
			s.left.work += len(failed) + 1
			if known {
				continue
			}
			if s.over(ctx) {
				return
			}
			if !s.attempt(l, w) {
				failed = append(failed, w)
			}
			s.left.undo(l.mark)
			s.right.undo(l.mark)
		}
	}
}

// attempt looks for an automorphism that maps the vertex of the level to w.
func (s *finder) attempt(l level, w int32) bool {
	s.tries = 0
	return s.extend(l.mark, l.vertex, w, 0)
}

// extend maps u to v in addition to what the partitions fix, and goes on until an automorphism is complete. mark is the
// number of splits that the partitions had in common before the first such pair.
func (s *finder) extend(mark int, u, v int32, depth int) bool {
	s.tries++
	if !s.both(u, v) {
		return false
	}
	s.compare(mark)
	cell := s.openCell()
	if cell < 0 {
		if s.complete() {
			return true
		}
		cell = s.anyCell(mark)
	}
	if cell < 0 || depth >= maxDepth {
		return false
	}

	// The vertex x of the left must go to some vertex of the right; that which makes the map an involution comes first.
	x := s.leftOnly(cell)
	targets := slices.Clone(s.right.of(cell))
	slices.Sort(targets)
	if y := s.inverse(x); y >= 0 && s.right.cell[y] == cell {
		targets = slices.Insert(targets, 0, y)
	}
	at := len(s.left.splits)
	for k, y := range targets {
		if s.tries > maxTries || k > 0 && y == targets[0] {
			continue
		}
		if s.extend(mark, x, y, depth+1) {
			return true
		}
		s.left.undo(at)
		s.right.undo(at)
	}
	return false
}

// compare lists the vertices that are in different cells of the two partitions, which are equal up to the first mark
// splits.
func (s *finder) compare(mark int) {
	s.pass++
	s.differ = s.differ[:0]
	for _, sp := range s.left.splits[mark:] {
		for _, cell := range [2]int32{sp.cell, sp.made} {
			if s.seen[cell] == s.pass {
				continue
			}
			s.seen[cell] = s.pass
			for _, v := range s.left.of(cell) {
				if s.right.cell[v] != cell {
					s.differ = append(s.differ, v)
				}
			}
		}
	}
	s.left.work += len(s.differ) + len(s.left.splits) - mark
}

// openCell returns a cell of several vertices that differs between the partitions, -1 where there is none.
func (s *finder) openCell() int32 {
	for _, v := range s.differ {
		if cell := s.left.cell[v]; s.left.size[cell] > 1 {
			return cell
		}
	}
	return -1
}

// anyCell returns a cell of several vertices that was split after the mark, -1 where there is none.
func (s *finder) anyCell(mark int) int32 {
	for _, sp := range s.left.splits[mark:] {
		for _, cell := range [2]int32{sp.cell, sp.made} {
			if s.left.size[cell] > 1 {
				return cell
			}
		}
	}
	return -1
}

// leftOnly returns a member of the cell on the left that is not one on the right, any member where there is none.
func (s *finder) leftOnly(cell int32) int32 {
	all := s.left.of(cell)
	for _, v := range all {
		if s.right.cell[v] != cell {
			return v
		}
	}
	return slices.Min(all)
}

// inverse returns the vertex that goes to x, -1 where the partitions leave that open.
func (s *finder) inverse(x int32) int32 {
	if cell := s.right.cell[x]; s.right.size[cell] == 1 {
		return s.left.members[cell]
	}
	return -1
}

// complete takes the map from singletons to singletons, all other vertices fixed, if it is an automorphism.
func (s *finder) complete() bool {
	var p Permutation
	slices.Sort(s.differ)
	rows := Permutation{}
	for _, v := range s.differ {
		to := s.right.members[s.left.cell[v]]
		if int(v) < s.g.n {
			p.From = append(p.From, v)
			p.To = append(p.To, to)
		} else {
			rows.From = append(rows.From, v-int32(s.g.n))
			rows.To = append(rows.To, to-int32(s.g.n))
		}
	}
	if !s.check.automorphism(p, rows) {
		return false
	}

	// Vertices that the automorphism exchanges are in one orbit.
	for _, v := range s.differ {
		s.joins.Join(v, s.right.members[s.left.cell[v]])
	}
	if len(p.From) > 0 {
		s.found = append(s.found, p)
		s.support += len(p.From)
	}
	return true
}
