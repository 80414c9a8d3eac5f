package ufl

import (
	"fmt"

	"github.com/proxybd/proxybd/families"
)

// featureKind is one of the ways in which a row-wise network sees a client and a point.
type featureKind uint8

const (
	// rawRow is the paper's: the row as it stands, over the mean cost of the instance, then y. 2n inputs, so
	// that a network fits one shape. The dual is scale * out.
	rawRow featureKind = iota
	// sortedRow has the row in ascending order and y permuted alike: 2n inputs that do not depend on the
	// numbering of the facilities.
	sortedRow
	// nearestRow has the K cheapest facilities of the row and y there, and then the mass of y that lies
	// beyond them, min(1, .): 2K+1 inputs for every shape.
	nearestRow
	// supportRow has the K cheapest of the facilities on which y has mass, and the mass up to each, min(1, .), and then
	// the mass beyond: 2K+1 inputs for every shape.
	supportRow
)

var featureNames = [...]string{"raw", "sorted", "nearest", "support"}

// String returns the name that model files and the command line use.
func (k featureKind) String() string {
	if int(k) < len(featureNames) {
		return featureNames[k]
	}
	return "unknown"
}

// parseFeatureKind is the inverse of String.
func parseFeatureKind(name string) (featureKind, error) {
	for k, n := range featureNames {
		if n == name {
			return featureKind(k), nil
		}
	}
	return 0, fmt.Errorf("ufl: %w: unknown features %q (raw, sorted, nearest or support)", families.ErrOptions, name)
}

// features fills the inputs of a network that is applied to the clients one by one, and maps its output back to
// a dual. In sortedRow, nearestRow and supportRow every row has its own affine normalisation (c - low) / span,
// which loses nothing: the recourse of a client is equivariant, pi(a c + b, y) = a pi(c, y) + b. low is the
// cheapest cost of the row, and span the distance from there to the dearest one (sortedRow) or to the K-th
// cheapest (nearestRow, so that the very large cost of a forbidden pair does not squash the rest). supportRow counts
// only the facilities with mass, so that its inputs look alike however many facilities the instance has.
// It is read-only after newFeatures and may be used from several goroutines.
type features struct {
	Kind  featureKind
	K     int     // positions, n for rawRow and sortedRow
	Scale float64 // mean cost of the instance, 1 if all costs are 0

	in   *Instance
	rows *sortedRows
}

// newFeatures returns the features of a valid instance; k is only used by nearestRow and supportRow, and may be
// larger than the number of facilities.
func newFeatures(in *Instance, kind featureKind, k int) (*features, error) {
	f := &features{Kind: kind, K: in.Facilities, Scale: 1, in: in}
	switch kind {
	case rawRow:
	case sortedRow:
		f.rows = in.Sorted()
	case nearestRow, supportRow:
		if k < 1 {
			return nil, fmt.Errorf("ufl: %w: features of the %d nearest facilities", families.ErrOptions, k)
		}
		f.K, f.rows = k, in.Sorted()
	default:
		return nil, fmt.Errorf("ufl: %w: feature kind %d", families.ErrOptions, kind)
	}
	mean := 0.0
	for _, c := range in.Cost {
		mean += c / float64(len(in.Cost))
	}
	if mean > 0 {
		f.Scale = mean
	}
	return f, nil
}

// Size returns the number of inputs.
func (f *features) Size() int {
	if f.Kind == nearestRow || f.Kind == supportRow {
		return 2*f.K + 1
	}
	return 2 * f.K
}

// affine is the affine map from an output of the network to a dual. Any output is fine: Certifier.Project follows.
type affine struct{ Low, Span float64 }

// raiseDual returns low + span out.
func (a affine) Dual(out float64) float64 { return a.Low + a.Span*out }

// FillRow writes the inputs of client i at the point y into dst, whose length must be Size: costs first, then
// what y has there. Positions that the row does not fill have cost 1 and no mass of their own. It returns what the
// output stands for.
func (f *features) FillRow(dst []float64, i int, y []float64) affine {
	var s support
	s.set(y)
	return f.fill(dst, i, y, &s)
}

// fill is FillRow for a point whose support is s.
func (f *features) fill(dst []float64, i int, y []float64, s *support) affine {
	if f.Kind == supportRow {
		return f.fillAt(dst, i, s)
	}
	k := f.K
	costs, mass := dst[:k], dst[k:2*k]
	switch f.Kind {
	case rawRow:
		for j, c := range f.in.Row(i) {
			costs[j] = c / f.Scale
		}
		copy(mass, y)
	case sortedRow:
		f.fillSorted(costs, mass, i, y)
	case nearestRow:
		f.fillSorted(costs, mass, i, y)
		dst[2*k] = min(1, f.massBeyond(i, k, y))
	}
	return f.normal(i)
}

// FillMass writes the inputs of FillRow that depend on y: its last Size - K ones. It is not for supportRow,
// where all of them do.
func (f *features) FillMass(dst []float64, i int, y []float64) {
	if f.Kind == rawRow {
		copy(dst, y)
		return
	}
	order, _ := f.rows.Row(i)
	n := min(f.K, len(order))
	for t, j := range order[:n] {
		dst[t] = y[j]
	}
	clear(dst[n:])
	if f.Kind == nearestRow {
		dst[f.K] = min(1, f.massBeyond(i, f.K, y))
	}
}

// normal returns the map of client i where it does not depend on y; the span of a constant row is the mean cost.
func (f *features) normal(i int) affine {
	if f.Kind == rawRow {
		return affine{0, f.Scale}
	}
	_, cost := f.rows.Row(i)
	return f.span(cost[0], cost[min(f.K, len(cost))-1], cost[len(cost)-1])
}

// span returns the map to the interval from low to the first of two ends that is above it.
func (f *features) span(low, high, dearest float64) affine {
	switch {
	case high > low:
		return affine{low, high - low}
	case dearest > low:
		return affine{low, dearest - low}
	}
	return affine{low, f.Scale}
}

func (f *features) fillSorted(costs, mass []float64, i int, y []float64) {
	normal := f.normal(i)
	order, cost := f.rows.Row(i)
	for t := range costs {
		if t < len(cost) {
			costs[t], mass[t] = (cost[t]-normal.Low)/normal.Span, y[order[t]]
		} else {
			costs[t], mass[t] = 1, 0
		}
	}
}

// massBeyond sums y over the sorted row from position k on.
func (f *features) massBeyond(i, k int, y []float64) float64 {
	order, _ := f.rows.Row(i)
	sum := 0.0
	for _, j := range order[min(k, len(order)):] {
		sum += y[j]
	}
	return sum
}

// support is the facilities with mass at a point, ascending, and their masses.
type support struct {
	facility []int32
	mass     []float64
}

// set reads a point.
func (s *support) set(y []float64) {
	s.facility, s.mass = s.facility[:0], s.mass[:0]
	for j, w := range y {
		if w > massTolerance {
			s.facility, s.mass = append(s.facility, int32(j)), append(s.mass, w)
		}
	}
}

// fillAt is FillRow of supportRow at the point that s holds. An insertion of the few facilities with mass into the K
// best is several times as fast as a walk along the sorted row, most of whose facilities have none.
func (f *features) fillAt(dst []float64, i int, s *support) affine {
	k := f.K
	costs, mass := dst[:k], dst[k:2*k]
	row := f.in.Row(i)
	_, sorted := f.rows.Row(i)
	filled, beyond := 0, 0.0
	for t, j := range s.facility {
		c, w := row[j], s.mass[t]
		at := filled
		if filled == k {
			if c >= costs[k-1] {
				beyond += w
				continue
			}
			at--
			beyond += mass[at]
		} else {
			filled++
		}
		for ; at > 0 && costs[at-1] > c; at-- {
			costs[at], mass[at] = costs[at-1], mass[at-1]
		}
		costs[at], mass[at] = c, w
	}
	if filled == 0 {
		costs[0], mass[0], filled = sorted[0], 0, 1
	}
	dst[2*k] = min(1, beyond)
	normal := f.span(costs[0], costs[filled-1], sorted[len(sorted)-1])
	sum := 0.0
	for t := range filled {
		sum += mass[t]
		costs[t], mass[t] = (costs[t]-normal.Low)/normal.Span, min(1, sum)
	}
	for t := filled; t < k; t++ {
		costs[t], mass[t] = 1, mass[filled-1]
	}
	return normal
}
