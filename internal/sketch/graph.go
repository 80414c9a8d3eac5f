package sketch

import (
	"math"
	"slices"
)

// Graph places the n nodes of a graph so that their distances are near to the numbers of arcs between them, whatever
// the direction: by stress majorization (Gansner, Koren and North 2005) from a circle, with weights of 1/d^2.
// Components that no arc joins are next to each other. It takes n^2 time a step.
func Graph(n int, tail, head []int32) [][2]float64 {
	at := make([][2]float64, n)
	for v := range at {
		// The circle has a radius of the order of the distances to come.
		turn := 2 * math.Pi * float64(v) / float64(n)
		at[v] = [2]float64{math.Cos(turn) * math.Sqrt(float64(n)), math.Sin(turn) * math.Sqrt(float64(n))}
	}
	distance := hops(n, tail, head)
	next := make([][2]float64, n)
	for range 200 {
		// All nodes move at the same time, from the places of the last step.
		for v := range at {
			next[v] = pulled(at, v, func(w int) float64 { return distance[v*n+w] })
		}
		at, next = next, at
	}
	return at
}

// pulled returns the place of a node after one step of majorization: the weighted mean, over the other nodes, of the
// point at the given distance from the other node on the line to the present place.
func pulled(at [][2]float64, v int, distance func(w int) float64) [2]float64 {
	var sum [2]float64
	total := 0.0
	for w, p := range at {
		d := distance(w)
		// The node itself and nodes at distance zero do not pull.
		if w == v || !(d > 0) {
			continue
		}

		// Two nodes at the same place move apart in a direction that is the same in every run.
		dx := at[v][0] - p[0]
		dy := at[v][1] - p[1]
		length := math.Hypot(dx, dy)
		if length < 1e-9 {
			dx = math.Cos(float64(v + 1))
			dy = math.Sin(float64(v + 1))
			length = 1
		}

		// The weight of a distance is one over its square, so that relative errors count.
		weight := 1 / (d * d)
		sum[0] += weight * (p[0] + d*dx/length)
		sum[1] += weight * (p[1] + d*dy/length)
		total += weight
	}

	// A node that nothing pulls stays where it is.
	if total == 0 {
		return at[v]
	}
	return [2]float64{sum[0] / total, sum[1] / total}
}

// hops returns the numbers of arcs between the nodes, n x n, by breadth-first search; between components that no arc
// joins it is one more than the longest distance within a component.
func hops(n int, tail, head []int32) []float64 {
	// The direction of an arc does not matter here.
	near := make([][]int32, n)
	for j, v := range tail {
		w := head[j]
		near[v] = append(near[v], w)
		near[w] = append(near[w], v)
	}

	distance := slices.Repeat([]float64{math.Inf(1)}, n*n)
	longest := 0.0
	for v := range n {
		row := distance[v*n : (v+1)*n]
		row[v] = 0
		// Nodes come into the queue in the order of their distance from v.
		for queue := []int32{int32(v)}; len(queue) > 0; queue = queue[1:] {
			for _, w := range near[queue[0]] {
				if math.IsInf(row[w], 1) {
					row[w] = row[queue[0]] + 1
					longest = max(longest, row[w])
					queue = append(queue, w)
				}
			}
		}
	}

	// Nodes that the search has not reached are in another component.
	for k, d := range distance {
		if math.IsInf(d, 1) {
			distance[k] = longest + 1
		}
	}
	return distance
}
