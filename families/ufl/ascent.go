package ufl

import (
	"slices"

	"github.com/proxybd/proxybd/internal/outward"
)

// ascent is the dual ascent of Erlenkotter (1978) with its dual adjustment, for the condensed dual of the
// strong linear relaxation,
//
//	max sum_i v_i   s.t.  sum_i (v_i - c_ij)+ <= f_j.
//
// It keeps the slack of every facility; small negative ones are rounding, and the bound that is reported
// is always recomputed with directed rounding from the duals alone.
type ascent struct {
	in    *Instance
	rows  *sortedRows
	v     []float64
	next  []int32 // number of facilities with cost <= v_i, a position in the sorted row
	slack []float64
	tight float64 // a slack up to this much, absolute, counts as none
	mark  []bool
}

// Ascent returns the duals of Erlenkotter's dual ascent after at most passes rounds of dual adjustment, and
// the facilities that its primal construction opens.
func Ascent(in *Instance, passes int) (pi []float64, open []int32) {
	a := &ascent{in: in, rows: in.Sorted(), v: make([]float64, in.Clients), next: make([]int32, in.Clients),
		slack: append([]float64(nil), in.Fixed...), mark: make([]bool, in.Facilities)}
	a.tight = 1e-9 * max(1e-300, slices.Max(in.Fixed))
	all := make([]int32, in.Clients)
	for i := range all {
		all[i] = int32(i)
	}
	a.levelStart()
	a.raise(all)
	open = a.construct()
	for range passes {
		before := a.total()
		a.adjust(all, open)
		open = a.construct()
		if a.total() <= before*(1+1e-9) {
			break
		}
	}
	return a.v, open
}

// levelStart puts every dual at the cost of the same position in its row, the last one at which no facility is
// overdrawn; climbing there one breakpoint at a time would take most of the time, and the ascent from there is as good.
func (a *ascent) levelStart() {
	lo, hi := 0, a.in.Facilities // position lo is feasible: all slacks are the fixed costs there
	for hi-lo > 1 {
		if mid := int(uint(lo+hi) >> 1); a.place(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	a.place(lo)
}

// place puts the duals at a position of the sorted rows and reports whether the slacks are nonnegative.
func (a *ascent) place(position int) bool {
	copy(a.slack, a.in.Fixed)
	for i := range a.v {
		order, cost := a.rows.Row(i)
		v := cost[position]
		a.v[i], a.next[i] = v, int32(above(cost, v))
		for t, j := range order[:a.next[i]] {
			a.slack[j] -= v - cost[t]
		}
	}
	return slices.Min(a.slack) >= 0
}

// above returns the number of sorted costs that are at most v.
func above(cost []float64, v float64) int {
	lo, hi := 0, len(cost)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if cost[mid] <= v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

func (a *ascent) total() float64 {
	var s outward.Sum
	for _, v := range a.v {
		s.Add(v)
	}
	return s.Value()
}

// raise lifts the duals of the clients, in turn and one breakpoint at a time, until every one of them is
// blocked by a facility without slack.
func (a *ascent) raise(clients []int32) {
	for moved := true; moved; {
		moved = false
		for _, i := range clients {
			moved = a.step(i) || moved
		}
	}
}

// step raises client i to its next breakpoint or as far as the slacks allow, and reports whether it moved
// and may move again.
func (a *ascent) step(i int32) bool {
	order, cost := a.rows.Row(int(i))
	k := int(a.next[i])
	room := a.in.Fixed[order[0]] + a.tight
	for _, j := range order[:k] {
		room = min(room, a.slack[j])
	}
	if room <= a.tight {
		return false
	}
	free := true
	if k < len(cost) && cost[k]-a.v[i] <= room {
		room = cost[k] - a.v[i]
	} else {
		free = false
	}
	for _, j := range order[:k] {
		a.slack[j] -= room
	}
	if a.v[i] += room; free {
		a.v[i] = cost[k]
		a.next[i] = int32(k + 1)
		for int(a.next[i]) < len(cost) && cost[a.next[i]] <= a.v[i] {
			a.next[i]++
		}
	}
	return free
}

// construct opens facilities without slack until every client has one with cost <= v_i: first those that
// are the only one for some client, then for every client without one its cheapest.
func (a *ascent) construct() []int32 {
	clear(a.mark)
	var open []int32
	add := func(j int32) {
		if !a.mark[j] {
			a.mark[j] = true
			open = append(open, j)
		}
	}
	for pass := range 2 {
		for i := range a.in.Clients {
			order, _ := a.rows.Row(i)
			tight, count, covered := int32(-1), 0, false
			for _, j := range order[:a.next[i]] {
				if a.slack[j] <= a.tight {
					if count++; tight < 0 {
						tight = j
					}
					covered = covered || a.mark[j]
				}
			}
			if count == 1 || pass == 1 && count > 1 && !covered {
				add(tight)
			}
		}
	}
	if len(open) == 0 {
		add(a.rows.Order[0])
	}
	slices.Sort(open)
	return open
}

// adjust is the dual adjustment: where two open facilities are both cheaper than v_i, it lowers v_i to the
// breakpoint below, lets the clients that depend on those facilities alone rise, and then everyone. A change
// that does not pay is taken back.
func (a *ascent) adjust(all, open []int32) {
	clear(a.mark)
	for _, j := range open {
		a.mark[j] = true
	}
	v, next, slack := slices.Clone(a.v), slices.Clone(a.next), slices.Clone(a.slack)
	best := a.total()
	for i := range a.in.Clients {
		first, second := a.contributors(i)
		if second < 0 {
			continue
		}
		a.lower(i)
		a.raise(a.dependants(first, second))
		a.raise([]int32{int32(i)})
		a.raise(all)
		if total := a.total(); total >= best {
			best = total
			copy(v, a.v)
			copy(next, a.next)
			copy(slack, a.slack)
		} else {
			copy(a.v, v)
			copy(a.next, next)
			copy(a.slack, slack)
		}
	}
}

// contributors returns the two cheapest open facilities with cost below v_i, or -1.
func (a *ascent) contributors(i int) (first, second int32) {
	first, second = -1, -1
	order, cost := a.rows.Row(i)
	for t, j := range order {
		if cost[t] >= a.v[i] {
			break
		}
		if a.mark[j] {
			if first >= 0 {
				return first, j
			}
			first = j
		}
	}
	return first, second
}

// lower takes v_i down to the largest cost below it and gives the slack back.
func (a *ascent) lower(i int) {
	order, cost := a.rows.Row(i)
	k := below(cost, a.v[i])
	drop := a.v[i] - cost[k-1]
	for _, j := range order[:k] {
		a.slack[j] += drop
	}
	a.v[i] = cost[k-1]
	a.next[i] = int32(above(cost, a.v[i]))
}

// dependants lists the clients for which one of two facilities is the only one without slack in reach.
func (a *ascent) dependants(first, second int32) []int32 {
	var clients []int32
	for i := range a.in.Clients {
		order, _ := a.rows.Row(i)
		only, count := int32(-1), 0
		for _, j := range order[:a.next[i]] {
			if a.mark[j] {
				only = j
				count++
			}
		}
		if count == 1 && (only == first || only == second) {
			clients = append(clients, int32(i))
		}
	}
	return clients
}
