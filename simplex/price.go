package simplex

import (
	"math"

	"github.com/proxybd/proxybd/internal/sparse"
)

// price computes the row rho'[A, -I] on the nonbasic variables into aIdx, aVal: by rows while rho is sparse, by
// columns otherwise.
func (s *Solver) price(rho *sparse.Vector) {
	s.aIdx, s.aVal = s.aIdx[:0], s.aVal[:0]
	if rho.N < 0 || float64(rho.N) > rowPriceDensity*float64(s.m) {
		s.priceByColumns(rho)
	} else {
		s.priceByRows(rho)
	}
	s.priceLogicals(rho)
}

func (s *Solver) priceByColumns(rho *sparse.Vector) {
	y := rho.Value
	for j := range s.n {
		if s.where[j] >= 0 {
			continue
		}
		index, value := s.cols.Vec(j)
		sum := 0.0
		for p, i := range index {
			sum += value[p] * y[i]
		}
		if math.Abs(sum) > dropTol {
			s.aIdx = append(s.aIdx, int32(j))
			s.aVal = append(s.aVal, sum)
		}
	}
	s.f.work += float64(s.cols.NNZ())
}

func (s *Solver) priceByRows(rho *sparse.Vector) {
	acc, n := s.acc, 0
	touched := 0
	for _, i := range rho.Index[:rho.N] {
		t := rho.Value[i] * s.rowScale[i]
		index, value := s.rows.Vec(int(i))
		touched += len(index)
		for p, j := range index {
			old := acc[j]
			if old == 0 {
				s.accIdx[n] = j
				n++
			}
			v := old + t*value[p]
			if v == 0 {
				v = 1e-100 // stays in the pattern
			}
			acc[j] = v
		}
	}
	for _, j := range s.accIdx[:n] {
		v := acc[j] * s.colScale[j]
		acc[j] = 0
		if s.where[j] < 0 && math.Abs(v) > dropTol {
			s.aIdx = append(s.aIdx, j)
			s.aVal = append(s.aVal, v)
		}
	}
	s.f.work += float64(touched + n)
}

func (s *Solver) priceLogicals(rho *sparse.Vector) {
	n := int32(s.n)
	if rho.N < 0 {
		for i, v := range rho.Value {
			if v != 0 && s.where[s.n+i] < 0 {
				s.aIdx = append(s.aIdx, n+int32(i))
				s.aVal = append(s.aVal, -v)
			}
		}
		return
	}
	for _, i := range rho.Index[:rho.N] {
		if v := rho.Value[i]; v != 0 && s.where[n+i] < 0 {
			s.aIdx = append(s.aIdx, n+i)
			s.aVal = append(s.aVal, -v)
		}
	}
}

// addColumn adds t times the column of variable v to x, whose pattern must be known.
func (s *Solver) addColumn(x *sparse.Vector, v int32, t float64) {
	if int(v) >= s.n {
		x.Add(v-int32(s.n), -t)
		return
	}
	index, value := s.cols.Vec(int(v))
	for p, i := range index {
		x.Add(i, t*value[p])
	}
}

// computePrimal computes the basic variables from the nonbasic ones.
func (s *Solver) computePrimal() {
	x := s.work
	x.Clear()
	r := x.Value
	for j := range s.n {
		if s.where[j] >= 0 || s.x[j] == 0 {
			continue
		}
		t := s.x[j]
		index, value := s.cols.Vec(j)
		for p, i := range index {
			r[i] -= value[p] * t
		}
		s.f.work += float64(len(index))
	}
	for i := range s.m {
		if s.where[s.n+i] < 0 {
			r[i] += s.x[s.n+i]
		}
	}
	x.N = -1
	dense := 1.0
	s.f.ftran(x, &dense, false)
	copy(s.xb, x.Value)
	x.Clear()
	s.primalOK = true
	s.inf.rebuild(s)
}

// computeDual computes the reduced costs from the working costs.
func (s *Solver) computeDual() {
	y := s.work
	y.Clear()
	for p, v := range s.head {
		if c := s.wc[v]; c != 0 {
			y.Add(int32(p), c)
		}
	}
	dense := 1.0
	s.f.btran(y, &dense, -1)
	for v := range s.d {
		s.d[v] = 0
		if s.where[v] < 0 {
			s.d[v] = s.wc[v]
		}
	}
	s.price(y)
	for k, j := range s.aIdx {
		s.d[j] -= s.aVal[k]
	}
	y.Clear()
	s.dualOK = true
}
