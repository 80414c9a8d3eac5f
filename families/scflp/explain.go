package scflp

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/generic"
	"github.com/proxybd/proxybd/families/location"
	"github.com/proxybd/proxybd/families/tables"
)

// Explain implements families.Explainer: facilities with their expected loads, the expected amounts that they send to
// customers, and the amounts of each scenario. Facilities and customers without names are numbered from 0, as in the
// lists of the file.
func (in *Instance) Explain(ctx context.Context, y []float64) (*families.Solution, error) {
	o, err := in.Outcomes(ctx, y)
	if err != nil {
		return nil, err
	}

	// Expected demands and amounts. The columns of a scenario are amounts, facility by facility, after the n designs.
	d := in.Data
	n := d.Facilities
	m := d.Customers
	mean := make([]float64, m)
	amount := make([]float64, n*m)
	for k := range o.List {
		p := o.List[k].Probability
		for j, v := range d.Demand[k] {
			mean[j] += p * v
		}
		for c, v := range o.List[k].Each {
			amount[c-n] += p * d.amount(v, k, (c-n)%m)
		}
	}

	// The tables show expectations: a facility serves a customer by its mean amount.
	l := d.labels()
	sites := &location.Sites{
		FacilityNames: l.Facilities,
		ClientNames:   l.Clients,
		Client:        "customer",
		Mean:          true,
		Open:          make([]bool, n),
		Fixed:         d.Fixed,
		Capacity:      d.Capacity,
		Demand:        mean,
		Places:        l.Places,
		Unit:          func(j, i int) float64 { return d.Cost[i][j] },
	}
	for i, v := range y {
		sites.Open[i] = v > 0.5
	}
	var links []location.Link
	for k, v := range amount {
		// A share is a part of the mean demand. What is nothing but rounding is left out.
		j := k % m
		if v > tables.Negligible*mean[j] {
			links = append(links, location.Link{
				Client:   j,
				Facility: k / m,
				Share:    v / mean[j],
				Amount:   v,
				Cost:     d.Cost[k/m][j] * v,
			})
		}
	}

	// The tables of the scenarios come first, then those of facilities and customers.
	s := o.Solution()
	s.From = 0
	s.Tables = append(append(s.Tables, sites.Tables(links)...), in.loads(o, sites), in.amounts(o, sites))
	s.Drawing = sites.Drawing(in.Label().Title, m, links)
	return s, nil
}

// OpenID implements families.Numbered where facilities have names.
func (in *Instance) OpenID(j int) any { return in.Data.Labels.Facilities[j] }

// loads is the table of the loads of open facilities in each scenario.
func (in *Instance) loads(o *generic.Outcomes, sites *location.Sites) families.Table {
	d := in.Data
	return families.Table{Name: "loads", Columns: []string{"scenario", "facility", "load", "capacity", "slack"},
		Rows: func(emit func(...any)) {
			for k := range o.List {
				// Column n + i*m + j is the amount from facility i to customer j.
				load := make([]float64, d.Facilities)
				for c, v := range o.List[k].Each {
					i := (c - d.Facilities) / d.Customers
					j := (c - d.Facilities) % d.Customers
					load[i] += d.amount(v, k, j)
				}
				for i, open := range sites.Open {
					if open {
						emit(o.List[k].Name, sites.Facility(i), load[i], d.Capacity[i], tables.Room(d.Capacity[i], load[i]))
					}
				}
			}
		}}
}

// amounts is the table of the amounts sent to customers in each scenario.
func (in *Instance) amounts(o *generic.Outcomes, sites *location.Sites) families.Table {
	d := in.Data
	return families.Table{Name: "flows", Columns: []string{"scenario", "customer", "facility", "share", "amount", "cost"},
		Rows: func(emit func(...any)) {
			for k := range o.List {
				for c, v := range o.List[k].Each {
					i := (c - d.Facilities) / d.Customers
					j := (c - d.Facilities) % d.Customers

					v = d.amount(v, k, j)

					// What is nothing but rounding for the customer is left out.
					if w := d.Demand[k][j]; v > tables.Negligible*w {
						emit(o.List[k].Name, sites.ClientID(j), sites.Facility(i), v/w, v, d.Cost[i][j]*v)
					}
				}
			}
		}}
}

// Infeasibility implements families.Diagnosed. Where demand may be split nothing but the total of a scenario can be
// short; with single sourcing a customer may be larger than every facility, too.
func (in *Instance) Infeasibility(ctx context.Context) (string, error) {
	d := in.Data
	capacity := 0.0
	largest := 0.0
	for _, s := range d.Capacity {
		capacity += s
		largest = max(largest, s)
	}
	for s, demand := range d.Demand {
		total := 0.0
		for j, v := range demand {
			total += v
			if d.Single && v > largest {
				return fmt.Sprintf("customer %v demands %.10g in scenario %v, and no facility has a capacity above %.10g",
					tables.ID(d.labels().Clients, j, 0), v, tables.ID(d.Names, s, 0), largest), nil
			}
		}
		if total > capacity {
			return fmt.Sprintf("the customers demand %.10g in scenario %v, and all facilities together (%d) have a capacity of "+
				"%.10g", total, tables.ID(d.Names, s, 0), d.Facilities, capacity), nil
		}
	}
	return in.Scenarios.Infeasibility(ctx)
}
