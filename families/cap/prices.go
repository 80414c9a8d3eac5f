package cap

import "math"

// prices are prices mu_j >= 0 of the capacities at a point y, and what they make of the recourse. With the capacities
// priced it falls apart by clients: each goes where c_ij + d_i mu_j is least, to the share y_j, until it is served,
// and its multiplier lambda_i is the cost at which that is so. The value
//
//	W(mu) = sum_i min { sum_j (c_ij + d_i mu_j) x_ij : sum_j x_ij = 1, 0 <= x_ij <= y_j } - sum_j s_j y_j mu_j
//
// is concave in mu, its largest value is Q(y), and load less room, s_j y_j, is a supergradient; the certified value
// of lambda is at least W(mu). Only facilities with mass matter, the sites: what follows has one entry a site. It is
// for one goroutine.
type prices struct {
	in   *Instance
	site []int32
	mass []float64 // y_j
	room []float64 // s_j y_j
	mu   []float64
	load []float64

	rank []int32   // of each client, its sites by c_ij + d_i mu_j; m x sites
	cost []float64 // these costs

	clearing []float64 // see clear
	limits   [][]limit // of the clients at a site
}

// limit is the price of a site up to which a client uses it, and the demand that it then brings.
type limit struct{ price, demand float64 }

func newPrices(in *Instance) *prices { return &prices{in: in} }

// at takes the sites of a point, with prices of zero.
func (p *prices) at(y []float64) {
	p.site, p.mass, p.room = p.site[:0], p.mass[:0], p.room[:0]
	for j, v := range y {
		if v > 0 {
			p.site, p.mass, p.room = append(p.site, int32(j)), append(p.mass, v), append(p.room, v*p.in.Capacity[j])
		}
	}
	n, m := len(p.site), p.in.Clients
	p.mu, p.load, p.clearing = sized(p.mu, n), sized(p.load, n), sized(p.clearing, n)
	p.rank, p.cost = sized(p.rank, m*n), sized(p.cost, m*n)
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

// serve sends the clients where they are served cheapest. It fills the loads and lambda, and returns W(mu).
func (p *prices) serve(lambda []float64) (value float64) {
	clear(p.load)
	for k, r := range p.room {
		value -= r * p.mu[k]
	}
	for i, d := range p.in.Demand {
		lambda[i] = 0
		p.sort(i, d)
		rank, cost := p.ranked(i)
		for r, left := 0, 1.0; r < len(rank) && left > massTolerance; r++ {
			k := rank[r]
			x := min(left, p.mass[k])
			lambda[i] = cost[r]
			value += x * cost[r]
			p.load[k] += x * d
			left -= x
		}
	}
	return value
}

// sort ranks the sites of client i. The order of the prices before is nearly right.
func (p *prices) sort(i int, d float64) {
	row := p.in.Row(i)
	rank, cost := p.ranked(i)
	for r, k := range rank {
		c := row[p.site[k]] + d*p.mu[k]
		for ; r > 0 && cost[r-1] > c; r-- {
			cost[r], rank[r] = cost[r-1], rank[r-1]
		}
		cost[r], rank[r] = c, k
	}
}

// clear finds for each site the least price at which it has room for those who want to use it while the other prices
// stay as they are. It follows serve.
func (p *prices) clear() {
	for k := range p.site {
		p.limits[k] = p.limits[k][:0]
	}
	for i, d := range p.in.Demand {
		if d > 0 {
			p.limit(i, d)
		}
	}
	for k, room := range p.room {
		p.clearing[k] = clearingPrice(p.limits[k], room)
	}
}

// limit adds the price up to which client i uses each site. The share of a site falls from y_j to nothing while its
// cost passes those of the others between which their mass goes from 1 - y_j to 1; what counts is the middle.
func (p *prices) limit(i int, d float64) {
	row := p.in.Row(i)
	rank, cost := p.ranked(i)
	before := 0.0
	for _, k := range rank {
		v := p.mass[k]
		until := 1 - v/2 // of the mass of the others, ...
		if before < until {
			until = 1 + v/2 // ... or of all, where the site is among them
		}
		dearest := math.Inf(1)
		for r, mass := 0, 0.0; r < len(rank); r++ {
			if mass += p.mass[rank[r]]; mass >= until-massTolerance {
				dearest = cost[r]
				break
			}
		}
		if at := (dearest - row[p.site[k]]) / d; at > 0 {
			p.limits[k] = append(p.limits[k], limit{at, v * d})
		}
		before += v
	}
}

// clearingPrice returns the least price at which the demand whose limit is above it fits the room. Demand without an
// alternative, whose limit is infinite, stays whatever the price; where it alone does not fit, the price is the
// highest finite limit, 0 if there is none. It reorders the limits.
func clearingPrice(limits []limit, room float64) float64 {
	room *= 1 + massTolerance
	total := 0.0
	for _, l := range limits {
		total += l.demand
	}
	if total <= room {
		return 0
	}
	captive := 0
	for k, l := range limits {
		if math.IsInf(l.price, 1) {
			limits[k], limits[captive] = limits[captive], l
			room -= l.demand
			captive++
		}
	}
	price := 0.0
	for limits = limits[captive:]; len(limits) > 0; {
		// Those above the middle one's price come first, then those at it.
		pivot := limits[len(limits)/2].price
		above, at, load, here := 0, 0, 0.0, 0.0
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
