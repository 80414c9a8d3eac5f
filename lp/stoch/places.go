package stoch

import "slices"

// Places numbers the places of changes, in the order in which they come.
type Places struct {
	At []Change // without values, by their numbers

	number map[Change]int
	last   int             // number of the place of the change before, -1 for none
	after  []int           // of no place and of each place: the one that followed it last, -1 for none
	pairs  map[[2]int]bool // of places that followed each other in some scenario
}

// NewPlaces returns a numbering without places.
func NewPlaces() *Places {
	return &Places{number: map[Change]int{}, last: -1, after: []int{-1}, pairs: map[[2]int]bool{}}
}

// Restart begins the changes of another scenario.
func (p *Places) Restart() { p.last = -1 }

// Of returns the number of the place of a change.
func (p *Places) Of(c Change) int {
	// Most scenarios change the same places in the same order, so that the number needs no look-up.
	c.Value = 0
	k := p.after[p.last+1]
	if k < 0 || p.At[k] != c {
		k = p.look(c)
		p.after[p.last+1] = k
		p.pairs[[2]int{p.last, k}] = true
	}
	p.last = k
	return k
}

// look returns the number of a place, which is a new one where it was not there before.
func (p *Places) look(place Change) int {
	k, known := p.number[place]
	if !known {
		k = len(p.At)
		p.number[place] = k
		p.At = append(p.At, place)
		p.after = append(p.after, -1)
	}
	return k
}

// order returns the places in an order that all scenarios have, and false where there is none.
func (p *Places) order() (list []int, ok bool) {
	followers := make([][]int, len(p.At))
	waits := make([]int, len(p.At)) // for how many places
	for pair := range p.pairs {
		if pair[0] >= 0 {
			followers[pair[0]] = append(followers[pair[0]], pair[1])
			waits[pair[1]]++
		}
	}

	// The list is a queue too: a place is appended when all those before it are in the list.
	for k, n := range waits {
		if n == 0 {
			list = append(list, k)
		}
	}
	for next := 0; next < len(list); next++ {
		slices.Sort(followers[list[next]]) // maps have no order
		for _, k := range followers[list[next]] {
			if waits[k]--; waits[k] == 0 {
				list = append(list, k)
			}
		}
	}
	return list, len(list) == len(p.At)
}
