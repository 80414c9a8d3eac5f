package simplex

import "github.com/proxybd/proxybd/internal/sparse"

// price computes the row rho'[A, -I] on the nonbasic variables into aIdx, aVal: by rows while rho is sparse, by
// columns otherwise.
func (s *Solver) price(rho *sparse.Vector) {
	if nv := s.n + s.m; cap(s.row.index) < nv {
		s.row.index, s.row.value = make([]int32, nv+nv/4), make([]float64, nv+nv/4)
	}
	n := 0
	switch {
	case rho.N < 0 || float64(rho.N) > rowPriceDensity*float64(s.m):
		n = s.priceByColumns(rho.Value)
	case float64(rho.N)*s.meanRow() > hyperPrice*float64(s.n):
		n = s.priceByRows(rho)
	default:
		n = s.priceHyper(rho)
	}
	n = s.priceLogicals(rho, n)
	s.row.index, s.row.value = s.row.index[:n], s.row.value[:n]
}

// meanRow returns the mean number of entries of a row.
func (s *Solver) meanRow() float64 { return float64(s.rows.NNZ()) / float64(s.m) }

func (s *Solver) priceByColumns(y []float64) int {
	n := 0
	where := s.basis.where[:s.n]
	start, length := s.cols.Start[:len(where)], s.cols.Len[:len(where)]
	idx, val := s.row.index[:cap(s.row.index)], s.row.value[:cap(s.row.index)]
	for j, p := range where {
		if p >= 0 {
			continue
		}
		lo := start[j]
		hi := lo + int(length[j])
		index := s.cols.Index[lo:hi]
		value := s.cols.Value[lo:hi]
		value = value[:len(index)]
		sum := 0.0
		for k, i := range index {
			sum += value[k] * y[i]
		}
		if sum > dropTol || sum < -dropTol {
			idx[n], val[n] = int32(j), sum
			n++
		}
	}
	s.factor.work += float64(s.cols.NNZ())
	return n
}

// priceByRows adds up the rows of rho without keeping a pattern.
func (s *Solver) priceByRows(rho *sparse.Vector) int {
	acc := s.row.sum
	touched := 0
	for _, i := range rho.Index[:rho.N] {
		t := rho.Value[i] * s.rowScale[i]
		index, value := s.part.row(s, i)
		value = value[:len(index)]
		touched += len(index)
		for k, j := range index {
			acc[j] += t * value[k]
		}
	}
	n, split := 0, s.part.on
	idx, val, where, scale := s.row.index[:cap(s.row.index)], s.row.value[:cap(s.row.index)], s.basis.where[:len(acc)], s.colScale[:len(acc)]
	for j, v := range acc {
		if v == 0 {
			continue
		}
		acc[j] = 0
		if !split && where[j] >= 0 {
			continue
		}
		if v *= scale[j]; v > dropTol || v < -dropTol {
			idx[n], val[n] = int32(j), v
			n++
		}
	}
	s.factor.work += float64(touched + len(acc))
	return n
}

// priceHyper is priceByRows for a result that is sparse as well.
func (s *Solver) priceHyper(rho *sparse.Vector) int {
	acc, n := s.row.sum, 0
	touched := 0
	for _, i := range rho.Index[:rho.N] {
		t := rho.Value[i] * s.rowScale[i]
		index, value := s.part.row(s, i)
		touched += len(index)
		for p, j := range index {
			old := acc[j]
			if old == 0 {
				s.row.pattern[n] = j
				n++
			}
			v := old + t*value[p]
			if v == 0 {
				v = 1e-100 // stays in the pattern
			}
			acc[j] = v
		}
	}
	k, split := 0, s.part.on
	idx, val := s.row.index[:cap(s.row.index)], s.row.value[:cap(s.row.index)]
	for _, j := range s.row.pattern[:n] {
		v := acc[j] * s.colScale[j]
		acc[j] = 0
		if (split || s.basis.where[j] < 0) && (v > dropTol || v < -dropTol) {
			idx[k], val[k] = j, v
			k++
		}
	}
	s.factor.work += float64(touched + n)
	return k
}

// priceLogicals appends the entries of the logicals from place k on.
func (s *Solver) priceLogicals(rho *sparse.Vector, k int) int {
	n := int32(s.n)
	idx, val := s.row.index[:cap(s.row.index)], s.row.value[:cap(s.row.index)]
	where := s.basis.where[s.n:]
	if rho.N < 0 {
		for i, v := range rho.Value {
			if v != 0 && where[i] < 0 {
				idx[k], val[k] = n+int32(i), -v
				k++
			}
		}
		return k
	}
	for _, i := range rho.Index[:rho.N] {
		if v := rho.Value[i]; v != 0 && where[i] < 0 {
			idx[k], val[k] = n+i, -v
			k++
		}
	}
	return k
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
		if s.basis.where[j] >= 0 || s.primals.nonbasic[j] == 0 {
			continue
		}
		t := s.primals.nonbasic[j]
		index, value := s.cols.Vec(j)
		for p, i := range index {
			r[i] -= value[p] * t
		}
		s.factor.work += float64(len(index))
	}
	for i := range s.m {
		if s.basis.where[s.n+i] < 0 {
			r[i] += s.primals.nonbasic[s.n+i]
		}
	}
	x.N = -1
	dense := 1.0
	s.factor.ftran(x, &dense, false)
	copy(s.primals.basic, x.Value)
	x.Clear()
	if s.mustDecide() {
		s.refinePrimal()
	}
	s.primals.ok, s.primals.farthest = true, 0
	s.primals.infeasible.rebuild(s)
}

// computeDual computes the reduced costs from the working costs.
func (s *Solver) computeDual() {
	y := s.work
	y.Clear()
	for p, v := range s.basis.head {
		if c := s.duals.cost[v]; c != 0 {
			y.Add(int32(p), c)
		}
	}
	dense := 1.0
	s.factor.btran(y, &dense, -1)
	for v := range s.duals.d {
		s.duals.d[v] = 0
		if s.basis.where[v] < 0 {
			s.duals.d[v] = s.duals.cost[v]
		}
	}
	s.price(y)
	for k, j := range s.row.index {
		s.duals.d[j] -= s.row.value[k]
	}
	y.Clear()
	s.duals.ok = true
}
