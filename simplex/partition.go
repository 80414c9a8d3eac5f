package simplex

// partition keeps the row-wise copy of the matrix in two parts: in each row the entries of nonbasic columns come
// first, so that row-wise price touches no others. A basis change moves the entries of two columns. Where columns
// far outnumber rows few entries are basic and rows are long to search: then there is no partition, every entry
// counts as nonbasic, and price skips basic columns at the end.
type partition struct {
	on       bool
	nonbasic []int32 // entries of row i in the first part
	basic    []bool  // by column: its entries stand in the second part
}

// partitionShape is the largest number of columns a row with which the rows are partitioned.
const partitionShape = 4

// start makes the partition of a solver without basic columns.
func (p *partition) start(s *Solver) {
	p.basic = make([]bool, s.n)
	p.nonbasic = append(p.nonbasic[:0], s.rows.Len...)
	p.on = s.n <= partitionShape*s.m
}

// row returns the entries of row i that price adds up.
func (p *partition) row(s *Solver, i int32) ([]int32, []float64) {
	lo := s.rows.Start[i]
	hi := lo + int(p.nonbasic[i])
	return s.rows.Index[lo:hi], s.rows.Value[lo:hi]
}

// follow moves the columns whose part is not the one that the basis asks for.
func (p *partition) follow(s *Solver) {
	if !p.on {
		return
	}
	for j, at := range s.basis.where[:s.n] {
		if p.basic[j] != (at >= 0) {
			p.move(s, int32(j))
		}
	}
}

// move takes variable v, if it is a column, from its part of the rows to the other.
func (p *partition) move(s *Solver, v int32) {
	if !p.on || int(v) >= s.n {
		return
	}
	was := p.basic[v]
	p.basic[v] = !was
	rows, _ := s.cols.Vec(int(v))
	for _, i := range rows {
		lo, mid := s.rows.Start[i], s.rows.Start[i]+int(p.nonbasic[i])
		at, to := lo, mid-1
		if was {
			at, to = mid, mid
			p.nonbasic[i]++
		} else {
			p.nonbasic[i]--
		}
		index, value := s.rows.Index, s.rows.Value
		for index[at] != v {
			at++
		}
		s.factor.work += float64(at-lo) / 4
		index[at], index[to] = index[to], v
		value[at], value[to] = value[to], value[at]
	}
}

// addRow puts the entries of the new last row into their parts.
func (p *partition) addRow(s *Solver) {
	index, value := s.rows.Vec(s.rows.Major() - 1)
	p.nonbasic = append(p.nonbasic, split(index, value, p.basic))
}

// split moves the entries of nonbasic columns to the front and returns their number.
func split(index []int32, value []float64, basic []bool) int32 {
	n := 0
	for k, j := range index {
		if !basic[j] {
			index[k], index[n] = index[n], j
			value[k], value[n] = value[n], value[k]
			n++
		}
	}
	return int32(n)
}

// addEntry puts the new last entry of row i, of a nonbasic column, into the first part.
func (p *partition) addEntry(s *Solver, i int32) {
	index, value := s.rows.Vec(int(i))
	at, last := p.nonbasic[i], len(index)-1
	index[at], index[last] = index[last], index[at]
	value[at], value[last] = value[last], value[at]
	p.nonbasic[i]++
}

// deleteCols follows the deletion of columns, which has kept the order of the other entries.
func (p *partition) deleteCols(s *Solver, drop []bool) {
	p.basic = keep(p.basic, drop)
	for i := range p.nonbasic {
		index, value := s.rows.Vec(i)
		p.nonbasic[i] = split(index, value, p.basic)
	}
}
