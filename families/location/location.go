// Package location is what families of facility location share: the data of facilities and clients, their files, the
// assignment part of their models, and the tables and the picture of their solutions.
//
// With n facilities and m clients the problem is
//
//	min  sum_j f_j y_j + sum_ij c_ij x_ij,  sum_j x_ij >= 1 for every client i,  0 <= x_ij <= y_j,  y binary,
//
// where x_ij is the share of client i that facility j serves and c_ij the cost of all of it; with capacities
// sum_i d_i x_ij <= s_j y_j comes in addition. A Location has these numbers (location.go), from OR-Library's layout
// (read.go) or from tables (tables.go). AddAssignment makes the columns and rows of the shares (assignment.go). Sites
// is a design with its shares as people see it: facilities with loads, clients, who serves whom, and a picture
// (sites.go). A facility that may not serve some client is in forbidden.go.
//
// Matrices are row-major by client: number i*n + j belongs to client i and facility j.
package location

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/tables"
	"github.com/proxybd/proxybd/internal/outward"
)

// Location is the data of a facility location problem, nonnegative and finite. Cost is m x n row-major:
// Cost[i*Facilities+j] is what serving all of client i from facility j costs. It must not be changed, nor copied by
// value, once a solver has read it: the costs by columns and by rank are cached.
type Location struct {
	Name string
	// Facilities is n, Clients is m.
	Facilities int
	Clients    int
	// Capacity is s_j, nil without capacities.
	Capacity []float64
	// Fixed is f_j, the cost of opening facility j.
	Fixed []float64
	// Demand is d_i, nil without capacities.
	Demand []float64
	// Cost is c_ij, m x n.
	Cost []float64
	// Forbidden are the pairs whose facility may not serve the client, m x n, nil where all are allowed. Their costs
	// are the family's; see Forbid.
	Forbidden []bool

	// Labels are the names of a table file; nil for numbers from 1.
	Labels *tables.Labels

	// columns is the transposed Cost, n x m, and ranked what Ranked returns; nil until the first call.
	columns atomic.Pointer[[]float64]
	ranked  atomic.Pointer[Ranking]
}

// Clamp returns v limited to [low, high]; NaN counts as low. The projections of duals limit every entry so.
func Clamp(v, low, high float64) float64 {
	if !(v >= low) {
		return low
	}
	return min(v, high)
}

// Row returns the costs of client i, one a facility. It is a view.
func (in *Location) Row(i int) []float64 {
	n := in.Facilities
	return in.Cost[i*n : (i+1)*n : (i+1)*n]
}

// Column returns the costs of facility j, one a client. It is a view of a transposed copy, made at the first call.
func (in *Location) Column(j int) []float64 {
	c := in.columns.Load()
	if c == nil {
		t := make([]float64, len(in.Cost))
		for i := range in.Clients {
			for k, v := range in.Row(i) {
				t[k*in.Clients+i] = v
			}
		}
		c = &t
		in.columns.Store(c)
	}

	// Two goroutines that come first at once make the same copy, so it does not matter whose is kept.
	m := in.Clients
	return (*c)[j*m : (j+1)*m : (j+1)*m]
}

// Ranking holds every row in ascending order of cost, ties by facility: Order[i*n+t] is the facility at position t of
// row i, and Cost[i*n+t] what it costs. It is read-only.
type Ranking struct {
	Order []int32
	Cost  []float64
	// n is the number of facilities.
	n int
}

// Ranked returns the rows by cost. They are sorted once, in O(m n log n), and kept; several goroutines may call Ranked
// at once.
func (in *Location) Ranked() *Ranking {
	// The first of several goroutines that sort at once wins, so that all get the same lists.
	if r := in.ranked.Load(); r != nil {
		return r
	}
	in.ranked.CompareAndSwap(nil, in.rank())
	return in.ranked.Load()
}

// Row returns the order and the sorted costs of client i, as views.
func (r *Ranking) Row(i int) ([]int32, []float64) {
	lo := i * r.n
	hi := lo + r.n
	return r.Order[lo:hi:hi], r.Cost[lo:hi:hi]
}

// rank sorts the costs of every client.
func (in *Location) rank() *Ranking {
	n := in.Facilities
	r := &Ranking{Order: make([]int32, len(in.Cost)), Cost: make([]float64, len(in.Cost)), n: n}
	type entry struct {
		cost     float64
		facility int32
	}
	row := make([]entry, n)
	for i := range in.Clients {
		for j, c := range in.Row(i) {
			row[j] = entry{c, int32(j)}
		}

		// Ties go by facility, so that the order is the same at every call.
		slices.SortFunc(row, func(a, b entry) int {
			return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.facility, b.facility))
		})
		order, cost := r.Row(i)
		for t, e := range row {
			order[t] = e.facility
			cost[t] = e.cost
		}
	}
	return r
}

// Clone returns a deep copy without the caches, for a caller who wants to change it.
func (in *Location) Clone() *Location {
	// The caches of the columns and ranks stay behind: they are of the costs as they were.
	return &Location{
		Name:       in.Name,
		Facilities: in.Facilities,
		Clients:    in.Clients,
		Capacity:   slices.Clone(in.Capacity),
		Fixed:      slices.Clone(in.Fixed),
		Demand:     slices.Clone(in.Demand),
		Cost:       slices.Clone(in.Cost),
		Forbidden:  slices.Clone(in.Forbidden),
	}
}

// Check reports the first thing that makes the data unusable, as CheckNumbers does; capacitated data have capacities
// and demands.
func (in *Location) Check(family string, limit float64, capacitated bool) error {
	n := in.Facilities
	m := in.Clients
	if min(n, m) < 1 || max(n, m) > instance.MaxDim {
		return fmt.Errorf("%s: %w: %d facilities and %d clients", family, instance.ErrInstance, n, m)
	}
	if len(in.Cost)%n != 0 || len(in.Cost)/n != m {
		return fmt.Errorf("%s: %w: %d costs for %d clients and %d facilities", family, instance.ErrInstance,
			len(in.Cost), m, n)
	}
	if in.Forbidden != nil && len(in.Forbidden) != len(in.Cost) {
		return fmt.Errorf("%s: %w: %d pairs are said to be allowed or not, of %d", family, instance.ErrInstance,
			len(in.Forbidden), len(in.Cost))
	}

	// The numbers of a facility or a client.
	lists := []instance.Numbers{{Of: "fixed cost of facility", List: in.Fixed, Want: n}}
	if capacitated {
		lists = append(lists, instance.Numbers{Of: "capacity of facility", List: in.Capacity, Want: n},
			instance.Numbers{Of: "demand of client", List: in.Demand, Want: m})
	}
	if err := instance.CheckNumbers(family, limit, lists...); err != nil {
		return err
	}

	// The costs by client; their sum must be one that sums in float64 can hold.
	total := 0.0
	for k, c := range in.Cost {
		if !(c >= 0 && c <= math.MaxFloat64) {
			return fmt.Errorf("%s: %w: cost %g of client %d at facility %d", family, instance.ErrInstance, c, k/n, k%n)
		}
		total += c
	}
	if !(total < limit) {
		return fmt.Errorf("%s: %w: the costs add up to %g, beyond what sums in float64 can hold", family,
			instance.ErrInstance, total)
	}
	return nil
}

// TotalDemand returns the sum of the demands, rounded to nearest.
func (in *Location) TotalDemand() float64 { return outward.Total(in.Demand) }

// Design returns the 0-1 vector that opens the facilities listed.
func (in *Location) Design(open []int32) []float64 { return instance.Design(in.Facilities, open) }

// Without drops the facilities that a fixing closes. Clients stay.
func (in *Location) Without(f lagrange.Fixing) (*Location, *lagrange.Reduction, error) {
	r, err := f.Reduction(in.Facilities)
	if err != nil {
		return nil, nil, err
	}

	// The demands are shared; what belongs to facilities loses the numbers of those that are closed.
	out := &Location{
		Name:       in.Name,
		Facilities: len(r.Keep),
		Clients:    in.Clients,
		Fixed:      r.Columns(in.Fixed),
		Demand:     in.Demand,
		Cost:       r.Columns(in.Cost),
	}
	if in.Capacity != nil {
		out.Capacity = r.Columns(in.Capacity)
	}
	if in.Forbidden != nil {
		for i := range in.Clients {
			for _, j := range r.Keep {
				out.Forbidden = append(out.Forbidden, !in.Allowed(i, int(j)))
			}
		}
	}
	return out, r, nil
}

// Cheapest returns a lower bound on the cost of serving all clients: the sum of their least costs, rounded down.
func (in *Location) Cheapest() float64 {
	var low outward.Sum
	for i := range in.Clients {
		// No design serves the client for less.
		low.Add(slices.Min(in.Row(i)))
	}
	return low.Down()
}

// OpenID implements Numbered.
func (in *Location) OpenID(j int) any { return tables.ID(in.labels().Facilities, j, 1) }

// labels returns what things are called, empty lists where they are numbered.
func (in *Location) labels() *tables.Labels {
	if in.Labels == nil {
		return &tables.Labels{}
	}
	return in.Labels
}

// LabelOf is the label of an instance of a family, which what names for people.
func (in *Location) LabelOf(family, what string) families.Label {
	// Shapes name the clients first, as the literature does.
	return families.Label{
		Family: family,
		Name:   in.Name,
		Ext:    ".txt",
		Shape:  families.FormatShape(in.Clients, in.Facilities),
		Title:  fmt.Sprintf("%s: %s, %d clients, %d facilities", in.Name, what, in.Clients, in.Facilities),
	}
}

// Sites are the facilities and clients, for tables and pictures. unit is the cost of serving client i from facility j
// with one unit, or without demands with its whole demand.
func (in *Location) Sites(unit func(i, j int) float64) *Sites {
	labels := in.labels()
	return &Sites{
		FacilityNames: labels.Facilities,
		ClientNames:   labels.Clients,
		From:          1,
		Client:        "client",
		Fixed:         in.Fixed,
		Capacity:      in.Capacity,
		Demand:        in.Demand,
		Places:        labels.Places,
		Unit:          unit,
	}
}
