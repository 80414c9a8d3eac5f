package cap

import (
	"fmt"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/internal/sheet"
)

var facilityColumns, clientColumns = []string{"capacity", "fixed_cost"}, []string{"demand"}

// schema is that of table files: facilities, clients with their demands, and the cost of serving all of a client's
// demand from each facility.
var schema = families.LocationSchema(name, facilityColumns, clientColumns)

// fromTables makes the instance of a table file.
func fromTables(s *sheet.Sheet) (families.Instance, error) {
	cost, labels, err := families.ReadLocation(s)
	if err != nil {
		return nil, err
	}
	facilities, clients := s.Rows("facilities"), s.Rows("clients")
	in := &Instance{Name: s.Name, Facilities: len(facilities), Clients: len(clients), Cost: cost, Labels: labels}
	for k := range facilities {
		in.Capacity = append(in.Capacity, facilities[k].Number("capacity"))
		in.Fixed = append(in.Fixed, facilities[k].Number("fixed_cost"))
	}
	for k := range clients {
		in.Demand = append(in.Demand, clients[k].Number("demand"))
	}
	if err := in.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	return in, nil
}

// Tables implements families.Tabled.
func (in *Instance) Tables() (*sheet.Document, error) {
	amounts := func(column string) []float64 {
		switch column {
		case "capacity":
			return in.Capacity
		case "demand":
			return in.Demand
		}
		return in.Fixed
	}
	return families.LocationTables(name, in.Name, facilityColumns, clientColumns, amounts, in.Facilities, in.Clients,
		func(i, j int) float64 { return in.Cost[i*in.Facilities+j] }, in.Labels), nil
}
