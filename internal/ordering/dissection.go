package ordering

import (
	"math/rand/v2"
	"sync"
)

// leafWeight is the weight of a part that is not dissected any more: minimum degree is as good there. On the graphs of
// bisect, 100 and 400 make 2% more operations.
const leafWeight = 200

// NestedDissection returns a nested dissection ordering (A. George, Nested dissection of a regular finite element mesh,
// SIAM Journal on Numerical Analysis 10 (1973)). Parts and separators are stages of a minimum degree ordering of the
// whole graph, so that a vertex of a part has the degree that the separators give it. Parts are dissected by at most
// about the given number of threads at a time, which does not change the result. It returns nil once stop returns true;
// stop may be nil, is called by all threads, and once true must stay so.
func NestedDissection(g *Graph, threads int, stop func() bool) []int32 {
	if stop == nil {
		stop = func() bool { return false }
	}
	n := g.Order()
	limit := denseDegree(g)
	skip := make([]bool, n)
	for v := range n {
		skip[v] = g.Degree(int32(v)) > limit
	}
	c, to := compress(g, skip)
	all := make([]int32, c.order())
	for v := range all {
		all[v] = int32(v)
	}
	root := dissect(c, all, 1, threads, stop)
	if stop() {
		return nil
	}

	// Dense vertices are in stage 0, from which minimumDegree takes them out.
	stageOf := make([]int32, c.order())
	stages := root.number(stageOf, 1)
	stage := make([]int32, n)
	for v, k := range to {
		if k >= 0 {
			stage[v] = stageOf[k]
		}
	}
	return minimumDegree(g, stage, int(stages), stop)
}

// dissected is a part of a graph: vertices that are eliminated after those of two parts, which may be nil.
type dissected struct {
	parts    [2]*dissected
	vertices []int32
}

// number gives each vertex its stage, those of this part from next on, and returns the stage after them.
func (d *dissected) number(stage []int32, next int32) int32 {
	for _, part := range d.parts {
		if part != nil {
			next = part.number(stage, next)
		}
	}
	for _, v := range d.vertices {
		stage[v] = next
	}
	return next + 1
}

// minParallelOrder is the number of vertices of a part from which another thread is worth its start.
const minParallelOrder = 2000

// dissect dissects a subgraph, whose vertices have the given numbers in the whole graph. The seed depends on the place
// of the subgraph in the recursion alone. Once stop returns true all that is left are leaves.
func dissect(g *weighted, vertices []int32, seed uint64, threads int, stop func() bool) *dissected {
	d := &dissected{vertices: vertices}
	if g.total <= leafWeight || stop() {
		return d
	}

	// A part without a separator of two sides is a leaf.
	side := bisect(g, rand.New(rand.NewPCG(seed, 0)))
	var lists [3][]int32
	for v, s := range side {
		lists[s] = append(lists[s], vertices[v])
	}
	if len(lists[left]) == 0 || len(lists[right]) == 0 {
		return d
	}

	// Both sides in the same way, the first one perhaps by another thread.
	d.vertices = lists[middle]
	at := make([]int32, g.order())
	graphs := [2]*weighted{g.part(side, left, at), g.part(side, right, at)}
	var wait sync.WaitGroup
	for s, part := range graphs {
		run := func() { d.parts[s] = dissect(part, lists[s], 2*seed+uint64(s), (threads+1-s)/2, stop) }
		if s == 0 && threads > 1 && g.order() >= minParallelOrder {
			wait.Go(run)
		} else {
			run()
		}
	}
	wait.Wait()
	return d
}
