package sketch

import "math"

// Graph places the n nodes of a graph so that their distances are near to the numbers of arcs between them, whatever
// the direction: by stress majorization (Gansner, Koren and North 2005) from a circle, with weights of 1/d^2. Parts
// that no arc joins lie beside each other. It takes n^2 time a step.
func Graph(n int, tail, head []int32) [][2]float64 {
	at := make([][2]float64, n)
	for v := range at {
		turn := 2 * math.Pi * float64(v) / float64(n)
		at[v] = [2]float64{math.Cos(turn) * math.Sqrt(float64(n)), math.Sin(turn) * math.Sqrt(float64(n))}
	}
	distance := hops(n, tail, head)
	next := make([][2]float64, n)
	for range 200 {
		for v := range at {
			next[v] = pulled(at, v, func(w int) float64 { return distance[v*n+w] })
		}
		at, next = next, at
	}
	return at
}

// pulled returns where a node goes in one step of majorization: the mean of where the others want it, at the wanted
// distance from each on the line to where it is.
func pulled(at [][2]float64, v int, distance func(w int) float64) [2]float64 {
	var sum [2]float64
	total := 0.0
	for w, p := range at {
		d := distance(w)
		if w == v || !(d > 0) {
			continue
		}
		dx, dy := at[v][0]-p[0], at[v][1]-p[1]
		length := math.Hypot(dx, dy)
		if length < 1e-9 { // apart in some direction, the same in every run
			dx, dy, length = math.Cos(float64(v+1)), math.Sin(float64(v+1)), 1
		}
		weight := 1 / (d * d)
		sum[0] += weight * (p[0] + d*dx/length)
		sum[1] += weight * (p[1] + d*dy/length)
		total += weight
	}
	if total == 0 {
		return at[v]
	}
	return [2]float64{sum[0] / total, sum[1] / total}
}

// hops returns the numbers of arcs between the nodes, n x n, by breadth-first search; between parts that no arc joins
// one more than the longest within one.
func hops(n int, tail, head []int32) []float64 {
	near := make([][]int32, n)
	for j, v := range tail {
		near[v], near[head[j]] = append(near[v], head[j]), append(near[head[j]], v)
	}
	distance := make([]float64, n*n)
	longest := 0.0
	for v := range n {
		row := distance[v*n : (v+1)*n]
		for w := range row {
			row[w] = math.Inf(1)
		}
		row[v] = 0
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
	for k, d := range distance {
		if math.IsInf(d, 1) {
			distance[k] = longest + 1
		}
	}
	return distance
}
