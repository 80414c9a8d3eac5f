package cholesky

import (
	"cmp"
	"slices"
)

// schedule cuts the tree of fronts into subtrees, which are independent of each other, and the fronts above them. The
// subtrees run at the same time, each on a stack of update matrices of its own; the fronts above follow one by one,
// each with several threads. What a front computes does not depend on the schedule.
type schedule struct {
	subtrees []subtree
	top      []int32 // fronts above the subtrees, in ascending order

	// Update matrices: those of the roots of the subtrees are kept apart, the others are on stacks.
	kept      int64   // numbers of the kept ones
	keptAt    []int64 // where that of a root is, -1 for other fronts
	slot      []int64 // where that of another front is on its stack, from the end of the stack if it is negative
	stacks    int     // stacks that are used at the same time
	stackSize int64   // numbers on a stack for any of the subtrees
	topSize   int64   // numbers on the first stack for the fronts above them
}

// subtree is a range of fronts, the last of which is the root.
type subtree struct {
	first, last int32
	work        float64
}

// A subtree has at most this part of the operations that a thread does, so that threads end at about the same time.
const subtreeShare = 0.25

// minParallelWork are the operations of a factorisation below which one thread is faster than several.
const minParallelWork = 2e6

// newSchedule makes the schedule of a number of threads. With one thread there are no subtrees.
func newSchedule(fronts []front, threads int) schedule {
	c := schedule{keptAt: make([]int64, len(fronts)), slot: make([]int64, len(fronts))}
	work := make([]float64, len(fronts))
	total := 0.0
	for k := range fronts {
		c.keptAt[k] = -1
		work[k] = frontWork(&fronts[k])
		total += work[k]
	}
	if threads > 1 && total >= minParallelWork {
		c.subtrees = cut(fronts, work, subtreeShare*total/float64(threads))
	}
	c.stacks = max(1, min(threads, len(c.subtrees)))
	c.place(fronts)

	// Long subtrees come first.
	slices.SortStableFunc(c.subtrees, func(a, b subtree) int { return cmp.Compare(b.work, a.work) })
	return c
}

// place places all update matrices, when the subtrees are known and in ascending order.
func (c *schedule) place(fronts []front) {
	all := make([]int32, len(fronts))
	for k := range all {
		all[k] = int32(k)
	}
	l := newLayout(fronts)
	next := int32(0)
	for _, t := range c.subtrees {
		c.top = append(c.top, all[next:t.first]...)
		next = t.last + 1
		c.keptAt[t.last] = c.kept
		c.kept += fronts[t.last].updateSize()
		c.stackSize = max(c.stackSize, l.stack(c, all[t.first:next]))
	}

	// The fronts above use the stack of the first worker, when the subtrees are done.
	c.top = append(c.top, all[next:]...)
	c.topSize = l.stack(c, c.top)
}

// sizeOf returns the numbers on the stack of worker w.
func (c *schedule) sizeOf(w int) int64 {
	switch {
	case w == 0:
		return max(c.stackSize, c.topSize)
	case w < c.stacks:
		return c.stackSize
	}
	return 0
}

// stacked returns the numbers on all stacks.
func (c *schedule) stacked() int64 {
	total := int64(0)
	for w := range c.stacks {
		total += c.sizeOf(w)
	}
	return total
}

// frontWork estimates the time of a front, in operations: moving a number takes as long as several operations.
func frontWork(f *front) float64 {
	const move = 8
	return f.flops + move*float64(f.size)*float64(f.size)
}

// updateSize returns the numbers of the update matrix of a front.
func (f *front) updateSize() int64 { return int64(f.below()) * int64(f.below()) }

// cut returns the maximal subtrees with at most so much work, in ascending order. Fronts are in a postorder, so that
// each is a range. It overwrites the work of the fronts by that of their subtrees.
func cut(fronts []front, work []float64, most float64) []subtree {
	size := make([]int32, len(fronts))
	for k := range fronts {
		size[k]++
		if p := fronts[k].parent; p >= 0 {
			work[p] += work[k]
			size[p] += size[k]
		}
	}

	var subtrees []subtree
	for k := range fronts {
		p := fronts[k].parent
		if work[k] <= most && (p < 0 || work[p] > most) {
			subtrees = append(subtrees, subtree{int32(k) - size[k] + 1, int32(k), work[k]})
		}
	}
	return subtrees
}

// layout places update matrices on stacks with two ends. Fronts of even depth use one end and those of odd depth the
// other one: the update matrix of a front is there at the same time as those of its children, which are the last ones
// of the other end.
type layout struct {
	fronts   []front
	depth    []int32 // of each front in the tree
	children []int64 // numbers on the stack for the children of each front
}

func newLayout(fronts []front) *layout {
	l := &layout{fronts: fronts, depth: make([]int32, len(fronts)), children: make([]int64, len(fronts))}
	for k, f := range slices.Backward(fronts) {
		if f.parent >= 0 {
			l.depth[k] = l.depth[f.parent] + 1
		}
	}
	return l
}

// stack places the update matrices of fronts, in ascending order, and returns the size of the stack.
func (l *layout) stack(c *schedule, listed []int32) int64 {
	var top [2]int64
	peak := int64(0)
	for _, k := range listed {
		f := &l.fronts[k]
		size := f.updateSize()
		if c.keptAt[k] >= 0 {
			size = 0
		}
		end := l.depth[k] % 2
		c.slot[k] = top[0]
		if end == 1 {
			c.slot[k] = -top[1] - size
		}

		// The update matrices of the children are used up when that of the front is made.
		top[end] += size
		peak = max(peak, top[0]+top[1])
		top[1-end] -= l.children[k]
		if f.parent >= 0 {
			l.children[f.parent] += size
		}
	}
	return peak
}
