package sparse

// Queue is a first-in first-out queue of indices without repetitions.
type Queue struct {
	list []int32
	in   []bool
}

// NewQueue makes an empty queue of indices below n.
func NewQueue(n int) Queue { return Queue{in: make([]bool, n)} }

// Len returns how many indices wait.
func (q *Queue) Len() int { return len(q.list) }

// Add appends k if it does not wait already.
func (q *Queue) Add(k int32) {
	if !q.in[k] {
		q.in[k] = true
		q.list = append(q.list, k)
	}
}

// Take empties the queue and returns what it held, valid until the call after the next.
func (q *Queue) Take(spare []int32) []int32 {
	list := q.list
	q.list = spare[:0]
	for _, k := range list {
		q.in[k] = false
	}
	return list
}
