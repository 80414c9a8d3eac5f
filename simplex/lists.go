package simplex

// lists is a pool of growing vectors of (index, value, twin). For the two copies of U, twin is the
// offset of the same entry in its vector of the other copy, so that an entry is removed from both
// without a search. L uses no twins.
type lists struct {
	start []int
	len   []int32
	room  []int32
	index []int32
	value []float64
	twin  []int32
}

// reset makes m empty vectors.
func (l *lists) reset(m int) {
	l.start = resize(l.start, m)
	l.len = resize(l.len, m)
	l.room = resize(l.room, m)
	clear(l.start)
	clear(l.len)
	clear(l.room)
	l.index, l.value, l.twin = l.index[:0], l.value[:0], l.twin[:0]
}

// layout gives vector k room for count[k]+spare entries, one vector behind the other.
func (l *lists) layout(count []int32, spare int32) {
	total := 0
	for k, c := range count {
		l.start[k] = total
		l.len[k] = 0
		l.room[k] = c + spare
		total += int(c + spare)
	}
	l.index = resize(l.index, total)
	l.value = resize(l.value, total)
	l.twin = resize(l.twin, total)
}

// push appends an entry to vector k.
func (l *lists) push(k, index int32, value float64, twin int32) {
	if l.len[k] == l.room[k] {
		l.reserve(k, 2*l.len[k]+4)
	}
	p := l.start[k] + int(l.len[k])
	l.index[p], l.value[p], l.twin[p] = index, value, twin
	l.len[k]++
}

// reserve gives vector k room for n entries, at the end of the pool if it has less.
func (l *lists) reserve(k, n int32) {
	if l.room[k] >= n {
		return
	}
	old, start := l.start[k], len(l.index)
	l.index = grow(l.index, int(n))
	l.value = grow(l.value, int(n))
	l.twin = grow(l.twin, int(n))
	cnt := int(l.len[k])
	copy(l.index[start:start+cnt], l.index[old:old+cnt])
	copy(l.value[start:start+cnt], l.value[old:old+cnt])
	copy(l.twin[start:start+cnt], l.twin[old:old+cnt])
	l.start[k], l.room[k] = start, n
}

// drop removes the entry at offset off of vector k by moving the last one there; other is the copy
// that holds the twins.
func (l *lists) drop(k, off int32, other *lists) {
	s := l.start[k]
	l.len[k]--
	last := l.len[k]
	if off == last {
		return
	}
	to, from := s+int(off), s+int(last)
	l.index[to], l.value[to], l.twin[to] = l.index[from], l.value[from], l.twin[from]
	other.twin[other.start[l.index[to]]+int(l.twin[to])] = off
}

// resize returns a slice of length n that reuses s; its contents are not defined.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4+8)
	}
	return s[:n]
}

// grow lengthens s by n, keeping its contents.
func grow[T any](s []T, n int) []T {
	need := len(s) + n
	if cap(s) < need {
		t := make([]T, need, need+need/2+16)
		copy(t, s)
		return t
	}
	return s[:need]
}
