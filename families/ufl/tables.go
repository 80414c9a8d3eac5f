package ufl

import (
	"fmt"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/internal/sheet"
)

var facilityColumns = []string{"fixed_cost"}

// schema is that of table files: facilities with their fixed costs, and the cost of serving all of a client from each.
var schema = families.LocationSchema(name, facilityColumns, nil)

// fromTables makes the instance of a table file.
func fromTables(s *sheet.Sheet) (families.Instance, error) {
	cost, labels, err := families.ReadLocation(s)
	if err != nil {
		return nil, err
	}
	rows := s.Rows("facilities")
	in := &Instance{Name: s.Name, Facilities: len(rows), Clients: len(cost) / len(rows), Cost: cost, Labels: labels}
	for k := range rows {
		in.Fixed = append(in.Fixed, rows[k].Number("fixed_cost"))
	}
	if err := in.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	return in, nil
}

// Tables implements families.Tabled.
func (in *Instance) Tables() (*sheet.Document, error) {
	return families.LocationTables(name, in.Name, facilityColumns, nil, func(string) []float64 { return in.Fixed },
		in.Facilities,
		in.Clients, func(i, j int) float64 { return in.Cost[i*in.Facilities+j] }, in.Labels), nil
}
