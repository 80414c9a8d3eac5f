package sparse

import "slices"

// Dynamic is a compressed matrix whose vectors can grow: each is followed by spare room, and moves to the end of the
// pool when the room is used up. Vector k has the Len[k] entries from Start[k].
type Dynamic struct {
	Start []int
	Len   []int32
	Index []int32
	Value []float64

	room []int32 // capacity of each vector
	used int     // sum of Len
}

// NewDynamic copies a, without spare room.
func NewDynamic(a *Matrix) *Dynamic {
	return TakeDynamic(&Matrix{
		Major: a.Major,
		Minor: a.Minor,
		Start: slices.Clone(a.Start),
		Index: slices.Clone(a.Index),
		Value: slices.Clone(a.Value),
	})
}

// TakeDynamic is NewDynamic with the storage of a, which the caller must not use any more.
func TakeDynamic(a *Matrix) *Dynamic {
	d := &Dynamic{
		Start: a.Start[:a.Major],
		Len:   make([]int32, a.Major),
		Index: a.Index,
		Value: a.Value,
		room:  make([]int32, a.Major),
		used:  a.NNZ(),
	}

	// Each vector fills its place.
	for k := range a.Major {
		d.Len[k] = int32(a.Start[k+1] - a.Start[k])
		d.room[k] = d.Len[k]
	}
	return d
}

// Major returns the number of vectors.
func (d *Dynamic) Major() int { return len(d.Start) }

// NNZ returns the number of entries.
func (d *Dynamic) NNZ() int { return d.used }

// Vec returns views of the indices and values of vector k, valid until the next change.
func (d *Dynamic) Vec(k int) ([]int32, []float64) {
	// The views end where the vector ends, so that an append copies.
	lo := d.Start[k]
	hi := lo + int(d.Len[k])
	return d.Index[lo:hi:hi], d.Value[lo:hi:hi]
}

// AddVec appends a vector with the given entries and returns its number.
func (d *Dynamic) AddVec(index []int32, value []float64) int {
	// The vector begins at the end of the pool, without spare room.
	k := len(d.Start)
	d.Start = append(d.Start, len(d.Index))
	d.Len = append(d.Len, int32(len(index)))
	d.room = append(d.room, int32(len(index)))
	d.Index = append(d.Index, index...)
	d.Value = append(d.Value, value...)
	d.used += len(index)
	return k
}

// Append adds an entry at the end of vector k.
func (d *Dynamic) Append(k int, i int32, x float64) {
	// A vector that has no room left moves first.
	if d.Len[k] == d.room[k] {
		d.relocate(k)
	}
	p := d.Start[k] + int(d.Len[k])
	d.Index[p] = i
	d.Value[p] = x
	d.Len[k]++
	d.used++
}

// relocate moves vector k to the end of the pool, with room to double. When less than a third of the pool is used, all
// vectors are laid out again instead, each with room to grow.
func (d *Dynamic) relocate(k int) {
	if len(d.Index) > 3*d.used+8*len(d.Start)+64 {
		d.compact()
		return
	}

	// The old place stays unused until the pool is laid out again.
	index, value := d.Vec(k)
	room := 2*len(index) + 4
	start := len(d.Index)
	d.Index = lengthen(d.Index, room)
	d.Value = lengthen(d.Value, room)
	copy(d.Index[start:], index)
	copy(d.Value[start:], value)
	d.Start[k] = start
	d.room[k] = int32(room)
}

// lengthen returns s with n more entries, at least doubling its capacity when it must move.
func lengthen[T any](s []T, n int) []T {
	if need := len(s) + n; need > cap(s) {
		// A slice that must move gets room for as much again.
		t := make([]T, len(s), 2*need)
		copy(t, s)
		s = t
	}
	return s[:len(s)+n]
}

// compact copies the vectors one after the other to a new pool, each with room for half as many entries more.
func (d *Dynamic) compact() {
	// The spare room is half of the length, and a little for short vectors.
	roomFor := func(n int32) int { return int(n) + int(n)/2 + 4 }
	total := 0
	for _, n := range d.Len {
		total += roomFor(n)
	}
	index := make([]int32, total)
	value := make([]float64, total)

	// The vectors keep their order.
	at := 0
	for k, n := range d.Len {
		i, x := d.Vec(k)
		copy(index[at:], i)
		copy(value[at:], x)
		d.Start[k] = at
		room := roomFor(n)
		d.room[k] = int32(room)
		at += room
	}
	d.Index = index
	d.Value = value
}

// DeleteVecs removes the vectors k with drop[k]; later ones move down, in order.
func (d *Dynamic) DeleteVecs(drop []bool) {
	// The vectors that stay move down; their entries stay where they are.
	to := 0
	for k := range d.Start {
		if drop[k] {
			d.used -= int(d.Len[k])
			continue
		}
		d.Start[to] = d.Start[k]
		d.Len[to] = d.Len[k]
		d.room[to] = d.room[k]
		to++
	}
	d.Start = d.Start[:to]
	d.Len = d.Len[:to]
	d.room = d.room[:to]

	// Compacting takes time in proportion to the pool, so it waits until about half of the pool is unused.
	if len(d.Index) > 2*d.used+4*to+64 && !d.slide() {
		d.compact()
	}
}

// slide compacts in place, without spare room for the vectors, and keeps the capacity of the pool for later vectors.
// It reports false, with nothing done, if the vectors are not in the order of their numbers.
func (d *Dynamic) slide() bool {
	if !slices.IsSorted(d.Start) {
		return false
	}

	// In the order of their starts no vector is overwritten before it is moved.
	at := 0
	for k, n := range d.Len {
		index, value := d.Vec(k)
		copy(d.Index[at:], index)
		copy(d.Value[at:], value)
		d.Start[k] = at
		d.room[k] = n
		at += int(n)
	}
	d.Index = d.Index[:at]
	d.Value = d.Value[:at]
	return true
}

// Renumber replaces each index i by to[i], and removes the entries where to[i] < 0.
func (d *Dynamic) Renumber(to []int32) {
	for k, n := range d.Len {
		index, value := d.Vec(k)
		value = value[:len(index)]

		// There is no branch to mispredict: every entry is moved, and w advances by one less the sign bit.
		w := 0
		for p, i := range index {
			i = to[i]
			index[w] = i
			value[w] = value[p]
			w += int(^uint32(i) >> 31)
		}
		d.used -= int(n) - w
		d.Len[k] = int32(w)
	}
}
