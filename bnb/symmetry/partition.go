package symmetry

import (
	"cmp"
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/sparse"
	"github.com/proxybd/proxybd/internal/splitmix"
)

// graph is the bipartite graph of a matrix: vertices 0 to n-1 are the columns, the rows follow.
type graph struct {
	byCol, byRow *sparse.Matrix
	n, vertices  int
}

// newGraph is the graph of a model.
func newGraph(m *Model) *graph {
	n := len(m.Cost)
	return &graph{byCol: m.ByCol, byRow: m.ByRow, n: n, vertices: n + len(m.RowLower)}
}

// neighbours returns the other ends of the edges of vertex v, offset by first, and the coefficients on them.
func (g *graph) neighbours(v int32) (index []int32, value []float64, first int32) {
	if int(v) < g.n {
		index, value = g.byCol.Vec(int(v))
		return index, value, int32(g.n)
	}
	index, value = g.byRow.Vec(int(v) - g.n)
	return index, value, 0
}

// partition is an ordered partition of the vertices into cells. A cell is named by the position of its first member;
// splitting a cell leaves its name to the part in front. Splits can be undone in reverse order.
type partition struct {
	g       *graph
	members []int32 // the vertices, cell by cell
	place   []int32 // of each vertex in members
	cell    []int32 // of each vertex
	size    []int32 // by name of the cell

	splits  []split
	queue   []int32 // cells whose edges may split others
	waiting []bool  // by name: in the queue
	work    int     // edges visited

	// Scratch of refine.
	sum     []uint64 // by vertex: of the hashes of its edges to the splitting cell
	reached []int32  // vertices with a sum
	touched []int32  // cells with such vertices
	count   []int32  // by name: the number of such vertices
}

// split is a step of a refinement: the members of cell from its place on have become the cell made.
type split struct{ cell, made int32 }

// newPartition has the classes of vertices with equal keys as cells, in the order of the keys, and is not refined.
func newPartition(g *graph, key []uint64) *partition {
	p := &partition{
		g:       g,
		members: make([]int32, g.vertices),
		place:   make([]int32, g.vertices),
		cell:    make([]int32, g.vertices),
		size:    make([]int32, g.vertices),
		waiting: make([]bool, g.vertices),
		sum:     make([]uint64, g.vertices),
		count:   make([]int32, g.vertices),
	}
	for v := range p.members {
		p.members[v] = int32(v)
	}
	slices.SortStableFunc(p.members, func(a, b int32) int { return cmp.Compare(key[a], key[b]) })

	// Each run of equal keys is a cell, and all cells may split others.
	start := int32(0)
	for k, v := range p.members {
		if k > 0 && key[v] != key[p.members[k-1]] {
			start = int32(k)
		}
		p.place[v] = int32(k)
		p.cell[v] = start
		p.size[start]++
		p.await(start)
	}
	return p
}

// clone returns a refined partition with the same cells.
func (p *partition) clone() *partition {
	c := *p
	c.members = slices.Clone(p.members)
	c.place = slices.Clone(p.place)
	c.cell = slices.Clone(p.cell)
	c.size = slices.Clone(p.size)
	c.splits = slices.Clone(p.splits)
	c.queue = nil
	c.waiting = make([]bool, p.g.vertices)
	c.sum = make([]uint64, p.g.vertices)
	c.count = make([]int32, p.g.vertices)
	c.reached = nil
	c.touched = nil
	return &c
}

// of returns the members of a cell.
func (p *partition) of(cell int32) []int32 { return p.members[cell : cell+p.size[cell]] }

// await queues a cell.
func (p *partition) await(cell int32) {
	if !p.waiting[cell] {
		p.waiting[cell] = true
		p.queue = append(p.queue, cell)
	}
}

// individualise puts vertex v into a cell of its own behind the rest of its cell, which has other members.
func (p *partition) individualise(v int32) {
	cell := p.cell[v]
	last := cell + p.size[cell] - 1
	p.swap(p.place[v], last)
	p.cut(cell, last)
	p.await(last)
}

// swap exchanges the vertices at two places.
func (p *partition) swap(a, b int32) {
	u, v := p.members[a], p.members[b]
	p.members[a] = v
	p.place[v] = a
	p.members[b] = u
	p.place[u] = b
}

// cut makes the members of a cell from a place on a cell of their own.
func (p *partition) cut(cell, made int32) {
	end := cell + p.size[cell]
	p.size[cell] = made - cell
	p.size[made] = end - made
	for _, v := range p.members[made:end] {
		p.cell[v] = made
	}
	p.splits = append(p.splits, split{cell, made})
}

// undo merges the cells again that were split after the first mark splits.
func (p *partition) undo(mark int) {
	for k := len(p.splits) - 1; k >= mark; k-- {
		s := p.splits[k]
		for _, v := range p.of(s.made) {
			p.cell[v] = s.cell
		}
		p.size[s.cell] += p.size[s.made]
		p.size[s.made] = 0
	}
	p.splits = p.splits[:mark]
}

// refine splits cells until all members of a cell have equal edges to every cell, and calls emit with numbers that are
// equal for two partitions if an automorphism maps one to the other. It stops, and returns false, where emit does so.
func (p *partition) refine(emit func(uint64) bool) bool {
	for k := 0; k < len(p.queue); k++ {
		cell := p.queue[k]
		p.waiting[cell] = false
		p.reach(cell)
		ok := p.splitTouched(emit)
		p.clearSums()
		if !ok {
			p.clearQueue(k + 1)
			return false
		}
	}
	p.clearQueue(len(p.queue))
	return true
}

// clearQueue empties the queue, whose cells from a place on still wait.
func (p *partition) clearQueue(from int) {
	for _, cell := range p.queue[from:] {
		p.waiting[cell] = false
	}
	p.queue = p.queue[:0]
}

// reach sums the hashes of the edges from a cell at their other ends. Sums do not depend on the order of the edges.
func (p *partition) reach(cell int32) {
	for _, v := range p.of(cell) {
		index, value, first := p.g.neighbours(v)
		p.work += len(index) + 1
		for k, i := range index {
			if value[k] == 0 {
				continue
			}
			u := first + i

			// A sum of zero stands for no edge, since the hashes are never zero but by chance.
			if p.sum[u] == 0 {
				p.reached = append(p.reached, u)
				if p.count[p.cell[u]] == 0 {
					p.touched = append(p.touched, p.cell[u])
				}
				p.count[p.cell[u]]++
			}
			p.sum[u] += splitmix.Mix(math.Float64bits(value[k]))
		}
	}
}

// clearSums clears the scratch of reach.
func (p *partition) clearSums() {
	for _, u := range p.reached {
		p.sum[u] = 0
	}
	for _, cell := range p.touched {
		p.count[cell] = 0
	}
	p.reached = p.reached[:0]
	p.touched = p.touched[:0]
}

// splitTouched splits the cells with reached vertices by their sums.
func (p *partition) splitTouched(emit func(uint64) bool) bool {
	// The reached members of each cell move to its end.
	for _, u := range p.reached {
		cell := p.cell[u]
		p.swap(p.place[u], cell+p.size[cell]-p.count[cell])
		p.count[cell]--
	}
	slices.Sort(p.touched)
	for _, cell := range p.touched {
		if !p.splitCell(cell, emit) {
			return false
		}
	}
	return true
}

// splitCell splits a cell whose members with a sum are at its end.
func (p *partition) splitCell(cell int32, emit func(uint64) bool) bool {
	all := p.of(cell)
	from := len(all)
	for from > 0 && p.sum[all[from-1]] != 0 {
		from--
	}
	reached := all[from:]
	p.work += len(reached)
	if len(all) == 1 {
		return emit(p.sum[all[0]])
	}
	slices.SortFunc(reached, func(a, b int32) int { return cmp.Compare(p.sum[a], p.sum[b]) })
	for k, v := range reached {
		p.place[v] = cell + int32(from+k)
	}

	// The places at which the sum changes are those of the cells that are made.
	begin := cell
	largest := begin
	wasWaiting := p.waiting[cell]
	for k, v := range reached {
		place := cell + int32(from+k)
		first := k == 0 || p.sum[v] != p.sum[reached[k-1]]
		if !first {
			continue
		}
		if !emit(splitmix.Mix(uint64(place)) ^ p.sum[v]) {
			return false
		}
		if place == cell {
			continue
		}
		p.cut(begin, place)
		if p.size[begin] > p.size[largest] {
			largest = begin
		}
		begin = place
	}
	if p.size[begin] > p.size[largest] {
		largest = begin
	}
	p.awaitParts(cell, int32(len(all)), largest, wasWaiting)
	return true
}

// awaitParts queues the parts of a cell of the given size: all but the largest one, unless the cell itself has waited.
func (p *partition) awaitParts(cell, size, largest int32, wasWaiting bool) {
	if p.size[cell] == size {
		return
	}
	for part := cell; part < cell+size; part += p.size[part] {
		if wasWaiting || part != largest {
			p.await(part)
		}
	}
}
