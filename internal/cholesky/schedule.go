package cholesky

import (
	"cmp"
	"slices"
)

// schedule cuts the tree of fronts into subtrees, which are independent of each other, and the fronts above them. The
// subtrees run at the same time, each on a stack of update matrices of its own; the fronts above follow one by one,
// each with several threads. What a front computes does not depend on the schedule.
type schedule struct {
	subtrees  []subtree
	top       []int32 // fronts above the subtrees, in ascending order
	kept      int64   // numbers of the update matrices of the roots of the subtrees
	keptAt    []int64 // where the update matrix of a root is kept, -1 for other fronts
	slot      []int64 // where the update matrix of a front is on its stack, from the end of the stack if it is negative
	stacks    int     // stacks that are used at the same time
	stackSize int64   // numbers on each of them

	depth     []int32 // of each front in the tree
	childSize []int64 // numbers on the stack of the update matrices of the children of a front
}

// subtree is a range of fronts, the last of which is the root.
type subtree struct {
	first, last int32
	flops       float64
}

// A subtree has at most this part of the operations that a thread does, so that threads end at about the same time.
const subtreeShare = 0.25

// minParallelFlops are the operations of a factorisation below which one thread is faster than several.
const minParallelFlops = 2e6

func newSchedule(fronts []front, threads int) schedule {
	c := schedule{
		keptAt:    make([]int64, len(fronts)),
		slot:      make([]int64, len(fronts)),
		depth:     make([]int32, len(fronts)),
		childSize: make([]int64, len(fronts)),
	}
	for k := len(fronts) - 1; k >= 0; k-- {
		if p := fronts[k].parent; p >= 0 {
			c.depth[k] = c.depth[p] + 1
		}
	}
	for k := range c.keptAt {
		c.keptAt[k] = -1
	}

	total := 0.0
	for k := range fronts {
		total += frontWork(&fronts[k])
	}
	if threads > 1 && total >= minParallelFlops {
		c.cut(fronts, subtreeShare*total/float64(threads))
	}

	// The fronts above the subtrees use the stack of the first worker, when the subtrees are done.
	all := make([]int32, len(fronts))
	for k := range all {
		all[k] = int32(k)
	}
	next := int32(0)
	for _, t := range c.subtrees {
		c.top = append(c.top, all[next:t.first]...)
		next = t.last + 1
		c.keptAt[t.last] = c.kept
		c.kept += fronts[t.last].updateSize()
		c.stackSize = max(c.stackSize, c.layOut(fronts, all[t.first:next]))
	}
	c.top = append(c.top, all[next:]...)
	c.stackSize = max(c.stackSize, c.layOut(fronts, c.top))
	c.stacks = max(1, min(threads, len(c.subtrees)))

	// Long subtrees come first.
	slices.SortStableFunc(c.subtrees, func(a, b subtree) int { return cmp.Compare(b.flops, a.flops) })
	return c
}

// frontWork estimates the time of a front, in operations: moving a number takes as long as several operations.
func frontWork(f *front) float64 {
	const move = 8
	return f.flops + move*float64(f.size)*float64(f.size)
}

// updateSize returns the numbers of the update matrix of a front.
func (f *front) updateSize() int64 { return int64(f.below()) * int64(f.below()) }

// cut finds the maximal subtrees with at most so much work. Fronts are in a postorder, so that each is a range.
func (c *schedule) cut(fronts []front, most float64) {
	work := make([]float64, len(fronts))
	size := make([]int32, len(fronts))
	for k := range fronts {
		work[k] += frontWork(&fronts[k])
		size[k]++
		if p := fronts[k].parent; p >= 0 {
			work[p] += work[k]
			size[p] += size[k]
		}
	}
	for k := range fronts {
		p := fronts[k].parent
		if work[k] <= most && (p < 0 || work[p] > most) {
			c.subtrees = append(c.subtrees, subtree{int32(k) - size[k] + 1, int32(k), work[k]})
		}
	}
}

// layOut places the update matrices of the fronts, in ascending order, on a stack with two ends, and returns its size.
// Fronts of even depth use one end and those of odd depth the other one: the update matrix of a front is there at the
// same time as those of its children, which are the last ones of the other end.
func (c *schedule) layOut(fronts []front, listed []int32) int64 {
	var top [2]int64
	peak := int64(0)
	for _, k := range listed {
		f := &fronts[k]
		end := c.depth[k] % 2
		size := f.updateSize()
		if c.keptAt[k] >= 0 {
			size = 0
		}
		c.slot[k] = top[0]
		if end == 1 {
			c.slot[k] = -top[1] - size
		}
		top[end] += size
		peak = max(peak, top[0]+top[1])
		top[1-end] -= c.childSize[k]
		if f.parent >= 0 {
			c.childSize[f.parent] += size
		}
	}
	return peak
}
