package mcndp

import "math"

// distances are shortest path lengths between all pairs of nodes, and the arcs that shortest paths begin with. Networks
// here have few nodes, so Floyd's algorithm is quick.
type distances struct {
	in    *Instance
	size  int       // the number of nodes
	dist  []float64 // from v to w at v*size+w
	first []int32   // arc out of v on a shortest path to w, -1 for none
}

// newDistances returns memory for the shortest paths of an instance; compute fills it.
func newDistances(in *Instance) *distances {
	v := in.Nodes
	return &distances{in: in, size: v, dist: make([]float64, v*v), first: make([]int32, v*v)}
}

// compute takes nonnegative lengths, one an arc; an arc of infinite length is none.
func (d *distances) compute(length []float64) {
	n := d.size

	// Paths of no arc or one. Of parallel arcs the shortest counts.
	for k := range d.dist {
		d.dist[k] = math.Inf(1)
		d.first[k] = -1
	}
	for v := range n {
		d.dist[v*n+v] = 0
	}
	for j, l := range length {
		// An arc of infinite length is no shorter than no path, and stays out.
		if at := int(d.in.Tail[j])*n + int(d.in.Head[j]); l < d.dist[at] {
			d.dist[at] = l
			d.first[at] = int32(j)
		}
	}

	// Floyd's algorithm: paths by way of node k.
	for k := range n {
		via := d.dist[k*n:][:n]
		for v := range n {
			to := d.dist[v*n+k]
			if v == k || math.IsInf(to, 1) {
				continue
			}

			// A path by way of k begins as the path to k does.
			row := d.dist[v*n:][:n]
			first := d.first[v*n:][:n]
			arc := first[k]
			for w, l := range via {
				if to+l < row[w] {
					row[w] = to + l
					first[w] = arc
				}
			}
		}
	}
}

// insert adds arc j with a length to the shortest paths.
func (d *distances) insert(j int32, length float64) {
	n := d.size
	tail := int(d.in.Tail[j])
	head := int(d.in.Head[j])
	from := d.dist[head*n:][:n]
	for v := range n {
		// No path out of v gets shorter unless that to the head of the arc does.
		to := d.dist[v*n+tail] + length
		if !(to < d.dist[v*n+head]) {
			continue
		}

		// The paths by way of the arc begin with it, or as the path to its tail.
		first := j
		if v != tail {
			first = d.first[v*n+tail]
		}
		row := d.dist[v*n:][:n]
		for w, l := range from {
			if to+l < row[w] {
				row[w] = to + l
				d.first[v*n+w] = first
			}
		}
	}
}

// between returns the length of a shortest path, +Inf where there is none.
func (d *distances) between(v, w int32) float64 { return d.dist[int(v)*d.size+int(w)] }

// walk visits the arcs of a shortest path from v to w, and reports whether there is one.
func (d *distances) walk(v, w int32, visit func(j int32)) bool {
	for v != w {
		j := d.next(v, w)
		if j < 0 {
			return false
		}
		visit(j)
		v = d.in.Head[j]
	}
	return true
}

// next returns the arc out of v with which a shortest path to w begins, -1 where there is none.
func (d *distances) next(v, w int32) int32 { return d.first[int(v)*d.size+int(w)] }
