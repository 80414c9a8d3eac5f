package cap

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/outward"
)

// transportProblem solves the recourse of one instance exactly at any point y of [0,1]^n: the transportation problem
// with supplies s_j y_j in which facility j serves at most the share y_j of each client.
//
// It is a minimum-cost flow, and it has few supply nodes, so successive shortest paths (Ahuja, Magnanti and Orlin
// 1993, section 9.7) are computed on the facilities alone: every client is first assigned to its cheapest facilities,
// and then demand moves along shortest paths from overloaded facilities to those with room. The arc (j, k) is the
// client that moves at the least cost a unit, w_jk = min { u_ik - u_ij : x_ij > 0, x_ik < y_k } with u = c / d. The
// potentials of the last path are the optimal prices mu of the capacities; only the multiplier of each client is then
// not determined (paper, Appendix B, CAP).
//
// A transportProblem keeps its memory between calls; it is for one goroutine.
type transportProblem struct {
	in     *Instance
	order  []int32   // facilities of each client by ascending cost, m x n
	demand []float64 // of the clients; 0 where it is too small to matter
	flow   float64   // amounts of demand up to this count as none

	site     []int32   // the facilities on which y has mass: the local ones
	share    []float64 // y_j; this and the slices below have one entry a local facility
	room     []float64 // s_j y_j minus the load; negative while it is overloaded
	price    []float64 // mu_j
	unit     []float64 // u_ij, m x p
	x        []float64 // the share of the client that the facility serves, m x p
	users    [][]int32 // clients of positive demand with x_ij > 0
	at       []int32   // position of the client in users, m x p
	weight   []float64 // w_jk, p x p, +Inf where no client can move
	arc      []int32   // the client of w_jk
	distance []float64 // from the overloaded facilities, in reduced costs
	parent   []int32   // the facility before it on the shortest path, -1 for none
	done     []bool    // its distance is final
	top      float64   // price of an overloaded facility
	steps    int       // augmentations of the last Solve

	shortage *transportProblem // of the first phase, nil until Refute needs it
}

// newTransport returns the solver of a valid instance.
func newTransport(in *Instance) *transportProblem {
	t := &transportProblem{
		in:     in,
		demand: make([]float64, in.Clients),
		flow:   1e-12 * in.TotalDemand(),
		order:  in.Ranked().Order,
	}

	// All demands that are left out together are less than what counts as none.
	for i, d := range in.Demand {
		if d > t.flow/float64(in.Clients) {
			t.demand[i] = d
		}
	}
	return t
}

// massTolerance is the absolute amount below one up to which the mass of y that serves a client counts as one.
const massTolerance = 1e-9

// Solve returns Q(y), and false if the recourse is infeasible (see Instance.feasible and misplaced). Entries of y of at
// most 1e-12 count as zero. It returns an error only if the context was cancelled.
func (t *transportProblem) Solve(ctx context.Context, y []float64) (value float64, feasible bool, err error) {
	if !t.in.feasible(y) {
		return math.Inf(1), false, nil
	}

	// Every client at its cheapest facilities is optimal but for the capacities; each path then removes overload.
	t.reset(y)
	t.assign()
	t.link()
	for t.steps = 0; ; t.steps++ {
		if t.steps%256 == 255 {
			if err := ctx.Err(); err != nil {
				return 0, false, err
			}
		}
		end := t.shortest()
		if end < 0 {
			break
		}
		t.augment(end)
	}

	// mu_k is the sum of the path lengths minus the potential of k. An overloaded facility has potential 0, and so the
	// highest price.
	for k := range t.price {
		t.price[k] = max(0, t.top-t.price[k])
	}
	if t.misplaced() {
		return math.Inf(1), false, nil
	}
	return t.cost(), true, nil
}

// reset sets the local facilities to the support of y, and the local arrays to their sizes.
func (t *transportProblem) reset(y []float64) {
	const none = 1e-12
	t.site = t.site[:0]
	t.share = t.share[:0]
	t.room = t.room[:0]
	for j, v := range y {
		if v > none {
			v = min(v, 1)
			t.site = append(t.site, int32(j))
			t.share = append(t.share, v)
			t.room = append(t.room, v*t.in.Capacity[j])
		}
	}

	p := len(t.site)
	m := t.in.Clients
	resize(p, &t.price, &t.distance)
	resize(p, &t.parent)
	resize(p, &t.done)
	resize(m*p, &t.unit, &t.x)
	resize(m*p, &t.at)
	resize(p*p, &t.weight)
	resize(p*p, &t.arc)
	for len(t.users) < p {
		t.users = append(t.users, nil)
	}
	for k := range p {
		t.users[k] = t.users[k][:0]
	}
	clear(t.price)
	clear(t.x)
	t.top = 0

	// A client without demand takes no capacity, so its costs a unit do not matter.
	for i, d := range t.demand {
		row := t.in.Row(i)
		inverse := 0.0
		if d > 0 {
			inverse = 1 / d
		}
		for k, j := range t.site {
			t.unit[i*p+k] = row[j] * inverse
		}
	}
}

// resize gives slices the length n. Their entries are not defined.
func resize[T any](n int, slices ...*[]T) {
	for _, s := range slices {
		if cap(*s) < n {
			*s = make([]T, n)
		}
		*s = (*s)[:n]
	}
}

// assign assigns every client to its cheapest facilities, whatever their capacities.
func (t *transportProblem) assign() {
	p := len(t.site)
	n := t.in.Facilities
	local := slices.Repeat([]int32{-1}, n)
	for k, j := range t.site {
		local[j] = int32(k)
	}

	for i, d := range t.demand {
		left := 1.0
		for _, j := range t.order[i*n : (i+1)*n] {
			k := local[j]
			if k < 0 {
				continue
			}

			// A share that is within the tolerance of the rest is taken whole, so that it counts as full.
			x := t.share[k]
			if x > left-massTolerance {
				x = min(x, left)
			}
			t.x[i*p+int(k)] = x
			t.room[k] -= d * x
			if d > 0 {
				t.join(int32(i), int(k))
			}
			if left -= x; left <= massTolerance {
				break
			}
		}
	}
}

// join makes client i a user of facility k.
func (t *transportProblem) join(i int32, k int) {
	t.at[int(i)*len(t.site)+k] = int32(len(t.users[k]))
	t.users[k] = append(t.users[k], i)
}

// leave removes client i from the users of facility k; the last one takes its position.
func (t *transportProblem) leave(i int32, k int) {
	p := len(t.site)
	list := t.users[k]
	at := t.at[int(i)*p+k]
	last := list[len(list)-1]
	list[at] = last
	t.at[int(last)*p+k] = at
	t.users[k] = list[:len(list)-1]
}

// link computes all arcs.
func (t *transportProblem) link() {
	for a := range t.weight {
		t.weight[a] = math.Inf(1)
	}
	for k := range t.site {
		// An arc is the client that moves at the least cost of all users of its tail.
		for _, i := range t.users[k] {
			t.relaxFrom(i, k)
		}
	}
}

// relaxFrom offers client i of facility k to the arcs that leave k.
func (t *transportProblem) relaxFrom(i int32, k int) {
	p := len(t.site)
	unit := t.unit[int(i)*p:][:p]
	x := t.x[int(i)*p:][:p]
	weight := t.weight[k*p:][:p]
	base := unit[k]
	for l, u := range unit {
		// A facility that already serves all of its share of the client can take no more.
		if w := u - base; w < weight[l] && x[l] < t.share[l] && l != k {
			weight[l] = w
			t.arc[k*p+l] = i
		}
	}
}

// relaxInto offers client i, for which facility k has room, to the arcs that enter k.
func (t *transportProblem) relaxInto(i int32, k int) {
	p := len(t.site)
	unit := t.unit[int(i)*p:][:p]
	x := t.x[int(i)*p:][:p]
	for l, share := range x {
		// Only facilities that serve the client can pass it on.
		if share > 0 && l != k && unit[k]-unit[l] < t.weight[l*p+k] {
			t.weight[l*p+k] = unit[k] - unit[l]
			t.arc[l*p+k] = i
		}
	}
}

// search computes the arc (k, l) from all users of k.
func (t *transportProblem) search(k, l int) {
	p := len(t.site)
	best := math.Inf(1)
	arc := int32(0)
	share := t.share[l]
	for _, i := range t.users[k] {
		at := int(i) * p

		// As in relaxFrom, over all users instead of one.
		if w := t.unit[at+l] - t.unit[at+k]; w < best && t.x[at+l] < share {
			best = w
			arc = i
		}
	}
	t.weight[k*p+l] = best
	t.arc[k*p+l] = arc
}

// tie is the part of its terms by which a path has to be shorter than one with fewer arcs: the two paths of a client
// from j to l, direct and over k, have equal lengths up to rounding, and over a facility k with a mass of 1e-7 only
// that share of the client moves at a time.
const tie = 1e-14

// shortest finds the facility with room that is nearest to an overloaded one, by Dijkstra's algorithm over reduced
// costs, and raises the potentials. It returns -1 if nothing is overloaded or nothing with room can be reached.
func (t *transportProblem) shortest() int {
	p := len(t.site)
	clear(t.done)
	for k, r := range t.room {
		t.distance[k] = math.Inf(1)
		t.parent[k] = -1
		if r < -t.flow {
			t.distance[k] = 0
		}
	}

	for {
		// The nearest facility that is not done; there is none at first if nothing is overloaded.
		v := -1
		near := math.Inf(1)
		for k, d := range t.distance {
			if d < near && !t.done[k] {
				v = k
				near = d
			}
		}
		if v < 0 {
			return -1
		}

		// The end of the path. Potentials rise by the distances, so that reduced costs stay nonnegative.
		if t.room[v] > t.flow {
			for k, d := range t.distance {
				t.price[k] += min(d, near)
			}
			t.top += near
			return v
		}

		t.done[v] = true
		base := near + t.price[v]
		for k, w := range t.weight[v*p:][:p] {
			rounding := tie * (base + math.Abs(w) + t.price[k])
			if d := max(near, base+w-t.price[k]); d < t.distance[k]-rounding {
				t.distance[k] = d
				t.parent[k] = int32(v)
			}
		}
	}
}

// augment moves demand along the path that ends at the facility given.
func (t *transportProblem) augment(end int) {
	// The amount is bounded by the room at the end, by every arc, and by the overload at the start.
	p := len(t.site)
	amount := t.room[end]
	start := end
	for k := end; t.parent[k] >= 0; k = start {
		start = int(t.parent[k])
		i := int(t.arc[start*p+k])
		amount = min(amount, t.demand[i]*min(t.x[i*p+start], t.share[k]-t.x[i*p+k]))
	}
	amount = min(amount, -t.room[start])
	t.room[end] -= amount
	t.room[start] += amount

	for k := end; t.parent[k] >= 0; {
		from := int(t.parent[k])
		t.move(t.arc[from*p+k], from, k, amount)
		k = from
	}
}

// move moves an amount of client i from facility j to k and repairs the arcs. Shares within rounding of 0 or of
// y are set to it, so that the client of an arc can always move by more than rounding.
func (t *transportProblem) move(i int32, j, k int, amount float64) {
	const rounding = 1e-13
	p := len(t.site)
	x := t.x[int(i)*p:][:p]
	share := amount / t.demand[i]
	wasFull := x[j] >= t.share[j]
	wasAbsent := x[k] <= 0
	x[j] -= share
	x[k] += share

	gone := x[j] <= rounding*t.share[j]
	full := x[k] >= t.share[k]*(1-rounding)
	if full {
		x[k] = t.share[k]
	}
	if gone {
		x[j] = 0
		t.leave(i, j)
	}

	// Arcs that the client can use from now on may become shorter.
	if wasAbsent {
		t.join(i, k)
		t.relaxFrom(i, k)
	}
	if wasFull {
		t.relaxInto(i, j)
	}

	// Arcs that it can no longer use need another client. The arc from a facility to itself has an infinite weight.
	for l := range p {
		if gone && t.arc[j*p+l] == i && !math.IsInf(t.weight[j*p+l], 1) {
			t.search(j, l)
		}
		if full && t.arc[l*p+k] == i && !math.IsInf(t.weight[l*p+k], 1) {
			t.search(l, k)
		}
	}
}

// cost returns the cost of the shares.
func (t *transportProblem) cost() float64 {
	var s outward.Sum
	p := len(t.site)
	for i := range t.in.Clients {
		row := t.in.Row(i)
		for k, j := range t.site {
			// The sum is in doubled precision, since designs are compared by it.
			if x := t.x[i*p+k]; x > 0 {
				s.Add(x * row[j])
			}
		}
	}
	return s.Value()
}

// Duals fills lambda, one entry a client, with optimal multipliers of the demand rows after a Solve that was
// feasible. Those of client i are an interval: from the highest price c_ij + d_i mu_j that it pays to the lowest
// price at which more of it could be served. The entry is the point of the interval that is nearest to centre, or
// the low end if centre is nil.
func (t *transportProblem) Duals(lambda, centre []float64) {
	p := len(t.site)
	for i, d := range t.demand {
		row := t.in.Row(i)
		low := 0.0
		high := math.Inf(1)
		for k, j := range t.site {
			// What the client pays at facility j, with the price of the capacity.
			v := row[j] + d*t.price[k]

			// It pays no less than where it is served, and no more than where it could be served in addition.
			if t.x[i*p+k] > 0 {
				low = max(low, v)
			}
			if t.x[i*p+k] < t.share[k] {
				high = min(high, v)
			}
		}

		if lambda[i] = low; centre != nil && high < math.Inf(1) {
			lambda[i] = max(low, min(high, centre[i]))
		}
	}
}

// Assignment fills x (m x n, row-major) with the optimal shares of the last Solve.
func (t *transportProblem) Assignment(x []float64) {
	clear(x)
	p := len(t.site)
	n := t.in.Facilities
	for i := range t.in.Clients {
		// The local facilities are the only ones with shares.
		for k, j := range t.site {
			x[i*n+int(j)] = t.x[i*p+k]
		}
	}
}
