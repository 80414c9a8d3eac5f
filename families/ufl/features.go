package ufl

import (
	"fmt"
	"slices"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/location"
)

// featureKind is one of the encodings of a client and a point as the inputs of a row-wise network.
type featureKind uint8

const (
	// rawRow is the paper's encoding: the row divided by the mean cost of the instance, then y. 2n inputs, so that a
	// network fits one shape. The dual is scale * out.
	rawRow featureKind = iota
	// supportRow has the K cheapest of the facilities on which y has mass, and the mass up to each, min(1, .), and then
	// the mass beyond: 2K+1 inputs for every shape.
	supportRow
)

// featureNames are the names of the encodings in model files and on the command line.
var featureNames = [...]string{"raw", "support"}

// String returns the name that model files and the command line use.
func (k featureKind) String() string {
	if int(k) < len(featureNames) {
		return featureNames[k]
	}
	return "unknown"
}

// parseFeatureKind is the inverse of String.
func parseFeatureKind(name string) (featureKind, error) {
	k := slices.Index(featureNames[:], name)
	if k < 0 {
		return 0, fmt.Errorf("ufl: %w: unknown features %q (raw or support)", families.ErrOptions, name)
	}
	return featureKind(k), nil
}

// features fills the inputs of a network that is applied to the clients one by one, and maps its output back to
// a dual. In supportRow every row has its own affine normalisation (c - low) / span, which loses nothing: the recourse
// of a client is equivariant, pi(a c + b, y) = a pi(c, y) + b. low is the lowest and low + span the highest cost among
// the inputs: only facilities with mass count, so that the inputs of instances of all sizes are alike, and the very
// large cost of a forbidden pair does not press the others together.
// It is read-only after newFeatures and may be used from several goroutines.
type features struct {
	Kind  featureKind
	K     int     // positions, n for rawRow
	Scale float64 // mean cost of the instance, 1 if all costs are 0

	in   *Instance
	rows *location.Ranking // of supportRow
}

// newFeatures returns the features of a valid instance; k is only used by supportRow, and may be larger than the number
// of facilities.
func newFeatures(in *Instance, kind featureKind, k int) (*features, error) {
	f := &features{Kind: kind, K: in.Facilities, Scale: 1, in: in}
	if kind == supportRow {
		if k < 1 {
			return nil, fmt.Errorf("ufl: %w: features of the %d nearest facilities", families.ErrOptions, k)
		}
		f.K = k
		f.rows = in.Ranked()
	}

	// The mean of the quotients does not overflow where the sum of the costs would.
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
	if f.Kind == supportRow {
		return 2*f.K + 1
	}
	return 2 * f.K
}

// affine is the affine map from an output of the network to a dual. Any output is fine: certifier.Project follows.
type affine struct{ Low, Span float64 }

// Dual returns low + span out.
func (a affine) Dual(out float64) float64 { return a.Low + a.Span*out }

// FillRow writes the inputs of client i at the point y into dst, whose length must be Size: costs first, then the
// masses of y. Positions that the row does not fill have cost 1 and no mass of their own. It returns the map from the
// output to the dual.
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
	for j, c := range f.in.Row(i) {
		dst[j] = c / f.Scale
	}
	copy(dst[f.K:], y)
	return affine{0, f.Scale}
}

// span returns the map to the interval from low to the first of two ends that is above it; the mean cost where none is.
func (f *features) span(low, high, highest float64) affine {
	switch {
	case high > low:
		return affine{low, high - low}
	case highest > low:
		return affine{low, highest - low}
	}
	return affine{low, f.Scale}
}

// support is the facilities with mass at a point, ascending, and their masses.
type support struct {
	facility []int32
	mass     []float64
}

// set reads a point.
func (s *support) set(y []float64) {
	s.facility = s.facility[:0]
	s.mass = s.mass[:0]
	for j, w := range y {
		if w > massTolerance {
			s.facility = append(s.facility, int32(j))
			s.mass = append(s.mass, w)
		}
	}
}

// fillAt is FillRow of supportRow at the point whose support is s. Inserting the few facilities with mass into the K
// cheapest is several times as fast as going through the sorted row, where most facilities have no mass.
func (f *features) fillAt(dst []float64, i int, s *support) affine {
	k := f.K
	costs := dst[:k]
	mass := dst[k : 2*k]
	row := f.in.Row(i)
	_, sorted := f.rows.Row(i)

	// Insertion sort. beyond is the mass of the facilities that are not among the K cheapest.
	filled := 0
	beyond := 0.0
	for t, j := range s.facility {
		c := row[j]
		w := s.mass[t]
		at := filled

		// Where all places are taken the most expensive facility leaves them.
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
			costs[at] = costs[at-1]
			mass[at] = mass[at-1]
		}
		costs[at] = c
		mass[at] = w
	}
	if filled == 0 {
		costs[0] = sorted[0]
		mass[0] = 0
		filled = 1
	}

	// Costs are normalised and masses are cumulated.
	dst[2*k] = min(1, beyond)
	normal := f.span(costs[0], costs[filled-1], sorted[len(sorted)-1])
	sum := 0.0
	for t := range filled {
		sum += mass[t]
		costs[t] = (costs[t] - normal.Low) / normal.Span
		mass[t] = min(1, sum)
	}
	for t := filled; t < k; t++ {
		costs[t] = 1
		mass[t] = mass[filled-1]
	}
	return normal
}
