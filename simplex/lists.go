package simplex

import "slices"

// content is what the vectors of a pool hold: more is stored only where it is read.
type content uint8

const (
	indices content = iota // indices alone
	values                 // and values
	twins                  // and twins
)

// lists is a pool of growing vectors of (index, value, twin). For the two copies of U, twin is the
// offset of the same entry in its vector of the other copy, so that an entry is removed from both
// without a search. L and the columns of the kernel have no twins, its rows not even values.
type lists struct {
	start []int
	len   []int32
	room  []int32 // entries that a vector has room for in its place
	index []int32
	value []float64
	twin  []int32
	holds content
	order []int32 // scratch of pack
}

// reset makes m empty vectors.
func (l *lists) reset(m int, holds content) {
	// The storage of the last use is kept.
	l.start = zeroed(l.start, m)
	l.len = zeroed(l.len, m)
	l.room = zeroed(l.room, m)
	l.index = l.index[:0]
	l.value = l.value[:0]
	l.twin = l.twin[:0]
	l.holds = holds
}

// place makes the n entries from offset at on vector k, without spare room.
func (l *lists) place(k int32, at int, n int32) {
	l.start[k] = at
	l.len[k] = n
	l.room[k] = n
}

// vec returns the entries of vector k of a pool with values.
func (l *lists) vec(k int32) (index []int32, value []float64) {
	s := l.start[k]
	e := s + int(l.len[k])
	return l.index[s:e], l.value[s:e]
}

// layout gives vector k room for count[k]+spare entries, one vector behind the other.
func (l *lists) layout(count []int32, spare int32) {
	total := 0
	for k, c := range count {
		l.place(int32(k), total, 0)
		l.room[k] = c + spare
		total += int(c + spare)
	}

	l.index = resize(l.index, total)
	if l.holds >= values {
		l.value = resize(l.value, total)
	}
	if l.holds >= twins {
		l.twin = resize(l.twin, total)
	}
}

// push appends an entry to vector k; a pool of indices alone keeps no more of it.
func (l *lists) push(k, index int32, value float64, twin int32) {
	// A full vector moves to the end of the pool, with room for twice its entries.
	if l.len[k] == l.room[k] {
		l.reserve(k, 2*l.len[k]+4)
	}

	p := l.start[k] + int(l.len[k])
	l.index[p] = index
	if l.holds >= values {
		l.value[p] = value
	}
	if l.holds >= twins {
		l.twin[p] = twin
	}
	l.len[k]++
}

// reserve gives vector k room for n entries, at the end of the pool if it has less.
func (l *lists) reserve(k, n int32) {
	if l.room[k] >= n {
		return
	}
	if len(l.index)+int(n) > l.capacity() {
		l.pack(int(n))
	}

	// The vector moves behind all others; its old place is a hole until the next pack.
	at := len(l.index)
	l.cut(at + int(n))
	l.move(int(k), at)
	l.room[k] = n
}

// move copies vector k to the offset to of the pool.
func (l *lists) move(k, to int) {
	from := l.start[k]
	end := from + int(l.len[k])

	copy(l.index[to:], l.index[from:end])
	if l.holds >= values {
		copy(l.value[to:], l.value[from:end])
	}
	if l.holds >= twins {
		copy(l.twin[to:], l.twin[from:end])
	}
	l.start[k] = to
}

// capacity is the length that the pool can have without new arrays.
func (l *lists) capacity() int {
	n := cap(l.index)
	if l.holds >= values {
		n = min(n, cap(l.value))
	}
	if l.holds >= twins {
		n = min(n, cap(l.twin))
	}
	return n
}

// pack makes room for n entries at the end of the pool: it closes the holes that moved vectors have left, if they
// are a quarter of the pool at least, or else takes larger arrays.
func (l *lists) pack(n int) {
	// The rooms of the vectors are what cannot be given back.
	used := 0
	for _, r := range l.room {
		used += int(r)
	}

	if room := l.capacity(); used+n > room-room/4 {
		more := n + len(l.index)/2
		l.index = slices.Grow(l.index, more)
		if l.holds >= values {
			l.value = slices.Grow(l.value, more)
		}
		if l.holds >= twins {
			l.twin = slices.Grow(l.twin, more)
		}
		return
	}

	// In the order of their starts vectors move to the front, never over one that is still to move.
	l.order = l.order[:0]
	for k, r := range l.room {
		if r > 0 {
			l.order = append(l.order, int32(k))
		}
	}
	slices.SortFunc(l.order, func(a, b int32) int { return l.start[a] - l.start[b] })
	at := 0
	for _, k := range l.order {
		l.move(int(k), at)
		at += int(l.room[k])
	}
	l.cut(at)
}

// cut sets the length of the pool to n entries, within its capacity.
func (l *lists) cut(n int) {
	l.index = l.index[:n]
	if l.holds >= values {
		l.value = l.value[:n]
	}
	if l.holds >= twins {
		l.twin = l.twin[:n]
	}
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

	// The last entry takes the place; its twin must point there.
	to := s + int(off)
	from := s + int(last)
	l.index[to] = l.index[from]
	l.value[to] = l.value[from]
	l.twin[to] = l.twin[from]
	other.twin[other.start[l.index[to]]+int(l.twin[to])] = off
}

// resize returns a slice of length n that reuses s; its contents are not defined.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4+8)
	}
	return s[:n]
}

// zeroed is resize with zeros as the contents.
func zeroed[T any](s []T, n int) []T {
	s = resize(s, n)
	clear(s)
	return s
}

// fill sets every entry of s to x.
func fill[T any](s []T, x T) {
	for k := range s {
		s[k] = x
	}
}

// copyTo makes dst a copy of src and reuses its storage.
func copyTo[T any](dst *[]T, src []T) { *dst = append((*dst)[:0], src...) }

// copyFrom makes l equal to src and reuses its storage.
func (l *lists) copyFrom(src *lists) {
	copyTo(&l.start, src.start)
	copyTo(&l.len, src.len)
	copyTo(&l.room, src.room)
	copyTo(&l.index, src.index)
	copyTo(&l.value, src.value)
	copyTo(&l.twin, src.twin)
	l.holds = src.holds
}

// renumber gives vector and index k the number to[k]; m vectors remain, with no entry whose index has gone.
func (l *lists) renumber(to []int32, m int) {
	for k, id := range to {
		if id < 0 {
			continue
		}
		index := l.index[l.start[k] : l.start[k]+int(l.len[k])]
		for p, i := range index {
			index[p] = to[i]
		}

		l.start[id] = l.start[k]
		l.len[id] = l.len[k]
		l.room[id] = l.room[k]
	}

	l.start = l.start[:m]
	l.len = l.len[:m]
	l.room = l.room[:m]
}
