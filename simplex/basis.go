package simplex

// basis says which variables are basic, by status and by position. A position is a row.
type basis struct {
	status []VarStatus // by variable, against the working bounds
	where  []int32     // by variable: its position, -1 where nonbasic
	head   []int32     // by position: its variable
	ok     bool        // where and head belong to status
	list   []int32     // candidates of a factorisation
}

// resize makes room for variables and rows.
func (b *basis) resize(variables, rows int) {
	b.status, b.where, b.head = make([]VarStatus, variables), make([]int32, variables), make([]int32, rows)
}

// invalidate says that the positions must be found anew, by a factorisation.
func (b *basis) invalidate() { b.ok = false }

// set gives v a status; the caller sees to the positions where that makes it basic or nonbasic.
func (b *basis) set(v int32, st VarStatus) { b.status[v] = st }

// slack makes the last rows variables basic and the others nonbasic, each with the status that nonbasic returns.
func (b *basis) slack(nonbasic func(v int) VarStatus) {
	n := len(b.status) - len(b.head)
	for v := range b.status {
		if v < n {
			b.status[v] = nonbasic(v)
		} else {
			b.status[v] = Basic
		}
	}
	b.invalidate()
}

// isSlack reports whether the basic variables are logicals, as they are at the start.
func (b *basis) isSlack() bool {
	for _, p := range b.where[:len(b.where)-len(b.head)] {
		if p >= 0 {
			return false
		}
	}
	return true
}

// exchange makes q basic at position r; the variable there leaves with status st.
func (b *basis) exchange(r, q int32, st VarStatus) {
	v := b.head[r]
	b.status[v], b.where[v] = st, -1
	b.status[q], b.where[q] = Basic, r
	b.head[r] = q
}

// candidates returns the basic variables, for a factorisation.
func (b *basis) candidates() []int32 {
	b.list = b.list[:0]
	if b.ok {
		b.list = append(b.list, b.head...)
		return b.list
	}
	for v, st := range b.status {
		if st == Basic {
			b.list = append(b.list, int32(v))
		}
	}
	return b.list
}

// factored is told that a factorisation has filled head.
func (b *basis) factored() {
	for v := range b.where {
		b.where[v] = -1
	}
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
	b.status, b.where = append(b.status, Basic), append(b.where, int32(len(b.head)))
	b.head = append(b.head, v)
}

// insert makes room for the new nonbasic variable v; those after it get the next numbers.
func (b *basis) insert(v int, st VarStatus) {
	b.status, b.where = insert(b.status, v, st), insert(b.where, v, -1)
	for p, h := range b.head {
		if int(h) >= v {
			b.head[p]++
		}
	}
}

// deleteVariables removes the variables with drop; the positions no longer name the right ones.
func (b *basis) deleteVariables(drop []bool) {
	b.status, b.where = keep(b.status, drop), keep(b.where, drop)
}

// deletePositions removes the positions with drop, whose variables were their logicals and are deleted; to has the
// new numbers of the rows, and n is the number of columns.
func (b *basis) deletePositions(drop []bool, to []int32, n int32) {
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
