package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/proxybd/proxybd/record"
)

// facilities is an instance of ufl or cap: client i takes the share x_ij at facility j at the cost c_ij x_ij,
// sum_j x_ij = 1, 0 <= x_ij <= y_j, and for cap sum_i d_i x_ij <= s_j y_j. Shares of forbidden pairs are zero.
type facilities struct {
	record.Facilities
	capacitated bool

	// Epigraphs, and the demand of all clients.
	parts  int
	demand *num

	// The pairs of client i and facility j, at i*n + j, that may not be used; nil where all may.
	forbidden []bool
}

// allowed reports whether facility j may serve client i.
func (f *facilities) allowed(i, j int) bool {
	return f.forbidden == nil || !f.forbidden[i*f.Facilities.Facilities+j]
}

// openFacilities reads an instance of ufl or cap.
func openFacilities(r *record.Record) (problem, error) {
	f := &facilities{capacitated: r.Header.Family == "cap", parts: r.Header.Epigraphs}
	if err := r.Instance.Decode(&f.Facilities); err != nil {
		return nil, err
	}

	// Nothing is multiplied, which could overflow: the lengths bound the sizes.
	n, m := f.Facilities.Facilities, f.Clients
	if n < 1 || m < 1 || len(f.Cost)%n != 0 {
		return nil, errLengths
	}

	// Only cap has capacities and demands.
	places, clients := 0, 0
	if f.capacitated {
		places, clients = n, m
	}
	if !slices.Equal([]int{len(f.Fixed), len(f.Cost) / n, len(f.Capacity), len(f.Demand)}, []int{n, m, places, clients}) {
		return nil, errLengths
	}

	if err := nonnegative(f.Fixed, f.Cost, f.Capacity, f.Demand); err != nil {
		return nil, err
	}

	// The list of pairs ascends, so that it has each once.
	if f.Forbidden != nil {
		f.forbidden = make([]bool, len(f.Cost))
	}
	last := int32(-1)
	for _, k := range f.Forbidden {
		if k <= last || int(k) >= len(f.Cost) {
			return nil, fmt.Errorf("the forbidden pair %d", k)
		}
		f.forbidden[k] = true
		last = k
	}

	// The demand in all is what rows on the first stage are proven from.
	f.demand = of(0)
	for _, d := range f.Demand {
		f.demand.add(of(d))
	}
	return f, nil
}

// nonnegative reports the first number that is negative or not finite.
func nonnegative(lists ...[]float64) error {
	for _, list := range lists {
		// A negative number would reverse inequalities that the proofs rely on.
		for _, v := range list {
			if !finite(v) || v < 0 {
				return fmt.Errorf("the number %g", v)
			}
		}
	}
	return nil
}

// epigraphs is one, or in ufl one a client.
func (f *facilities) epigraphs() int {
	// In cap the clients share capacities, so that their costs cannot be divided.
	if f.parts == f.Clients && !f.capacitated {
		return f.Clients
	}
	return 1
}

// first has the facilities as columns.
func (f *facilities) first() *stage { return binary01(f.Fixed) }

// binary01 is the first stage of binary columns.
func binary01(cost []float64) *stage {
	n := len(cost)
	return &stage{
		cost:    cost,
		lower:   make([]float64, n),
		upper:   slices.Repeat([]float64{1}, n),
		integer: slices.Repeat([]bool{true}, n),
	}
}

// hash is that of the sizes and numbers; in ufl, which came first, without the name of the family.
func (f *facilities) hash() string {
	sizes := []int{f.Facilities.Facilities, f.Clients}
	if len(f.Forbidden) > 0 {
		sizes = append(sizes, len(f.Forbidden))
	}
	for _, k := range f.Forbidden {
		sizes = append(sizes, int(k))
	}
	if f.capacitated {
		return record.ContentHash("cap", sizes, f.Capacity, f.Fixed, f.Demand, f.Cost)
	}
	return record.ContentHash("", sizes, f.Fixed, f.Cost)
}

// checkRow accepts rows with nonnegative coefficients that hold where some facility is open, since clients need one, or
// where the open facilities carry the demand.
func (f *facilities) checkRow(r *record.Row) error {
	// A row that every single facility satisfies holds where one is open.
	a := dense(f.Facilities.Facilities, r.Index, r.Value)
	if least := slices.Min(a); least >= 0 && least >= r.Lower {
		return nil
	}

	// So does a row that every facility satisfies which may serve some one client.
	if f.forbidden != nil && slices.Min(a) >= 0 && f.reaches(a, r.Lower) {
		return nil
	}
	if !f.capacitated {
		return errors.New("it does not follow from an open facility")
	}

	// In cap the open facilities carry the demand of all clients.
	return carriers(a, f.Capacity, f.demand, r.Lower)
}

// reaches reports whether there is a client such that every facility that may serve it has a coefficient of at least
// need. Coefficients are not negative.
func (f *facilities) reaches(a []float64, need float64) bool {
	for i := range f.Clients {
		least := math.Inf(1)
		for j, v := range a {
			if f.allowed(i, j) {
				least = min(least, v)
			}
		}

		// Without any facility the client makes the program infeasible, and every row holds.
		if least >= need {
			return true
		}
	}
	return false
}

// checkCut proves alpha <= sum lambda and beta_j <= -kappa_j(lambda). Slopes may be larger if alpha is smaller by as
// much; see families/cap and families/ufl.
func (f *facilities) checkCut(c *record.Cut) error {
	// With an epigraph for each client the certificate is the multiplier of one client.
	from, to := 0, f.Clients
	if f.parts > 1 && c.Theta >= 0 {
		from, to = c.Theta, c.Theta+1
	}
	if len(c.Certificate) != to-from {
		return fmt.Errorf("%d multipliers for %d clients", len(c.Certificate), to-from)
	}

	// In ufl every client can be served by any open facility.
	if c.Feasibility && !f.capacitated {
		return errors.New("the recourse of an open facility is always feasible")
	}

	// The constant is the sum of the multipliers: each client is served once.
	alpha := of(0)
	for _, v := range c.Certificate {
		if v < 0 {
			return fmt.Errorf("the multiplier %g", v)
		}
		alpha.add(of(v))
	}

	// The slopes may exceed what the certificate gives, at the cost of the constant.
	var over []*big.Rat
	for j, b := range dense(f.Facilities.Facilities, c.Index, c.Beta) {
		over = append(over, f.over(c, from, j, b))
	}
	return implied(c.Alpha, alpha, over)
}

// over returns by how much the slope of a facility exceeds what the certificate gives.
func (f *facilities) over(c *record.Cut, from, j int, slope float64) *big.Rat {
	n := f.Facilities.Facilities
	var items []item
	worth := of(slope) // and the profit of clients that take no capacity
	// The profit of a client at this facility is its multiplier less its cost there, if that is positive.
	for k, v := range c.Certificate {
		// A facility has no profit of a client that it may not serve.
		if !f.allowed(from+k, j) {
			continue
		}

		// A feasibility cut is about shares alone, without their costs.
		cost := 0.0
		if !c.Feasibility {
			cost = f.Cost[(from+k)*n+j]
		}
		if v <= cost {
			continue
		}

		// A client with a demand takes capacity of the facility.
		profit := of(v).sub(of(cost))
		if f.capacitated && f.Demand[from+k] > 0 {
			items = append(items, item{profit, f.Demand[from+k]})
		} else {
			worth.add(profit)
		}
	}

	// The facility serves the most profitable clients up to its capacity: a continuous knapsack.
	return excess(items, f.capacityOf(j), worth)
}

// capacityOf is the capacity of a facility, 0 in ufl, where clients take none.
func (f *facilities) capacityOf(j int) float64 {
	if f.capacitated {
		return f.Capacity[j]
	}
	return 0
}

// price adds up the fixed costs and the cheapest service (ufl), or the cost of the recourse solution made exact (cap).
func (f *facilities) price(ctx context.Context, d *record.Design) (*big.Rat, error) {
	// The recorded design is binary, which has been checked.
	var open []int
	total := of(0)
	for j, v := range d.Y {
		if v == 1 {
			open = append(open, j)
			total.add(of(f.Fixed[j]))
		}
	}
	if len(open) == 0 {
		return nil, errors.New("no facility is open")
	}
	if f.capacitated {
		return f.priceShares(ctx, d, open, total)
	}

	// Every client goes to the cheapest open facility.
	// The cost of client i at facility j is at i*n+j.
	n := f.Facilities.Facilities
	for i := range f.Clients {
		best := math.Inf(1)
		for _, j := range open {
			if f.allowed(i, j) {
				best = min(best, f.Cost[i*n+j])
			}
		}
		if math.IsInf(best, 1) {
			return nil, fmt.Errorf("nothing is open that may serve client %d", i)
		}
		total.add(of(best))
	}
	return total.rat(), nil
}

// priceShares makes the recorded shares exact: a linear program over the open facilities, with the shares near a
// vertex.
func (f *facilities) priceShares(ctx context.Context, d *record.Design, open []int, fixed *num) (*big.Rat, error) {
	n := f.Facilities.Facilities
	if err := sparseVector(d.Index, d.Value, n*f.Clients); err != nil {
		return nil, err
	}

	// Shares that are not listed are zero.
	share := make(map[int]float64, len(d.Index))
	for k, at := range d.Index {
		share[int(at)] = d.Value[k]
	}

	// A row for the capacity of each open facility, and one for each client.
	s := &system{fixed: fixed.rat()}
	supply := make([]int, len(open))
	for k, j := range open {
		supply[k] = s.addRow(negativeInfinity, f.Capacity[j])
	}
	for i := range f.Clients {
		serve := s.addRow(1, 1)
		for k, j := range open {
			if !f.allowed(i, j) {
				continue
			}

			// The share lies near a vertex of the program, where it is made exact.
			col := s.addColumn(f.Cost[i*n+j], 0, 1, share[i*n+j])
			s.add(serve, col, 1)
			s.add(supply[k], col, f.Demand[i])
		}
	}

	// The exact cost counts the fixed costs, too.
	return s.solve(ctx)
}
