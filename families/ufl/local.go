package ufl

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/families/location"
)

// localSearch is a design under the neighbourhood of one facility opened, closed, or both (swap), with the
// savings of every move kept up to date (Resende and Werneck 2006, sections 3 and 4): for client i with
// nearest and second nearest open facility at costs d1 and d2,
//
//	gain[j]     = sum_i (d1 - c_ij)+ - f_j                          opening j
//	loss[r]     = sum_{i: nearest is r} (d2 - d1) - f_r             closing r
//	extra[r][j] = sum_{i: nearest is r} (d2 - max(d1, c_ij))+       what a swap saves over gain - loss
//
// so that the swap of r for j saves gain[j] - loss[r] + extra[r][j]. With one facility open, d2 is the highest cost
// of the row, with which the saving of a swap is right. It is for one goroutine; its memory is
// (n + number of open facilities) * n + O(m).
type localSearch struct {
	in   *Instance
	rows *location.Ranking

	open []int32 // by slot
	slot []int32 // of a facility, -1 if closed

	first, second []server // the two nearest open facilities of each client

	gain  []float64   // of each facility
	loss  []float64   // by slot
	extra [][]float64 // by slot, of each facility

	updates int // moves since the savings were computed from scratch
}

// server is an open facility that can serve a client. With one facility open, the second nearest has slot -1 and the
// highest cost of the row.
type server struct {
	slot int32
	cost float64
}

// rebuildEvery is the number of incremental updates after which the savings are computed from scratch, so that rounding
// errors do not add up; each update has a relative error of about 1e-15.
const rebuildEvery = 64

// worthwhile is the least saving, relative to the cost of the design, for a move to count as improving. It is
// far above the rounding of the savings.
const worthwhile = 1e-10

// newLocalSearch returns a search on a valid instance, with no design yet.
func newLocalSearch(in *Instance) *localSearch {
	s := &localSearch{
		in:     in,
		rows:   in.Ranked(),
		slot:   make([]int32, in.Facilities),
		first:  make([]server, in.Clients),
		second: make([]server, in.Clients),
		gain:   make([]float64, in.Facilities),
	}
	s.Set([]int32{0})
	return s
}

// Set makes the facilities listed the current design. There must be at least one, and none twice.
func (s *localSearch) Set(open []int32) {
	for j := range s.slot {
		s.slot[j] = -1
	}
	s.open = s.open[:0]
	for _, j := range open {
		s.attach(j)
	}
	s.rebuild()
}

// Open returns a copy of the facilities of the current design.
func (s *localSearch) Open() []int32 { return slices.Clone(s.open) }

// attach opens a facility in a new slot.
func (s *localSearch) attach(j int32) {
	s.slot[j] = int32(len(s.open))
	s.open = append(s.open, j)

	// Slots keep their memory when facilities close.
	for len(s.extra) < len(s.open) {
		s.extra = append(s.extra, make([]float64, s.in.Facilities))
		s.loss = append(s.loss, 0)
	}
}

// detach closes the facility in slot r; the last slot moves into its place.
func (s *localSearch) detach(r int32) {
	last := int32(len(s.open) - 1)
	s.slot[s.open[r]] = -1
	if r != last {
		s.open[r] = s.open[last]
		s.slot[s.open[r]] = r
	}
	s.open = s.open[:last]
}

// rebuild computes everything from the list of open facilities.
func (s *localSearch) rebuild() {
	for j, f := range s.in.Fixed {
		s.gain[j] = -f
	}
	for r, j := range s.open {
		s.loss[r] = -s.in.Fixed[j]
		clear(s.extra[r])
	}

	// Every client adds its terms once.
	for i := range s.first {
		s.locate(i)
		s.contribute(i, 1)
	}
	s.updates = 0
}

// locate finds the two nearest open facilities of client i.
func (s *localSearch) locate(i int) {
	row := s.in.Row(i)
	order, cost := s.rows.Row(i)
	first := server{-1, math.Inf(1)}
	second := first

	// With many facilities open, the first two of them in the sorted row are near its beginning.
	if len(s.open)*len(s.open) > 2*len(row) {
		for t, j := range order {
			r := s.slot[j]
			if r >= 0 && first.slot >= 0 {
				second = server{r, cost[t]}
				break
			}
			if r >= 0 {
				first = server{r, cost[t]}
			}
		}
	} else {
		for r, j := range s.open {
			if c := row[j]; c < first.cost {
				second = first
				first = server{int32(r), c}
			} else if c < second.cost {
				second = server{int32(r), c}
			}
		}
	}

	if second.slot < 0 {
		second.cost = cost[len(cost)-1]
	}
	s.first[i] = first
	s.second[i] = second
}

// contribute adds the terms of client i to the savings, times sign.
func (s *localSearch) contribute(i int, sign float64) {
	order, cost := s.rows.Row(i)
	r := s.first[i].slot
	d1 := s.first[i].cost
	d2 := s.second[i].cost
	extra := s.extra[r]
	both := sign * (d2 - d1)
	s.loss[r] += both

	// A facility that is cheaper than the nearest one gains when it opens, and makes up for all that closing costs.
	t := 0
	for ; t < len(cost) && cost[t] < d1; t++ {
		j := order[t]
		s.gain[j] += sign * (d1 - cost[t])
		extra[j] += both
	}

	// One between the two nearest only makes up for a part, where the nearest closes.
	for ; t < len(cost) && cost[t] < d2; t++ {
		extra[order[t]] += sign * (d2 - cost[t])
	}
}

// move is a facility to open, a slot to close, or both; -1 for none.
type move struct {
	in, out int32
	saving  float64
}

// best returns the move that saves most, ties by lowest index.
func (s *localSearch) best() move {
	b := move{-1, -1, math.Inf(-1)}
	for j, g := range s.gain {
		if s.slot[j] < 0 && g > b.saving {
			b = move{int32(j), -1, g}
		}
	}

	// Closing a facility alone, and with each other one opened in its place. A last facility is not closed alone.
	for r := range s.open {
		loss := s.loss[r]
		if len(s.open) > 1 && -loss > b.saving {
			b = move{-1, int32(r), -loss}
		}
		least := b.saving + loss
		for j, e := range s.extra[r] {
			if v := s.gain[j] + e; v > least && s.slot[j] < 0 {
				b = move{int32(j), int32(r), v - loss}
				least = v
			}
		}
	}
	return b
}

// apply makes a move. With few facilities open it changes most clients, and the savings are computed from scratch;
// otherwise only the terms of the clients whose two nearest facilities change are subtracted and added again.
func (s *localSearch) apply(b move) {
	if s.updates++; s.updates >= rebuildEvery || len(s.open) < 16 {
		if b.out >= 0 {
			s.detach(b.out)
		}
		if b.in >= 0 {
			s.attach(b.in)
		}
		s.rebuild()
		return
	}
	if b.in >= 0 {
		s.insert(b.in)
	}
	if b.out >= 0 {
		s.remove(b.out)
	}
}

// insert opens facility j and updates the savings.
func (s *localSearch) insert(j int32) {
	s.attach(j)
	r := s.slot[j]
	s.loss[r] = -s.in.Fixed[j]
	clear(s.extra[r])

	// Only clients for which the facility is nearer than the second nearest change their terms.
	n := s.in.Facilities
	for i := range s.second {
		if c := s.in.Cost[i*n+int(j)]; c < s.second[i].cost {
			s.contribute(i, -1)
			if c < s.first[i].cost {
				s.second[i] = s.first[i]
				s.first[i] = server{r, c}
			} else {
				s.second[i] = server{r, c}
			}
			s.contribute(i, 1)
		}
	}
}

// remove closes the facility in slot r and updates the savings.
func (s *localSearch) remove(r int32) {
	for i := range s.first {
		if s.first[i].slot == r || s.second[i].slot == r {
			s.contribute(i, -1)
		}
	}

	// The last slot moves to r, with its savings.
	last := int32(len(s.open) - 1)
	s.detach(r)
	s.loss[r], s.loss[last] = s.loss[last], s.loss[r]
	s.extra[r], s.extra[last] = s.extra[last], s.extra[r]

	for i := range s.first {
		if s.first[i].slot == r || s.second[i].slot == r {
			s.locate(i)
			s.contribute(i, 1)
			continue
		}
		if s.first[i].slot == last {
			s.first[i].slot = r
		}
		if s.second[i].slot == last {
			s.second[i].slot = r
		}
	}
}

// Descend makes the best move until no move improves the design, and returns the cost of the local optimum. It stops
// early, with a design that is no worse, when the context is cancelled.
func (s *localSearch) Descend(ctx context.Context) float64 {
	cost := s.in.TotalCost(s.open)
	for ctx.Err() == nil {
		b := s.best()
		if !(b.saving > worthwhile*cost) {
			if s.updates == 0 {
				break
			}
			s.rebuild() // confirm the local optimum without the rounding of the updates
			continue
		}

		before := cost
		design := s.Open()
		s.apply(b)
		if cost = s.in.TotalCost(s.open); !(cost < before) {
			s.Set(design) // a saving that was rounding only: costs of very different magnitude
			return before
		}
	}
	return cost
}
