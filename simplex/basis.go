package simplex

import "slices"

// basis is the set of basic variables, by status and by position. A position is a row.
type basis struct {
	status []VarStatus // by variable, against the working bounds
	where  []int32     // by variable: its position, -1 where nonbasic
	head   []int32     // by position: its variable
	ok     bool        // where and head belong to status
	list   []int32     // candidates of a factorisation
}

// resize makes room for variables and rows.
func (b *basis) resize(variables, rows int) {
	b.status = make([]VarStatus, variables)
	b.where = make([]int32, variables)
	b.head = make([]int32, rows)
}

// invalidate marks the positions as wrong; a factorisation finds them anew.
func (b *basis) invalidate() { b.ok = false }

// set gives v a status; the caller changes the positions where that makes it basic or nonbasic.
func (b *basis) set(v int32, st VarStatus) { b.status[v] = st }

// slack makes the last rows variables basic and the others nonbasic, each with the status that nonbasic returns.
func (b *basis) slack(nonbasic func(v int) VarStatus) {
	// The logicals are the variables behind the columns.
	fill(b.status, Basic)
	for v := range len(b.status) - len(b.head) {
		b.status[v] = nonbasic(v)
	}
	b.invalidate()
}

// isSlack reports whether the basic variables are logicals, as they are at the start.
func (b *basis) isSlack() bool {
	// A column that is basic has a position.
	columns := b.where[:len(b.where)-len(b.head)]
	return !slices.ContainsFunc(columns, func(p int32) bool { return p >= 0 })
}

// exchange makes q basic at position r; the variable there leaves with status st.
func (b *basis) exchange(r, q int32, st VarStatus) {
	// The leaving variable gives its position to the entering one.
	v := b.head[r]
	b.status[v] = st
	b.where[v] = -1

	b.status[q] = Basic
	b.where[q] = r
	b.head[r] = q
}

// candidates returns the basic variables, for a factorisation.
func (b *basis) candidates() []int32 {
	if b.ok {
		copyTo(&b.list, b.head)
		return b.list
	}

	b.list = b.list[:0]
	for v, st := range b.status {
		if st == Basic {
			b.list = append(b.list, int32(v))
		}
	}
	return b.list
}

// factored finds the positions of the variables in head, which a factorisation has filled.
func (b *basis) factored() {
	fill(b.where, -1)
	for p, v := range b.head {
		b.where[v] = int32(p)
	}
	b.ok = true
}

// matches reports whether the statuses are those of a basis with the given positions.
func (b *basis) matches(where []int32) bool {
	for v, st := range b.status {
		if (st == Basic) != (where[v] >= 0) {
			return false
		}
	}
	return true
}

// restore goes back to positions that match the statuses.
func (b *basis) restore(head, where []int32) {
	copy(b.head, head)
	copy(b.where, where)
	b.ok = true
}

// addRow makes the logical v of a new row basic.
func (b *basis) addRow(v int32) {
	b.status = append(b.status, Basic)
	b.where = append(b.where, int32(len(b.head)))
	b.head = append(b.head, v)
}

// insert makes room for the new nonbasic variable v; those after it get the next numbers.
func (b *basis) insert(v int, st VarStatus) {
	// The variables behind the new one have numbers that are one larger.
	b.status = slices.Insert(b.status, v, st)
	b.where = slices.Insert(b.where, v, -1)

	for p, h := range b.head {
		if int(h) >= v {
			b.head[p]++
		}
	}
}

// deleteVariables removes the variables with drop; the positions no longer name the right ones.
func (b *basis) deleteVariables(drop []bool) {
	b.status = keep(b.status, drop)
	b.where = keep(b.where, drop)
}

// deletePositions removes the positions with drop, whose variables were their logicals and are deleted; to has the
// new numbers of the rows, and n is the number of columns.
func (b *basis) deletePositions(drop []bool, to []int32, n int32) {
	// The logicals of later rows move down with their rows.
	for p, v := range b.head {
		if v >= n && !drop[p] {
			b.head[p] = n + to[v-n]
		}
	}
	b.head = keep(b.head, drop)

	for p, v := range b.head {
		b.where[v] = int32(p)
	}
}

// truncate leaves m positions, without their variables.
func (b *basis) truncate(m int) {
	b.head = b.head[:m]
	b.invalidate()
}
