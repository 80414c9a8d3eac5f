package netdes

// entry is a node in a heap with its distance when it was put in.
type entry struct {
	dist float64
	node int32
}

// nearestFirst is a binary heap: the entry at k is not farther away than those at 2k+1 and 2k+2. It is not
// container/heap, whose calls by an interface took a third of the time of a search.
type nearestFirst []entry

func (h *nearestFirst) clear() { *h = (*h)[:0] }

// push adds a node.
func (h *nearestFirst) push(dist float64, node int32) {
	*h = append(*h, entry{dist, node})
	list := *h

	// The new entry moves up past those that are farther away.
	k := len(list) - 1
	for k > 0 && list[(k-1)/2].dist > dist {
		list[k] = list[(k-1)/2]
		k = (k - 1) / 2
	}
	list[k] = entry{dist, node}
}

// pop removes the nearest entry.
func (h *nearestFirst) pop() entry {
	list := *h
	first, last := list[0], list[len(list)-1]
	list = list[:len(list)-1]
	*h = list

	// The last entry takes the first place and moves down past those that are nearer.
	k := 0
	for {
		child := 2*k + 1
		if child >= len(list) {
			break
		}
		if child+1 < len(list) && list[child+1].dist < list[child].dist {
			child++
		}
		if list[child].dist >= last.dist {
			break
		}
		list[k] = list[child]
		k = child
	}
	if len(list) > 0 {
		list[k] = last
	}
	return first
}
