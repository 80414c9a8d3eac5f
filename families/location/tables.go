package location

import (
	"math"

	"github.com/proxybd/proxybd/families/tables"
	"github.com/proxybd/proxybd/internal/sheet"
)

// locationColumns are the amounts of facilities and of clients in table files.
func locationColumns(capacitated bool) (facility, client []string) {
	if capacitated {
		return []string{"capacity", "fixed_cost"}, []string{"demand"}
	}
	return []string{"fixed_cost"}, nil
}

// amounts is the list of a column.
func (in *Location) amounts(column string) *[]float64 {
	switch column {
	case "capacity":
		return &in.Capacity
	case "demand":
		return &in.Demand
	}
	return &in.Fixed
}

// Schema is that of table files of a location problem: facilities with their fixed costs, and the cost of
// serving all of a client from each; with capacities also these and the demands of the clients, whose table may
// otherwise be left out.
func Schema(problem string, capacitated bool) *sheet.Schema {
	table := func(name, key string, amounts []string) sheet.Table {
		t := sheet.Table{Name: name, Columns: []sheet.Column{{Name: key}}}
		for _, a := range amounts {
			t.Columns = append(t.Columns, sheet.Column{Name: a, Kind: sheet.Amount})
		}
		t.Columns = append(t.Columns, tables.PlaceColumns...)
		return t
	}
	facility, client := locationColumns(capacitated)
	clients := table("clients", "client", client)
	clients.Optional = !capacitated
	return &sheet.Schema{Problem: problem, Tables: []sheet.Table{table("facilities", "facility", facility), clients,
		{Name: "costs", Matrix: "costs", Columns: []sheet.Column{{Name: "client"}, {Name: "facility"}, {Name: "cost",
			Kind: sheet.Amount}}}}}
}

// FromTables returns the data of a table file. Clients without a table are those of the costs.
func FromTables(s *sheet.Sheet, capacitated bool) (*Location, error) {
	cost, l, err := readCosts(s)
	if err != nil {
		return nil, err
	}
	n := len(s.Rows("facilities"))
	in := &Location{Name: s.Name, Facilities: n, Clients: len(cost) / n, Cost: cost, Labels: l}
	facility, client := locationColumns(capacitated)
	fill := func(rows []sheet.Record, columns []string) {
		for k := range rows {
			for _, c := range columns {
				list := in.amounts(c)
				*list = append(*list, rows[k].Number(c))
			}
		}
	}
	fill(s.Rows("facilities"), facility)
	fill(s.Rows("clients"), client)
	return in, nil
}

// readCosts returns the costs of a location problem, client by client, and what things are called.
func readCosts(s *sheet.Sheet) (cost []float64, l *tables.Labels, err error) {
	facilities, facility, err := s.Index("facilities", "facility")
	if err != nil {
		return nil, nil, err
	}
	clients, client, err := s.Index("clients", "client")
	if err != nil {
		return nil, nil, err
	}
	rows := s.Rows("costs")
	if clients == nil {
		for k := range rows {
			if name := rows[k].Text("client"); len(client) == 0 || !has(client, name) {
				client[name] = len(clients)
				clients = append(clients, name)
			}
		}
	}
	if limit := math.MaxInt32; len(clients) > limit/len(facilities) {
		return nil, nil, s.Missing("%d clients and %d facilities are too many", len(clients), len(facilities))
	}
	if len(rows) < len(clients)*len(facilities) {
		return nil, nil, missingCost(s, clients, facilities)
	}
	n := len(facilities)
	cost = make([]float64, n*len(clients))
	given := make([]bool, len(cost))
	for k := range rows {
		r := &rows[k]
		i, err := s.Find(r, "client", client, "client")
		if err != nil {
			return nil, nil, err
		}
		j, err := s.Find(r, "facility", facility, "facility")
		if err != nil {
			return nil, nil, err
		}
		if given[i*n+j] {
			return nil, nil, s.Fail(r, "cost", "the second cost of client %q at facility %q", clients[i], facilities[j])
		}
		cost[i*n+j], given[i*n+j] = r.Number("cost"), true
	}
	l = &tables.Labels{Facilities: tables.Names(facilities), Clients: tables.Names(clients)}
	l.Places, err = tables.Places(s, "facilities", "clients")
	return cost, l, err
}

func has(index map[string]int, name string) bool {
	_, known := index[name]
	return known
}

// missingCost names a pair without a cost.
func missingCost(s *sheet.Sheet, clients, facilities []string) error {
	given := make(map[[2]string]bool)
	rows := s.Rows("costs")
	for k := range rows {
		given[[2]string{rows[k].Text("client"), rows[k].Text("facility")}] = true
	}
	for _, i := range clients {
		for _, j := range facilities {
			if !given[[2]string{i, j}] {
				return s.Missing("no cost of client %q at facility %q: every pair has one", i, j)
			}
		}
	}
	return s.Missing("costs of %d pairs, not of %d", len(rows), len(clients)*len(facilities))
}

// Document is the table file of a location problem.
func (in *Location) Document(problem string, capacitated bool) *sheet.Document {
	labels := in.Labels
	if labels == nil {
		labels = &tables.Labels{}
	}
	table := func(name, key string, columns, names []string, count, first int) sheet.Part {
		p := sheet.Part{Name: name, Columns: append([]string{key}, columns...)}
		if labels.Places != nil {
			p.Columns = append(p.Columns, "x", "y")
		}
		for k := range count {
			row := []any{tables.ID(names, k, 1)}
			for _, c := range columns {
				row = append(row, (*in.amounts(c))[k])
			}
			if labels.Places != nil {
				row = append(row, labels.Places[first+k][0], labels.Places[first+k][1])
			}
			p.Rows = append(p.Rows, row)
		}
		return p
	}
	ids := func(names []string, count int) (list []any) {
		for k := range count {
			list = append(list, tables.ID(names, k, 1))
		}
		return list
	}
	n, m := in.Facilities, in.Clients
	facility, client := locationColumns(capacitated)
	return &sheet.Document{Problem: problem, Name: in.Name, Tables: []sheet.Part{
		table("facilities", "facility", facility, labels.Facilities, n, 0),
		table("clients", "client", client, labels.Clients, m, n),
		{Name: "costs", Matrix: "costs", Across: ids(labels.Clients, m), Along: ids(labels.Facilities, n),
			Value: func(i, j int) float64 { return in.Cost[i*n+j] }}}}
}
