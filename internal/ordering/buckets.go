package ordering

// buckets holds variables by their degree, in doubly linked lists.
type buckets struct {
	head, next, prev []int32
	in               []bool
	low              int // no list before this one has a variable
}

func newBuckets(n int) buckets {
	b := buckets{
		head: make([]int32, n+1),
		next: make([]int32, n),
		prev: make([]int32, n),
		in:   make([]bool, n),
	}
	for d := range b.head {
		b.head[d] = -1
	}
	return b
}

// insert puts v in front of the list of a degree.
func (b *buckets) insert(v, degree int32) {
	old := b.head[degree]
	if old >= 0 {
		b.prev[old] = v
	}
	b.next[v] = old
	b.prev[v] = -1
	b.head[degree] = v
	b.in[v] = true
	b.low = min(b.low, int(degree))
}

// remove takes v out of the list of its degree.
func (b *buckets) remove(v, degree int32) {
	before := b.prev[v]
	after := b.next[v]
	if before >= 0 {
		b.next[before] = after
	} else {
		b.head[degree] = after
	}
	if after >= 0 {
		b.prev[after] = before
	}
	b.in[v] = false
}

// removeIfPresent is remove for a variable that may be in no list.
func (b *buckets) removeIfPresent(v, degree int32) {
	if b.in[v] {
		b.remove(v, degree)
	}
}

// least returns the first variable of the least degree, -1 if there is none.
func (b *buckets) least() int32 {
	for ; b.low < len(b.head); b.low++ {
		if v := b.head[b.low]; v >= 0 {
			return v
		}
	}
	return -1
}
