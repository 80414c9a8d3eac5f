package ufl

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/families/instance"
)

// penalise sets the costs of pairs that are not allowed: for client i more than any pair that is allowed, and more than
// min_j f_j + c_ij over the facilities that may serve it. A design that leaves a client to a forbidden pair then gets
// cheaper by opening the facility of that minimum, as far as it is closed, so that an optimal design has no forbidden
// pair; the same holds for shares, so that the linear relaxation is that of the problem without the pairs.
func (in *Instance) penalise() {
	for i := range in.Clients {
		_, cost := in.CostRange(i)
		if j := in.cheapestOpening(i); j >= 0 {
			cost = max(cost, in.Fixed[j]+in.Row(i)[j])
		}

		// Strictly more, by an amount that rounding does not touch.
		cost *= 1.01
		if cost == 0 {
			cost = 1
		}
		in.Forbid(i, cost)
	}
}

// cheapestOpening returns the facility that serves client i at the least f_j + c_ij, -1 if none may.
func (in *Instance) cheapestOpening(i int) int {
	best := -1
	cost := math.Inf(1)
	for j, c := range in.Row(i) {
		if v := in.Fixed[j] + c; in.Allowed(i, j) && v < cost {
			best = j
			cost = v
		}
	}
	return best
}

// repaired opens a facility for every client that none of those listed may serve. The design costs no more than the
// one given does at the costs of penalise.
func (in *Instance) repaired(open []int32) []int32 {
	for in.Forbidden != nil {
		i := in.Unserved(in.Design(open))
		if i < 0 {
			return open
		}
		j := in.cheapestOpening(i)
		if j < 0 {
			return open // no design serves the client
		}
		open = append(slices.Clone(open), int32(j))
		slices.Sort(open)
	}
	return open
}

// nearestOpen returns which of the facilities listed serves client i: the cheapest that may, of several the first; -1
// if none may.
func (in *Instance) nearestOpen(i int, open []int32) int {
	best := -1
	row := in.Row(i)
	for _, j := range open {
		if in.Allowed(i, int(j)) && (best < 0 || row[j] < row[best]) {
			best = int(j)
		}
	}
	return best
}

// served reports whether a design opens a facility for every client.
func (in *Instance) served(y []float64) bool {
	return len(instance.Open(y)) > 0 && in.Unserved(y) < 0
}

// Infeasibility implements families.Diagnosed: there are no capacities, so that only a client without a facility can
// be the reason.
func (in *Instance) Infeasibility(context.Context) (string, error) { return in.NoFacility(), nil }
