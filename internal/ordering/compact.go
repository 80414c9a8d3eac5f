package ordering

import "slices"

// reserve makes room for a list of the given length at the end of the lists.
func (q *quotient) reserve(length int) {
	if len(q.lists)+length <= cap(q.lists) {
		return
	}
	q.compact()
	q.lists = slices.Grow(q.lists, length)
}

// compact moves all lists together. For the time of the move, the first entry of a list is replaced by the complement
// of its node, and is kept in the place of the start.
func (q *quotient) compact() {
	for v, length := range q.length {
		if length > 0 {
			at := q.start[v]
			q.start[v] = int(q.lists[at])
			q.lists[at] = ^int32(v)
		}
	}
	to := 0
	for from := 0; from < len(q.lists); {
		if q.lists[from] >= 0 {
			from++
			continue
		}
		v := ^q.lists[from]
		length := int(q.length[v])
		copy(q.lists[to:], q.lists[from:from+length])
		q.lists[to] = int32(q.start[v])
		q.start[v] = to
		to += length
		from += length
	}
	q.lists = q.lists[:to]
}
