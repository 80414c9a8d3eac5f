package simplex

import "math"

// findScales equilibrates: a few geometric-mean passes over rows and columns, then columns to largest
// entry 1, all rounded to powers of two, so that scaling is exact. A matrix whose entries lie within
// [scaleLow, scaleHigh] is left alone. The columns are scaled in place.
func (s *Solver) findScales() {
	s.colScale, s.rowScale = ones(s.n), ones(s.m)
	if !s.opt.Scale || s.wellScaled() {
		return
	}
	rlo, rhi := make([]float64, s.m), make([]float64, s.m)
	for range scalePasses {
		s.scaleRows(rlo, rhi)
		s.scaleCols()
	}
	for i := range s.rowScale {
		s.rowScale[i] = powerOfTwo(s.rowScale[i])
	}
	for j := range s.n {
		index, value := s.cols.Vec(j)
		hi := 0.0
		for p, i := range index {
			hi = max(hi, math.Abs(value[p])*s.rowScale[i])
		}
		s.colScale[j] = 1
		if hi > 0 {
			s.colScale[j] = powerOfTwo(1 / hi)
		}
		for p, i := range index {
			value[p] *= s.rowScale[i] * s.colScale[j]
		}
	}
}

const (
	scalePasses = 4
	scaleLow    = 0.2
	scaleHigh   = 5.0
	scaleMax    = 1 << 20 // scale factors stay within [1/scaleMax, scaleMax]
)

func (s *Solver) wellScaled() bool {
	for j := range s.n {
		_, value := s.cols.Vec(j)
		for _, v := range value {
			if a := math.Abs(v); a < scaleLow || a > scaleHigh {
				return false
			}
		}
	}
	return true
}

func (s *Solver) scaleRows(lo, hi []float64) {
	for i := range lo {
		lo[i], hi[i] = math.Inf(1), 0
	}
	for j := range s.n {
		index, value := s.cols.Vec(j)
		for p, i := range index {
			a := math.Abs(value[p]) * s.colScale[j]
			lo[i], hi[i] = min(lo[i], a), max(hi[i], a)
		}
	}
	for i := range lo {
		if hi[i] > 0 {
			s.rowScale[i] = 1 / math.Sqrt(lo[i]*hi[i])
		}
	}
}

func (s *Solver) scaleCols() {
	for j := range s.n {
		index, value := s.cols.Vec(j)
		lo, hi := math.Inf(1), 0.0
		for p, i := range index {
			a := math.Abs(value[p]) * s.rowScale[i]
			lo, hi = min(lo, a), max(hi, a)
		}
		if hi > 0 {
			s.colScale[j] = 1 / math.Sqrt(lo*hi)
		}
	}
}

// rowScaleFor returns the scale of a new row, from its entries under the column scales.
func (s *Solver) rowScaleFor(index []int32, value []float64) float64 {
	if !s.opt.Scale {
		return 1
	}
	lo, hi := math.Inf(1), 0.0
	for p, j := range index {
		a := math.Abs(value[p]) * s.colScale[j]
		if a < lo { // finite: the builtin min would ask for NaN
			lo = a
		}
		if a > hi {
			hi = a
		}
	}
	return scaleFromRange(lo, hi)
}

// colScaleFor returns the scale of a new column.
func (s *Solver) colScaleFor(index []int32, value []float64) float64 {
	if !s.opt.Scale {
		return 1
	}
	lo, hi := math.Inf(1), 0.0
	for p, i := range index {
		a := math.Abs(value[p]) * s.rowScale[i]
		lo, hi = min(lo, a), max(hi, a)
	}
	return scaleFromRange(lo, hi)
}

func scaleFromRange(lo, hi float64) float64 {
	if hi == 0 || lo >= scaleLow && hi <= scaleHigh {
		return 1
	}
	return powerOfTwo(1 / math.Sqrt(lo*hi))
}

// powerOfTwo rounds v > 0 to the nearest power of two, within the limits.
func powerOfTwo(v float64) float64 {
	v = min(max(v, 1.0/scaleMax), scaleMax)
	return math.Ldexp(1, int(math.Round(math.Log2(v))))
}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// unscale goes back to the model as given, for a recovery.
func (s *Solver) unscale() {
	s.print.ok = false
	s.shapeStamp++
	s.numberStamp++
	for j := range s.n {
		c := s.colScale[j]
		index, value := s.cols.Vec(j)
		for p, i := range index {
			value[p] /= s.rowScale[i] * c
		}
		s.lo[j], s.up[j], s.cost[j] = s.lo[j]*c, s.up[j]*c, s.cost[j]/c
		s.colScale[j] = 1
	}
	for i, r := range s.rowScale {
		s.lo[s.n+i], s.up[s.n+i] = s.lo[s.n+i]/r, s.up[s.n+i]/r
		s.rowScale[i] = 1
	}
}
