package symmetry

// Classes are a partition of the numbers below their length into classes, which are joined.
type Classes []int32

// NewClasses has n classes of one member.
func NewClasses(n int) Classes {
	c := make(Classes, n)
	for k := range c {
		c[k] = int32(k)
	}
	return c
}

// Find returns the representative of the class of k, its least member.
func (c Classes) Find(k int32) int32 {
	for c[k] != k {
		// Every other member on the way is linked to its second next, which keeps later ways short.
		c[k] = c[c[k]]
		k = c[k]
	}
	return k
}

// Join makes the classes of a and b one.
func (c Classes) Join(a, b int32) {
	a, b = c.Find(a), c.Find(b)
	c[max(a, b)] = min(a, b)
}

// Reset makes each member of the lists a class of its own; no other number may be in a class with them.
func (c Classes) Reset(lists [][]int32) {
	for _, list := range lists {
		for _, k := range list {
			c[k] = k
		}
	}
}

// Among returns the classes of two or more members of the lists, each of which is ascending and holds whole classes.
func (c Classes) Among(lists [][]int32) [][]int32 {
	var out [][]int32
	place := map[int32]int{}
	for _, list := range lists {
		clear(place)
		for _, k := range list {
			root := c.Find(k)
			if root == k {
				continue
			}

			// The representative comes first, since it is the least member.
			at, ok := place[root]
			if !ok {
				at = len(out)
				place[root] = at
				out = append(out, []int32{root})
			}
			out[at] = append(out[at], k)
		}
	}
	return out
}
