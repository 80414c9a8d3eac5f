package location

import (
	"fmt"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/tables"
	"github.com/proxybd/proxybd/internal/outward"
	"github.com/proxybd/proxybd/internal/sketch"
)

// Sites are the facilities and clients of a location problem with a design, for tables and pictures. Names are those of
// the instance's file; where they are nil, facilities and clients are numbered from From.
type Sites struct {
	FacilityNames, ClientNames []string
	// From is the number of the first facility and client, where they have no names.
	From int
	// Client is what a client is called: client, customer.
	Client string
	// Mean says that demands, amounts and costs are expectations over scenarios, which the names of columns show.
	Mean bool
	// Open is, by facility, whether the design opens it, and Fixed what that costs.
	Open  []bool
	Fixed []float64
	// Capacity is what each facility can bring, and Demand what each client takes; nil where there is none.
	Capacity, Demand []float64
	// Places are the coordinates of facilities and then clients; nil for a layout by the unit costs.
	Places [][2]float64
	// Unit is the cost of bringing one unit, or, without demands, all of a client's demand.
	Unit func(client, facility int) float64
}

// Link is what a facility brings to a client.
type Link struct {
	Client, Facility int
	// Share is the part of the demand of the client, Amount what that is in units, and Cost its cost. Without demands
	// the amount is the share.
	Share, Amount, Cost float64
}

// Facility returns the name or number of a facility.
func (s *Sites) Facility(j int) any { return tables.ID(s.FacilityNames, j, s.From) }

// ClientID returns the name or number of a client.
func (s *Sites) ClientID(i int) any { return tables.ID(s.ClientNames, i, s.From) }

// columns names the columns of a table, those that have expectations accordingly.
func (s *Sites) columns(list ...string) []string {
	for k, name := range list {
		// These columns are expectations where there are scenarios.
		switch name {
		case "service_cost", "load", "slack", "demand", "share", "amount", "cost":
			if s.Mean {
				list[k] = "mean_" + name
			}
		}
	}
	return list
}

// Solution is that of a design y and the shares x of clients that facilities serve, client by client, at the costs of
// serving all of a client. It sets what is open.
func (s *Sites) Solution(title string, y, x, cost []float64) *families.Solution {
	n := len(y)
	s.Open = make([]bool, n)
	var first, recourse outward.Sum
	for j, v := range y {
		s.Open[j] = v > 0.5
		first.Add(s.Fixed[j] * v)
	}

	// Shares that are nothing but rounding count in the cost and are not shown.
	var links []Link
	for k, v := range x {
		recourse.Add(cost[k] * v)
		if v <= tables.Negligible {
			continue
		}

		// Without demands the amount is the share.
		l := Link{Client: k / n, Facility: k % n, Share: v, Amount: v, Cost: cost[k] * v}
		if s.Demand != nil {
			l.Amount *= s.Demand[l.Client]
		}
		links = append(links, l)
	}
	return &families.Solution{
		First:     first.Value(),
		Recourse:  recourse.Value(),
		From:      s.From,
		Violation: assignmentViolation(y, x),
		Tables:    s.Tables(links),
		Values:    tables.AssignmentValues(y, x),
		Drawing:   s.Drawing(title, len(x)/n, links),
	}
}

// Tables returns those of the facilities, the clients and who serves whom.
func (s *Sites) Tables(links []Link) []families.Table {
	// What each facility serves, over all of its clients.
	n := len(s.Open)
	load := make([]float64, n)
	cost := make([]float64, n)
	clients := make([]int, n)
	for _, l := range links {
		load[l.Facility] += l.Amount
		cost[l.Facility] += l.Cost
		clients[l.Facility]++
	}

	// The columns of capacities are there only where the problem has them.
	facilities := families.Table{Name: "facilities", Columns: s.columns("facility", "open", "fixed_cost", s.Client+"s",
		"service_cost")}
	if s.Capacity != nil {
		facilities.Columns = append(facilities.Columns, s.columns("capacity", "load", "slack")...)
	}
	facilities.Rows = func(emit func(...any)) {
		for j, open := range s.Open {
			cells := []any{s.Facility(j), open, s.Fixed[j], clients[j], cost[j]}
			if s.Capacity != nil {
				// A closed facility has no slack.
				room := 0.0
				if open {
					room = tables.Room(s.Capacity[j], load[j])
				}
				cells = append(cells, s.Capacity[j], load[j], room)
			}
			emit(cells...)
		}
	}
	return []families.Table{facilities, s.clients(links), s.assignments(links)}
}

// clients is the table of what it costs to serve each.
func (s *Sites) clients(links []Link) families.Table {
	// served counts the facilities of each client, and count is the number of clients.
	served := map[int]int{}
	cost := map[int]float64{}
	count := 0
	for _, l := range links {
		served[l.Client]++
		cost[l.Client] += l.Cost
		count = max(count, l.Client+1)
	}

	// A client without demand may be served by nobody, and is in the table all the same.
	t := families.Table{Name: s.Client + "s", Columns: s.columns(s.Client, "facilities", "cost")}
	if s.Demand != nil {
		count = len(s.Demand)
		t.Columns = s.columns(s.Client, "demand", "facilities", "cost")
	}
	t.Rows = func(emit func(...any)) {
		for i := range count {
			if s.Demand == nil {
				emit(s.ClientID(i), served[i], cost[i])
			} else {
				emit(s.ClientID(i), s.Demand[i], served[i], cost[i])
			}
		}
	}
	return t
}

// assignments is the table of who serves whom.
func (s *Sites) assignments(links []Link) families.Table {
	t := families.Table{Name: "assignments", Columns: s.columns(s.Client, "facility", "share", "cost")}
	if s.Demand != nil {
		t.Columns = s.columns(s.Client, "facility", "share", "amount", "cost")
	}
	t.Rows = func(emit func(...any)) {
		for _, l := range links {
			// Without demands an amount would be the share again.
			if s.Demand == nil {
				emit(s.ClientID(l.Client), s.Facility(l.Facility), l.Share, l.Cost)
			} else {
				emit(s.ClientID(l.Client), s.Facility(l.Facility), l.Share, l.Amount, l.Cost)
			}
		}
	}
	return t
}

// Drawing returns the picture: a line is as wide as its amount or, without amounts, its share.
func (s *Sites) Drawing(title string, clients int, links []Link) *sketch.Drawing {
	n := len(s.Open)
	d := &sketch.Drawing{Title: title}
	if s.Places != nil {
		d.Places = func() [][2]float64 { return s.Places }
	} else {
		d.Places = func() [][2]float64 { return sketch.Facilities(n, clients, s.Unit) }
	}

	// The facilities are the first nodes of the drawing, so that links can name them by their numbers.
	s.drawFacilities(d, links)
	s.drawClients(d, clients)
	s.drawLinks(d, links)
	return d
}

// drawFacilities adds the facilities: each is as large as its capacity.
func (s *Sites) drawFacilities(d *sketch.Drawing, links []Link) {
	// Amounts of rounding may be below zero.
	load := make([]float64, len(s.Open))
	for _, l := range links {
		load[l.Facility] += max(l.Amount, 0)
	}

	largest := sketch.Largest(s.Capacity)
	for j, open := range s.Open {
		// The size of a facility is its capacity as a part of the largest.
		state := "closed"
		node := sketch.Node{Kind: sketch.Closed, Label: fmt.Sprint(s.Facility(j)), Size: 0.5}
		if open {
			state = "open"
			node.Kind = sketch.Open
		}
		node.Tip = fmt.Sprintf("facility %v: %s, fixed cost %.6g", s.Facility(j), state, s.Fixed[j])
		if s.Capacity != nil {
			node.Size = sketch.Part(s.Capacity[j], largest)
			if open {
				node.Tip += fmt.Sprintf(", load %.6g of %.6g", load[j], s.Capacity[j])
			}
		}
		d.Nodes = append(d.Nodes, node)
	}
}

// drawClients adds the clients: each is as large as its demand.
func (s *Sites) drawClients(d *sketch.Drawing, clients int) {
	largest := sketch.Largest(s.Demand)
	for i := range clients {
		node := sketch.Node{Kind: sketch.Client, Size: 0.5, Tip: fmt.Sprintf("%s %v", s.Client, s.ClientID(i))}

		// Numbers of clients would hide the picture: only names are shown.
		if s.ClientNames != nil {
			node.Label = s.ClientNames[i]
		}
		if s.Demand != nil {
			node.Size = sketch.Part(s.Demand[i], largest)
			node.Tip += fmt.Sprintf(": demand %.6g", s.Demand[i])
		}
		d.Nodes = append(d.Nodes, node)
	}
}

// drawLinks adds a line for everything that a facility brings to a client.
func (s *Sites) drawLinks(d *sketch.Drawing, links []Link) {
	// Without demands the whole of a client is a quarter of the largest width.
	widest := 0.0
	if s.Demand == nil {
		widest = 1
	}
	for _, l := range links {
		widest = max(widest, width(s, l))
	}
	if s.Demand != nil {
		d.Widest = fmt.Sprintf("the widest brings %.6g", widest)
	}
	if s.Mean {
		d.Widest += " in the mean"
	}

	for _, l := range links {
		amount := ""
		if s.Demand != nil {
			amount = fmt.Sprintf("%.6g, ", l.Amount)
		}
		tip := fmt.Sprintf("facility %v to %s %v: %s%.4g %% of its demand, cost %.6g", s.Facility(l.Facility), s.Client,
			s.ClientID(l.Client), amount, 100*l.Share, l.Cost)
		d.Links = append(d.Links, sketch.Link{
			From:  l.Facility,
			To:    len(s.Open) + l.Client,
			Width: sketch.Part(width(s, l), widest),
			Tip:   tip,
		})
	}
}

// width is what a line is as wide as.
func width(s *Sites, l Link) float64 {
	if s.Demand != nil {
		return l.Amount
	}
	return l.Share / 4 // of all the same
}
