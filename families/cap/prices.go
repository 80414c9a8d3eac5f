package cap

import "math"

// prices are prices mu_j >= 0 of the capacities at a point y, and the Lagrangian relaxation of the capacity rows at
// these prices. It decomposes by clients: each uses the facilities in the order of c_ij + d_i mu_j, each up to the
// share y_j, until it is served, and its multiplier lambda_i is the last of these costs. The value
//
//	W(mu) = sum_i min { sum_j (c_ij + d_i mu_j) x_ij : sum_j x_ij = 1, 0 <= x_ij <= y_j } - sum_j s_j y_j mu_j
//
// is concave in mu, its largest value is Q(y), and the load minus the room, s_j y_j, is a supergradient; the certified
// value of lambda is at least W(mu). Only facilities with mass matter, the sites; most slices have one entry a site. It
// is for one goroutine.
type prices struct {
	in   *Instance
	site []int32   // the facilities with mass
	mass []float64 // y_j
	room []float64 // s_j y_j
	mu   []float64 // the price of a unit of capacity
	load []float64 // the demand that a site serves at the prices

	rank []int32   // of each client, its sites by c_ij + d_i mu_j; m x sites
	cost []float64 // these costs

	clearing []float64 // see clear
	limits   [][]limit // of the clients at a site
}

// limit is the price of a site up to which a client uses it, and the demand that it then brings.
type limit struct{ price, demand float64 }

// newPrices returns prices of a valid instance, without a point.
func newPrices(in *Instance) *prices { return &prices{in: in} }

// at sets the point, with prices of zero.
func (p *prices) at(y []float64) {
	p.site = p.site[:0]
	p.mass = p.mass[:0]
	p.room = p.room[:0]
	for j, v := range y {
		if v > 0 {
			p.site = append(p.site, int32(j))
			p.mass = append(p.mass, v)
			p.room = append(p.room, v*p.in.Capacity[j])
		}
	}

	// The ranks of a client begin as the order of the sites; serve sorts them.
	n := len(p.site)
	resize(n, &p.mu, &p.load, &p.clearing)
	resize(p.in.Clients*n, &p.rank)
	resize(p.in.Clients*n, &p.cost)
	for k := range p.rank {
		p.rank[k] = int32(k % n)
	}
	for len(p.limits) < n {
		p.limits = append(p.limits, nil)
	}
	clear(p.mu)
}

// ranked returns the sites of client i by cost, and the costs, as views.
func (p *prices) ranked(i int) ([]int32, []float64) {
	n := len(p.site)
	return p.rank[i*n : (i+1)*n], p.cost[i*n : (i+1)*n]
}

// serve assigns the clients to the sites that serve them at the least price. It fills the loads and lambda, and returns
// W(mu).
func (p *prices) serve(lambda []float64) (value float64) {
	clear(p.load)
	for k, r := range p.room {
		value -= r * p.mu[k]
	}

	// A client takes the cheapest sites, each up to its mass, until it is served.
	for i, d := range p.in.Demand {
		lambda[i] = 0
		p.sort(i, d)
		rank, cost := p.ranked(i)
		left := 1.0
		for r := 0; r < len(rank) && left > massTolerance; r++ {
			k := rank[r]
			x := min(left, p.mass[k])

			// The multiplier is the cost of the last site that is used.
			lambda[i] = cost[r]
			value += x * cost[r]
			p.load[k] += x * d
			left -= x
		}
	}
	return value
}

// sort ranks the sites of client i by insertion, since their order at the prices before is nearly right.
func (p *prices) sort(i int, d float64) {
	row := p.in.Row(i)
	rank, cost := p.ranked(i)
	for r, k := range rank {
		c := row[p.site[k]] + d*p.mu[k]

		// Costs that are greater move one place back.
		for ; r > 0 && cost[r-1] > c; r-- {
			cost[r] = cost[r-1]
			rank[r] = rank[r-1]
		}
		cost[r] = c
		rank[r] = k
	}
}

// clear finds for each site the least price at which the demand that uses it fits its room, if the other prices stay as
// they are. It follows serve.
func (p *prices) clear() {
	for k := range p.site {
		p.limits[k] = p.limits[k][:0]
	}
	for i, d := range p.in.Demand {
		// A client without demand takes no capacity at any price.
		if d > 0 {
			p.limit(i, d)
		}
	}
	for k, room := range p.room {
		p.clearing[k] = clearingPrice(p.limits[k], room)
	}
}

// limit adds the price up to which client i uses each site. The share of a site falls from y_j to 0 while its cost
// passes the costs of the other sites at which their cumulated mass goes from 1 - y_j to 1; the limit is taken in the
// middle, at 1 - y_j/2.
func (p *prices) limit(i int, d float64) {
	row := p.in.Row(i)
	rank, cost := p.ranked(i)
	before := 0.0
	for _, k := range rank {
		v := p.mass[k]

		// The mass of all sites includes y_j if the site itself comes before that middle.
		until := 1 - v/2
		if before < until {
			until = 1 + v/2
		}
		highest := math.Inf(1)
		mass := 0.0
		for r, site := range rank {
			if mass += p.mass[site]; mass >= until-massTolerance {
				highest = cost[r]
				break
			}
		}

		if at := (highest - row[p.site[k]]) / d; at > 0 {
			p.limits[k] = append(p.limits[k], limit{at, v * d})
		}
		before += v
	}
}

// clearingPrice returns the least price at which the demand whose limit is above it fits the room. Demand without an
// alternative, whose limit is infinite, stays at any price; if it alone does not fit, the price is the highest finite
// limit, 0 if there is none. It reorders the limits: the weighted median by quickselect.
func clearingPrice(limits []limit, room float64) float64 {
	room *= 1 + massTolerance
	total := 0.0
	for _, l := range limits {
		total += l.demand
	}
	if total <= room {
		return 0
	}

	// Demand that stays at any price takes its part of the room first.
	captive := 0
	for k, l := range limits {
		if math.IsInf(l.price, 1) {
			limits[k], limits[captive] = limits[captive], l
			room -= l.demand
			captive++
		}
	}
	limits = limits[captive:]

	price := 0.0
	for len(limits) > 0 {
		// Limits above the pivot come first, then those equal to it, which begin at above and end at at.
		pivot := limits[len(limits)/2].price
		var above, at int
		var load, here float64
		for k, l := range limits {
			switch {
			case l.price > pivot:
				limits[k], limits[at] = limits[at], limits[k]
				limits[at], limits[above] = limits[above], l
				load += l.demand
				above++
				at++
			case l.price == pivot:
				limits[k], limits[at] = limits[at], l
				here += l.demand
				at++
			}
		}

		switch {
		case load > room && above > 0:
			limits = limits[:above]
		case load+here > room:
			return pivot
		default:
			room -= load + here
			limits = limits[at:]
			price = pivot
		}
	}
	return price
}
