package cap

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families/location"
)

// penalise sets the costs of pairs that are not allowed. At these costs an optimal solution of the recourse has demand
// on forbidden pairs only where it must: moving a unit of it along facilities that may take it changes the cost by less
// than the greatest price of a capacity, which multiplierRange bounds, and saves more.
func (in *Instance) penalise() {
	_, high := in.multiplierRange()
	for i, v := range high {
		// A client without demand takes no capacity; one percent is more than rounding.
		if v *= 1.01; v == 0 {
			v = 1
		}
		in.Forbid(i, min(v, tooLarge))
	}
}

// multiplierRange returns the range of useful multipliers of each client: from the least cost to the greatest plus
// twice the demand at a price of capacity that no optimal one exceeds; see certifier.Project.
func (in *Instance) multiplierRange() (low, high []float64) {
	low = make([]float64, in.Clients)
	high = make([]float64, in.Clients)
	price := 0.0
	for i, d := range in.Demand {
		low[i], high[i] = in.CostRange(i)
		if d > 0 {
			price = max(price, (high[i]-low[i])/d)
		}
	}
	price = min(price*float64(in.Facilities), tooLarge)
	for i, d := range in.Demand {
		high[i] = min(high[i]+2*d*price, tooLarge)
	}
	return low, high
}

// shortage returns the instance whose recourse cost is the demand that has to be served by forbidden pairs, a client
// without demand counted as 1: the first phase of the simplex method, with the pairs as artificial columns.
func (in *Instance) shortage() *Instance {
	cost := make([]float64, len(in.Cost))
	for k, forbidden := range in.Forbidden {
		if forbidden {
			cost[k] = 1
			if d := in.Demand[k/in.Facilities]; d > 0 {
				cost[k] = d
			}
		}
	}
	return &Instance{&location.Location{
		Name:       in.Name,
		Facilities: in.Facilities,
		Clients:    in.Clients,
		Capacity:   in.Capacity,
		Fixed:      in.Fixed,
		Demand:     in.Demand,
		Cost:       cost,
	}}
}

// hasRecourse reports whether the recourse is feasible at y in [0,1]^n. It solves a transportation problem where
// facilities may not serve some client.
func (in *Instance) hasRecourse(ctx context.Context, y []float64) (bool, error) {
	if in.Forbidden == nil || !in.feasible(y) {
		return in.feasible(y), nil
	}
	_, feasible, err := newTransport(in).Solve(ctx, y)
	return feasible, err
}

// misplaced reports whether more than the tolerance of the demand, or of a client without demand, is served by
// forbidden pairs, and otherwise takes it from them: it counts as served at no cost.
func (t *transportProblem) misplaced() bool {
	in := t.in
	if in.Forbidden == nil {
		return false
	}

	// The demand that may be missing is that of Instance.feasible.
	p := len(t.site)
	amount := 0.0
	for i, d := range in.Demand {
		for k, j := range t.site {
			if x := t.x[i*p+k]; x > 0 && !in.Allowed(i, int(j)) {
				amount += d * x
				if t.demand[i] == 0 && x > coverTolerance {
					return true
				}
			}
		}
	}
	if amount > coverTolerance*in.TotalDemand() {
		return true
	}
	for i := range in.Clients {
		for k, j := range t.site {
			if !in.Allowed(i, int(j)) {
				t.x[i*p+k] = 0
			}
		}
	}
	return false
}

// Refute fills lambda with multipliers whose feasibility cut a point without a recourse violates: those of the
// shortage, or zeros, which stand for the demands, where the capacities as such do not suffice.
func (t *transportProblem) Refute(ctx context.Context, y, lambda []float64) error {
	clear(lambda)
	if t.in.Forbidden == nil || !t.in.feasible(y) {
		return nil
	}
	if t.shortage == nil {
		t.shortage = newTransport(t.in.shortage())
	}
	if _, _, err := t.shortage.Solve(ctx, y); err != nil {
		return err
	}
	t.shortage.Duals(lambda, nil)
	return nil
}

// refuted returns the feasibility cut of a point without a recourse; lambda is scratch.
func (c *certifier) refuted(ctx context.Context, t *transportProblem, y, lambda []float64) (benders.Cut, error) {
	if err := t.Refute(ctx, y, lambda); err != nil {
		return benders.Cut{}, err
	}
	c.ProjectFeasibility(lambda)
	return c.Cut(benders.Feasibility, lambda)
}

// restrictedPricer is the pricer of an instance with forbidden pairs: no quick check decides whether a design has a
// recourse, and the rows that refute designs are worth keeping. It implements lagrange.InfeasibilityProver.
type restrictedPricer struct {
	*pricer
	last []float64 // the design that Carries looked at last
	cost float64   // of its recourse
}

// Carries implements lagrange.Pricer. It solves the recourse, which Price need not do again.
func (p *restrictedPricer) Carries(y []float64) bool {
	p.last = append(p.last[:0], y...)
	if !p.in.feasible(y) || p.in.Unserved(y) >= 0 {
		return false
	}
	cost, feasible, err := p.transport.Solve(context.Background(), y)
	p.cost = cost
	return feasible && err == nil // no error comes from a context that does not end
}

// Price implements lagrange.Pricer.
func (p *restrictedPricer) Price(ctx context.Context, y []float64) (float64, error) {
	if slices.Equal(y, p.last) {
		return p.total(y, p.cost), nil
	}
	return p.pricer.Price(ctx, y)
}

// Refute implements lagrange.InfeasibilityProver.
func (p *restrictedPricer) Refute(slope []float64) (constant float64) {
	cut, err := p.certifier.refuted(context.Background(), p.transport, p.last, p.lambda)
	if err != nil {
		return math.Inf(-1) // a row that excludes nothing
	}
	for k, j := range cut.Index {
		slope[j] = cut.Beta[k]
	}
	return cut.Alpha
}

// Infeasibility implements families.Diagnosed: a client without a facility, too little capacity in all, or clients
// whose facilities have too little. Demand may be split, so that there is no other reason.
func (in *Instance) Infeasibility(ctx context.Context) (string, error) {
	if why := in.NoFacility(); why != "" {
		return why, nil
	}
	total := in.TotalDemand()
	capacity := 0.0
	for _, s := range in.Capacity {
		capacity += s
	}
	switch {
	case capacity < total:
		return fmt.Sprintf("the clients demand %.10g, and all facilities together (%d) have a capacity of %.10g", total,
			in.Facilities, capacity), nil
	case in.Forbidden == nil:
		return "", nil
	}

	// With everything open the clients of the multipliers are those that have too little.
	lambda := make([]float64, in.Clients)
	all := slices.Repeat([]float64{1}, in.Facilities)
	if err := newTransport(in).Refute(ctx, all, lambda); err != nil {
		return "", err
	}
	return in.crowded(lambda), nil
}

// crowded says that the clients with a positive multiplier demand more than the facilities that may serve one of them
// can bring them; "" where that is not so.
func (in *Instance) crowded(lambda []float64) string {
	var clients, places []string
	demand := 0.0
	for i, v := range lambda {
		if v > 0 {
			clients = append(clients, in.ClientName(i))
			demand += in.Demand[i]
		}
	}

	// A facility brings at most its capacity, and at most the demand of those clients that it may serve.
	capacity := 0.0
	for j, s := range in.Capacity {
		wanted := 0.0
		for i, v := range lambda {
			if v > 0 && in.Allowed(i, j) {
				wanted += in.Demand[i]
			}
		}
		if wanted > 0 {
			places = append(places, fmt.Sprint(in.OpenID(j)))
			capacity += min(s, wanted)
		}
	}
	if capacity >= demand {
		return ""
	}
	return fmt.Sprintf("clients %s demand %.10g, and the facilities that may serve them, %s, can bring them %.10g",
		listed(clients), demand, listed(places), capacity)
}

// listed writes names in braces, the first of a long list.
func listed(names []string) string {
	const most = 8
	if len(names) > most {
		names = append(slices.Clone(names[:most]), fmt.Sprintf("and %d more", len(names)-most))
	}
	return "{" + strings.Join(names, ", ") + "}"
}
