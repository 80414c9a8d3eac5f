package sketch

import (
	"math"
	"slices"
)

// Facilities places n facilities and, after them, m clients, given only costs. By the triangle inequality the distance
// of two facilities is at least the difference and at most the sum of their costs for every client; the estimate is the
// middle of this interval, and the facilities are placed by classical scaling (Torgerson 1952). A client is then placed
// by majorization at the point whose distances to the facilities are nearest to its costs, with large weights for near
// facilities. Costs of more than ten times the median are cut to that, since they mean forbidden pairs.
func Facilities(n, m int, cost func(client, facility int) float64) [][2]float64 {
	// The unit makes all costs at most one. The negation covers instances in which everything is free.
	unit := 10 * median(n, m, cost)
	if !(unit > 0) {
		unit = 1
	}
	given := cost
	cost = func(i, j int) float64 { return min(given(i, j)/unit, 1) }

	// The facilities come first, since the clients are placed relative to them.
	at := make([][2]float64, n+m)
	copy(at, scaled(n, between(n, m, cost)))
	for i := range m {
		at[n+i] = client(at[:n], func(j int) float64 { return cost(i, j) })
	}
	return at
}

// median returns that of at most about ten thousand of the costs.
func median(n, m int, cost func(client, facility int) float64) float64 {
	var list []float64
	// A regular sample is the same in every run.
	for k := 0; k < n*m; k += 1 + n*m/10000 {
		list = append(list, cost(k/n, k%n))
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// between estimates the distances of the facilities, n x n, from at most maxWitness clients spread over all.
func between(n, m int, cost func(client, facility int) float64) []float64 {
	const maxWitness = 400
	// The clients are taken at equal steps.
	step := (m + maxWitness - 1) / maxWitness
	low := make([]float64, n*n)
	high := slices.Repeat([]float64{math.Inf(1)}, n*n)

	// Every client bounds the distances from both sides.
	row := make([]float64, n)
	for i := 0; i < m; i += step {
		for j := range row {
			row[j] = cost(i, j)
		}
		for j, a := range row {
			for k, b := range row[:j] {
				low[j*n+k] = max(low[j*n+k], math.Abs(a-b))
				high[j*n+k] = min(high[j*n+k], a+b)
			}
		}
	}

	// The estimate is the middle of the two bounds, the same in both directions.
	for j := range n {
		for k := range j {
			d := (low[j*n+k] + high[j*n+k]) / 2
			low[j*n+k] = d
			low[k*n+j] = d
		}
	}
	return low
}

// scaled places points by their distances, n x n: the two leading eigenvectors of the doubly centred squares, by
// subspace iteration.
func scaled(n int, distance []float64) [][2]float64 {
	// Double centring: b = -J D2 J / 2 with the squared distances D2 and J = I - 11'/n.
	b := make([]float64, n*n)
	mean := make([]float64, n)
	all := 0.0
	// The means of the row and of the column are subtracted, and the mean of all is added; the matrix is symmetric.
	for k, d := range distance {
		b[k] = -d * d / 2
		mean[k/n] += b[k] / float64(n)
	}
	for _, v := range mean {
		all += v / float64(n)
	}
	for k := range b {
		b[k] += all - mean[k/n] - mean[k%n]
	}

	// The shift, from Gershgorin's bound, makes the largest eigenvalues the largest in absolute value.
	shift := 0.0
	for j := range n {
		sum := 0.0
		for _, v := range b[j*n : (j+1)*n] {
			sum += math.Abs(v)
		}
		shift = max(shift, sum)
	}

	// The start vectors are arbitrary, but the same in every run.
	axis := [2][]float64{make([]float64, n), make([]float64, n)}
	for j := range n {
		axis[0][j] = math.Cos(float64(j + 1))
		axis[1][j] = math.Sin(1.7 * float64(j+1))
	}
	var value [2]float64
	// The number of steps is enough for a picture, in which small errors do not show.
	for range 300 {
		for a := range axis {
			axis[a], value[a] = times(b, axis[a], shift/4)
			// The second axis stays orthogonal to the first one.
			if a == 1 {
				remove(axis[1], axis[0])
			}
			normalise(axis[a])
		}
	}

	at := make([][2]float64, n)
	for a := range axis {
		// A coordinate is the eigenvector times the root of its eigenvalue; a negative one has no direction to show.
		root := math.Sqrt(max(value[a], 0))
		for j, v := range axis[a] {
			at[j][a] = root * v
		}
	}
	return at
}

// times returns (b + shift I) x, and the Rayleigh quotient of b at x, which has length one.
func times(b, x []float64, shift float64) (y []float64, quotient float64) {
	n := len(x)
	y = make([]float64, n)
	for j := range y {
		for k, v := range b[j*n : (j+1)*n] {
			y[j] += v * x[k]
		}

		// The quotient is that of b alone, before the shift is added.
		quotient += x[j] * y[j]
		y[j] += shift * x[j]
	}
	return y, quotient
}

// remove subtracts from x its projection on a unit vector.
func remove(x, unit []float64) {
	// The projection is the scalar product times the unit vector.
	dot := 0.0
	for j, v := range unit {
		dot += v * x[j]
	}
	for j, v := range unit {
		x[j] -= dot * v
	}
}

// normalise gives x the length one, unless it is zero.
func normalise(x []float64) {
	// The length is the root of the sum of squares.
	size := 0.0
	for _, v := range x {
		size += v * v
	}
	if size = math.Sqrt(size); size > 0 {
		for j := range x {
			x[j] /= size
		}
	}
}

// client returns the place of a client, by majorization from a point near its nearest facilities. Costs are at most
// one.
func client(facility [][2]float64, cost func(j int) float64) [2]float64 {
	const floor = 1e-3 // the least distance
	// The start is a weighted mean of the facilities, in which near ones count most.
	var start [2]float64
	total := 0.0
	for j, p := range facility {
		w := math.Pow(max(cost(j), floor), -4)
		start[0] += w * p[0]
		start[1] += w * p[1]
		total += w
	}

	// The client is the first of the points, and the facilities do not move.
	at := append([][2]float64{{start[0] / total, start[1] / total}}, facility...)
	for range 60 {
		at[0] = pulled(at, 0, func(w int) float64 {
			if w == 0 {
				// The distance of the client to itself has no meaning.
				return 0
			}
			return max(cost(w-1), floor)
		})
	}
	return at[0]
}
