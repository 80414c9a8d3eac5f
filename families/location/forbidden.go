package location

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/tables"
	"github.com/proxybd/proxybd/lp"
)

// Allowed reports whether facility j may serve client i.
func (in *Location) Allowed(i, j int) bool {
	return in.Forbidden == nil || !in.Forbidden[i*in.Facilities+j]
}

// ForbiddenPairs lists the numbers i*n + j of the pairs that are not allowed, ascending.
func (in *Location) ForbiddenPairs() (list []int32) {
	for k, forbidden := range in.Forbidden {
		if forbidden {
			list = append(list, int32(k))
		}
	}
	return list
}

// servers lists the facilities that may serve client i.
func (in *Location) servers(i int) (list []int32) {
	for j := range in.Facilities {
		if in.Allowed(i, j) {
			list = append(list, int32(j))
		}
	}
	return list
}

// CostRange returns the least and the largest cost of client i at the facilities that may serve it, both 0 where there
// is none.
func (in *Location) CostRange(i int) (low, high float64) {
	first := true
	for j, c := range in.Row(i) {
		if !in.Allowed(i, j) {
			continue
		}
		if first {
			low = c
			high = c
			first = false
		}
		low = min(low, c)
		high = max(high, c)
	}
	return low, high
}

// Forbid sets the costs of all pairs of client i that are not allowed. A family chooses a cost at which no optimal
// solution has such a pair, so that whatever needs a complete matrix has one.
func (in *Location) Forbid(i int, cost float64) {
	row := in.Row(i)
	for j := range row {
		if !in.Allowed(i, j) {
			row[j] = cost
		}
	}
}

// Unserved returns the first client that no facility of a design may serve, -1 if there is none.
func (in *Location) Unserved(y []float64) int {
	if in.Forbidden == nil {
		return -1
	}
	open := instance.Open(y)
	for i := range in.Clients {
		if !slices.ContainsFunc(open, func(j int32) bool { return in.Allowed(i, int(j)) }) {
			return i
		}
	}
	return -1
}

// ClientName returns the name or number of client i for people.
func (in *Location) ClientName(i int) string {
	return fmt.Sprint(tables.ID(in.labels().Clients, i, 1))
}

// NoFacility is the reason why an instance is infeasible that has a client which no facility may serve; "" where every
// client has one.
func (in *Location) NoFacility() string {
	for i := range in.Clients {
		if in.Forbidden != nil && len(in.servers(i)) == 0 {
			return fmt.Sprintf("client %s has no facility that may serve it", in.ClientName(i))
		}
	}
	return ""
}

// Reach is a set of facilities, at least one of which a design must open: those that may serve a client.
type Reach struct {
	Client     int
	Facilities []int32
}

// Reaches returns the sets of the clients that some facility may not serve, the smallest first. A set that contains
// another one is left out, as the other one implies it.
func (in *Location) Reaches() (list []Reach) {
	if in.Forbidden == nil {
		return nil
	}
	var all []Reach
	for i := range in.Clients {
		if s := in.servers(i); len(s) < in.Facilities {
			all = append(all, Reach{i, s})
		}
	}
	slices.SortStableFunc(all, func(a, b Reach) int { return cmp.Compare(len(a.Facilities), len(b.Facilities)) })

	// A set can contain only those before it. Sets are compared 64 facilities at a time.
	var kept [][]uint64
	for _, r := range all {
		set := make([]uint64, (in.Facilities+63)/64)
		for _, j := range r.Facilities {
			set[j/64] |= 1 << (j % 64)
		}
		if !slices.ContainsFunc(kept, func(small []uint64) bool { return contains(set, small) }) {
			kept = append(kept, set)
			list = append(list, r)
		}
	}
	return list
}

// contains reports whether every bit of small is in set.
func contains(set, small []uint64) bool {
	for k, w := range small {
		if bits.OnesCount64(w&^set[k]) > 0 {
			return false
		}
	}
	return true
}

// AddReach adds to a first-stage model, whose first columns open facilities, the rows reach_i: one of the facilities
// that may serve client i is open. There are none where every facility may serve every client.
func (in *Location) AddReach(model *lp.Model) {
	for _, r := range in.Reaches() {
		ones := slices.Repeat([]float64{1}, len(r.Facilities))
		model.AddRow(lp.Row{Name: fmt.Sprintf("reach_%d", r.Client), Lower: 1, Upper: lp.Inf}, r.Facilities, ones)
	}
}

// Content is what the hash of the data covers: the sizes and numbers given, and the pairs that are not allowed, where
// there are any.
func (in *Location) Content(tag string, numbers ...[]float64) instance.Content {
	c := instance.Content{Tag: tag, Sizes: []int{in.Facilities, in.Clients}, Numbers: numbers}
	if pairs := in.ForbiddenPairs(); pairs != nil {
		c.Sizes = append(c.Sizes, len(pairs))
		c.Ends = [][]int32{pairs}
	}
	return c
}
