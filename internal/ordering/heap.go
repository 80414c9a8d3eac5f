package ordering

// heap is a priority queue of vertices with the greatest key first; of equal keys, the order of insertion and of moves
// decides, which is deterministic.
type heap struct {
	vertex []int32
	key    []int64 // of each vertex
	at     []int32 // place of a vertex, -1 if it is not in the queue
}

func newHeap(n int) *heap {
	h := &heap{key: make([]int64, n), at: make([]int32, n)}
	for v := range h.at {
		h.at[v] = -1
	}
	return h
}

// clear removes all vertices.
func (h *heap) clear() {
	for _, v := range h.vertex {
		h.at[v] = -1
	}
	h.vertex = h.vertex[:0]
}

// set inserts a vertex or changes its key.
func (h *heap) set(v int32, key int64) {
	i := h.at[v]
	if i < 0 {
		i = int32(len(h.vertex))
		h.vertex = append(h.vertex, v)
		h.at[v] = i
		h.key[v] = key
		h.up(i)
		return
	}
	old := h.key[v]
	h.key[v] = key
	if key > old {
		h.up(i)
	} else {
		h.down(i)
	}
}

// remove takes a vertex out, if it is in the queue.
func (h *heap) remove(v int32) {
	i := h.at[v]
	if i < 0 {
		return
	}
	h.at[v] = -1
	end := int32(len(h.vertex) - 1)
	last := h.vertex[end]
	h.vertex = h.vertex[:end]
	if i == end {
		return
	}
	h.vertex[i] = last
	h.at[last] = i
	h.up(i)
	h.down(h.at[last])
}

// top returns the first vertex, -1 if there is none.
func (h *heap) top() int32 {
	if len(h.vertex) == 0 {
		return -1
	}
	return h.vertex[0]
}

// up moves the vertex at i before those of smaller keys.
func (h *heap) up(i int32) {
	v := h.vertex[i]
	for i > 0 {
		p := (i - 1) / 2
		u := h.vertex[p]
		if h.key[u] >= h.key[v] {
			break
		}
		h.vertex[i] = u
		h.at[u] = i
		i = p
	}
	h.vertex[i] = v
	h.at[v] = i
}

// down moves the vertex at i behind those of greater keys.
func (h *heap) down(i int32) {
	v := h.vertex[i]
	n := int32(len(h.vertex))
	for {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n && h.key[h.vertex[c+1]] > h.key[h.vertex[c]] {
			c++
		}
		u := h.vertex[c]
		if h.key[u] <= h.key[v] {
			break
		}
		h.vertex[i] = u
		h.at[u] = i
		i = c
	}
	h.vertex[i] = v
	h.at[v] = i
}
