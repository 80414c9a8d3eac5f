package simplex

// partition keeps the row-wise copy of the matrix in two parts: in each row the entries of nonbasic columns come
// first, so that row-wise price touches no others. A basis change moves the entries of two columns. Where columns
// far outnumber rows few entries are basic and rows are long to search: then there is no partition, every entry
// counts as nonbasic, and price skips basic columns at the end.
type partition struct {
	on       bool
	nonbasic []int32 // entries of row i in the first part
	basic    []bool  // by column: its entries are in the second part
}

// partitionShape is the largest number of columns a row with which the rows are partitioned. Masters gain by the
// partition, with dense rows and half of the columns basic; on large sparse models it made no difference.
const partitionShape = 4

// start makes the partition of a solver without basic columns.
func (p *partition) start(a *matrix) {
	p.basic = make([]bool, a.n)
	copyTo(&p.nonbasic, a.rows.Len)
	p.on = a.n <= partitionShape*a.m
}

// row returns the entries of row i that price adds up.
func (p *partition) row(a *matrix, i int32) ([]int32, []float64) {
	lo := a.rows.Start[i]
	hi := lo + int(p.nonbasic[i])
	return a.rows.Index[lo:hi], a.rows.Value[lo:hi]
}

// follow moves the columns whose part is not the one of their status; it returns how many
// entries it has looked at.
func (p *partition) follow(a *matrix, where []int32) (moves int) {
	// A model without a partition has nothing to move.
	if !p.on {
		return 0
	}

	for j, at := range where[:a.n] {
		if p.basic[j] != (at >= 0) {
			moves += p.move(a, int32(j))
		}
	}
	return moves
}

// move takes variable v, if it is a column, from its part of the rows to the other; it returns how many
// entries it has looked at.
func (p *partition) move(a *matrix, v int32) (moves int) {
	if !p.on || int(v) >= a.n {
		return 0
	}

	was := p.basic[v]
	p.basic[v] = !was
	index, value := a.rows.Index, a.rows.Value
	rows, _ := a.cols.Vec(int(v))
	for _, i := range rows {
		// The entry changes places with the one at the border of the parts, which moves by one.
		lo := a.rows.Start[i]
		mid := lo + int(p.nonbasic[i])
		at := lo
		to := mid - 1
		if was {
			at = mid
			to = mid
			p.nonbasic[i]++
		} else {
			p.nonbasic[i]--
		}

		// The row is not sorted: its entry of the column is searched in the part where it is.
		for index[at] != v {
			at++
		}
		moves += at - lo
		swapEntries(index, value, at, to)
	}
	return moves
}

// swapEntries exchanges two entries of a row.
func swapEntries(index []int32, value []float64, p, q int) {
	index[p], index[q] = index[q], index[p]
	value[p], value[q] = value[q], value[p]
}

// appendRow puts the entries of the new last row into their parts.
func (p *partition) appendRow(a *matrix) {
	index, value := a.rows.Vec(a.rows.Major() - 1)
	p.nonbasic = append(p.nonbasic, split(index, value, p.basic))
}

// split moves the entries of nonbasic columns to the front and returns their number.
func split(index []int32, value []float64, basic []bool) int32 {
	// The entries of nonbasic columns are swapped to the front.
	n := 0
	for k, j := range index {
		if !basic[j] {
			swapEntries(index, value, k, n)
			n++
		}
	}
	return int32(n)
}

// appendEntry puts the new last entry of row i, of a nonbasic column, into the first part.
func (p *partition) appendEntry(a *matrix, i int32) {
	index, value := a.rows.Vec(int(i))
	swapEntries(index, value, int(p.nonbasic[i]), len(index)-1)
	p.nonbasic[i]++
}

// deleteColumns follows the deletion of columns, which has kept the order of the other entries.
func (p *partition) deleteColumns(a *matrix, drop []bool) {
	p.basic = keep(p.basic, drop)
	for i := range p.nonbasic {
		index, value := a.rows.Vec(i)
		p.nonbasic[i] = split(index, value, p.basic)
	}
}

// appendColumn adds a nonbasic column.
func (p *partition) appendColumn() { p.basic = append(p.basic, false) }

// deleteRows follows the deletion of rows.
func (p *partition) deleteRows(drop []bool) { p.nonbasic = keep(p.nonbasic, drop) }
