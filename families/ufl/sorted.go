package ufl

import (
	"cmp"
	"slices"
)

// sortedRows holds every client row in ascending order of cost, ties by facility: Order[i*n+t] is the
// facility at position t of row i, and Cost[i*n+t] what it costs. It is read-only.
type sortedRows struct {
	Order []int32
	Cost  []float64
	n     int
}

// sortedRows returns the rows sorted by cost. They are sorted once, in O(m n log n), and kept with the
// instance; it is safe to ask from several goroutines.
func (in *Instance) Sorted() *sortedRows {
	if s := in.sorted.Load(); s != nil {
		return s
	}
	in.sorted.CompareAndSwap(nil, sortRows(in))
	return in.sorted.Load()
}

// Row returns the order and the sorted costs of client i, as views.
func (s *sortedRows) Row(i int) ([]int32, []float64) {
	lo, hi := i*s.n, (i+1)*s.n
	return s.Order[lo:hi:hi], s.Cost[lo:hi:hi]
}

func sortRows(in *Instance) *sortedRows {
	n := in.Facilities
	s := &sortedRows{Order: make([]int32, len(in.Cost)), Cost: make([]float64, len(in.Cost)), n: n}
	type entry struct {
		cost     float64
		facility int32
	}
	row := make([]entry, n)
	for i := range in.Clients {
		for j, c := range in.Row(i) {
			row[j] = entry{c, int32(j)}
		}
		slices.SortFunc(row, func(a, b entry) int {
			if c := cmp.Compare(a.cost, b.cost); c != 0 {
				return c
			}
			return cmp.Compare(a.facility, b.facility)
		})
		order, cost := s.Row(i)
		for t, e := range row {
			order[t], cost[t] = e.facility, e.cost
		}
	}
	return s
}
