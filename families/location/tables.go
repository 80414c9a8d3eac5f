package location

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/families"
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
	// A table has one column for each list.
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

	// Without capacities the clients have nothing but their names, which the costs have too.
	facility, client := locationColumns(capacitated)
	clients := table("clients", "client", client)
	clients.Optional = !capacitated
	costs := sheet.Table{
		Name:    "costs",
		Matrix:  "costs",
		Columns: []sheet.Column{{Name: "client"}, {Name: "facility"}, {Name: "cost", Kind: sheet.Amount}},
	}
	list := []sheet.Table{table("facilities", "facility", facility), clients, costs}
	for k := range list {
		list[k].Separate = true
	}
	return &sheet.Schema{Problem: problem, Tables: list}
}

// TableFiles are the options that name files with one table each, of a family with this schema.
func TableFiles(schema *sheet.Schema) (list []families.Option) {
	const about = "is for tables of cap and ufl"
	for _, t := range []struct{ name, column string }{
		{"facilities", "fixed_cost"},
		{"clients", "demand"},
		{"costs", "cost, or a matrix"},
	} {
		list = append(list, families.Option{
			Name: t.name,
			For:  about,
			Unused: func(path string) string {
				if sheet.Sniff(path) == schema.Problem || sheet.Untitled(path, schema) {
					return ""
				}
				return about
			},
			Help: fmt.Sprintf("the table of the %s in a `FILE` of its own, CSV below a header with %s (--family cap or ufl)",
				t.name, t.column),
		})
	}
	return list
}

// FromTables returns the data of a table file. Clients without a table are those of the costs. Pairs without a cost are
// forbidden, with a note, and their costs are for the family to set.
func FromTables(s *sheet.Sheet, capacitated bool) (*Location, error) {
	cost, forbidden, l, err := readCosts(s)
	if err != nil {
		return nil, err
	}

	// The numbers of facilities and clients are columns of their tables, one list each.
	n := len(s.Rows("facilities"))
	in := &Location{Name: s.Name, Facilities: n, Clients: len(cost) / n, Cost: cost, Forbidden: forbidden, Labels: l}
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

// readCosts returns the costs of a location problem, client by client, the pairs that have none, nil where all have
// one, and what facilities and clients are called.
func readCosts(s *sheet.Sheet) (cost []float64, forbidden []bool, l *tables.Labels, err error) {
	// Without a table of clients they are those of the costs.
	facility, errFacilities := tables.ReadAxis(s, "facilities", "facility")
	client, errClients := tables.ReadAxisOr(s, "clients", "costs", "client")
	if err := cmp.Or(errFacilities, errClients); err != nil {
		return nil, nil, nil, err
	}
	given, err := tables.Pairs(s, tables.Pairing{
		Table:   "costs",
		Value:   "cost",
		About:   "cost of client %[1]q at facility %[2]q",
		Rows:    client,
		Columns: facility,
	})
	if err != nil {
		return nil, nil, nil, err
	}

	// A matrix of all pairs is kept in any case, so that its size must be one that a computer has.
	pairs := len(client.Names) * len(facility.Names)
	if pairs > maxPairs {
		return nil, nil, nil, s.Missing("%d clients at %d facilities are too many: at most %d pairs", len(client.Names),
			len(facility.Names), maxPairs)
	}
	cost = make([]float64, pairs)
	if len(given) < pairs {
		forbidden = slices.Repeat([]bool{true}, pairs)
		s.Notes = append(s.Notes, fmt.Sprintf("%s: %d of %d pairs have no cost: such a facility does not serve the client",
			s.FileOf("costs"), pairs-len(given), pairs))
	}
	for k, v := range given {
		cost[k] = v
		if forbidden != nil {
			forbidden[k] = false
		}
	}

	// Names that are only numbers are none.
	l = &tables.Labels{Facilities: tables.Names(facility.Names), Clients: tables.Names(client.Names)}
	l.Places, err = tables.Places(s, "facilities", "clients")
	return cost, forbidden, l, err
}

// maxPairs is the largest number of pairs of a client and a facility in tables.
const maxPairs = 1 << 27

// Document is the table file of a location problem.
func (in *Location) Document(problem string, capacitated bool) *sheet.Document {
	// Places lists the facilities and then the clients: first is where those of a table begin.
	labels := in.labels()
	table := func(name, key string, columns []string, ids []any, first int) sheet.Part {
		p := sheet.Part{Name: name, Columns: append([]string{key}, columns...)}
		if labels.Places != nil {
			p.Columns = append(p.Columns, "x", "y")
		}
		for k, id := range ids {
			row := []any{id}
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

	// The costs are a matrix: a line for each facility, a column for each client.
	facilities := ids(labels.Facilities, in.Facilities)
	clients := ids(labels.Clients, in.Clients)
	facility, client := locationColumns(capacitated)
	return &sheet.Document{Problem: problem, Name: in.Name, Tables: []sheet.Part{
		table("facilities", "facility", facility, facilities, 0),
		table("clients", "client", client, clients, len(facilities)),
		{
			Name:   "costs",
			Matrix: "costs",
			Across: clients,
			Along:  facilities,
			Value: func(i, j int) float64 {
				if !in.Allowed(i, j) {
					return math.NaN()
				}
				return in.Row(i)[j]
			},
		},
	}}
}
