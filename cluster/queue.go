package cluster

import "sync"

// queue passes items from goroutines that must not wait to one or more that do, in order.
type queue[T any] struct {
	mu     sync.Mutex
	filled *sync.Cond
	items  []T
	closed bool
}

func newQueue[T any]() *queue[T] {
	q := &queue[T]{}
	q.filled = sync.NewCond(&q.mu)
	return q
}

// push appends an item; after close it does nothing.
func (q *queue[T]) push(item T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.items = append(q.items, item)
		q.filled.Signal()
	}
}

// pop waits for an item. It returns false once the queue is closed.
func (q *queue[T]) pop() (T, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 && !q.closed {
		q.filled.Wait()
	}

	var none T
	if q.closed {
		return none, false
	}
	item := q.items[0]
	q.items[0] = none
	q.items = q.items[1:]
	return item, true
}

// close drops what is in the queue.
func (q *queue[T]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.items = nil
	q.filled.Broadcast()
}
