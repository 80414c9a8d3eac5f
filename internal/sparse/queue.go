package sparse

// Queue is a first-in first-out queue of indices without repetitions.
type Queue struct {
	list []int32
	in   []bool
}

// NewQueue makes an empty queue of indices below n.
func NewQueue(n int) Queue { return Queue{in: make([]bool, n)} }

// Len returns the number of indices in the queue.
func (q *Queue) Len() int { return len(q.list) }

// Add appends k if it is not in the queue already.
func (q *Queue) Add(k int32) {
	if !q.in[k] {
		q.in[k] = true
		q.list = append(q.list, k)
	}
}

// Take empties the queue, whose next indices are stored in spare, and returns the indices that it held.
func (q *Queue) Take(spare []int32) []int32 {
	// The new queue uses the memory of spare, so that the old list stays valid.
	list := q.list
	q.list = spare[:0]
	for _, k := range list {
		q.in[k] = false
	}
	return list
}
