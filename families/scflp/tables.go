package scflp

import (
	"cmp"
	"fmt"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/tables"
	"github.com/proxybd/proxybd/internal/sheet"
)

// schema is that of table files: facilities, customers, the cost of a unit from each facility to each customer, and
// scenarios with the demands of all customers. The customers are those of the costs, or of a table that says where they
// are.
var schema = &sheet.Schema{Problem: family, Tables: []sheet.Table{
	{
		Name: "facilities",
		Columns: append([]sheet.Column{{Name: "facility"}, {Name: "capacity", Kind: sheet.Amount},
			{Name: "fixed_cost", Kind: sheet.Amount}}, tables.PlaceColumns...),
	},
	{
		Name:     "customers",
		Optional: true,
		Columns:  append([]sheet.Column{{Name: "customer"}}, tables.PlaceColumns...),
	},
	{
		Name:    "costs",
		Matrix:  "costs",
		Columns: []sheet.Column{{Name: "customer"}, {Name: "facility"}, {Name: "cost", Kind: sheet.Amount}},
	},
	{
		Name:    "scenarios",
		Columns: []sheet.Column{{Name: "scenario"}, {Name: "probability", Kind: sheet.Amount}},
	},
	{
		Name:    "demands",
		Matrix:  "demands",
		Columns: []sheet.Column{{Name: "scenario"}, {Name: "customer"}, {Name: "demand", Kind: sheet.Amount}},
	},
	{
		Name:     "settings",
		Optional: true,
		Columns:  []sheet.Column{{Name: "setting"}, {Name: "value"}},
	},
}}

// singleSetting is the setting of single sourcing, with the value yes or no.
const singleSetting = "single_sourcing"

// fromTables makes the instance of a table file. Single sourcing is that of the file, or asked for.
func fromTables(s *sheet.Sheet, asked bool, warn func(string)) (families.Instance, error) {
	d, err := readTables(s)
	if err != nil {
		return nil, err
	}

	// Probabilities that do not sum to one are weights.
	d.Single = d.Single || asked
	if err := d.weigh(s.File, warn); err != nil {
		return nil, err
	}
	in, err := newInstance(s.Name, d)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	return in, nil
}

// readTables returns the data of a table file, with the probabilities of the file.
func readTables(s *sheet.Sheet) (*Data, error) {
	// Without a table of customers they are those of the costs.
	facility, errFacilities := tables.ReadAxis(s, "facilities", "facility")
	customer, errCustomers := tables.ReadAxisOr(s, "customers", "costs", "customer")
	scenario, errScenarios := tables.ReadAxis(s, "scenarios", "scenario")
	if err := cmp.Or(errFacilities, errCustomers, errScenarios); err != nil {
		return nil, err
	}

	// Both tables have all of their pairs, so that they are as large as the products of the numbers of names.
	cost, errCosts := tables.AllPairs(s, tables.Pairing{
		Table:   "costs",
		Value:   "cost",
		About:   "cost of customer %[1]q at facility %[2]q",
		Rows:    customer,
		Columns: facility,
	})
	demand, errDemands := tables.AllPairs(s, tables.Pairing{
		Table:   "demands",
		Value:   "demand",
		About:   "demand of customer %[2]q in scenario %[1]q",
		Rows:    scenario,
		Columns: customer,
	})
	single, errSettings := singleOf(s)
	places, errPlaces := tables.Places(s, "facilities", "customers")
	if err := cmp.Or(errCosts, errDemands, errSettings, errPlaces); err != nil {
		return nil, err
	}

	// Names are kept also where they are numbers: without names the facilities would be counted from 0.
	n := len(facility.Names)
	m := len(customer.Names)
	d := &Data{
		Facilities: n,
		Customers:  m,
		Scenarios:  len(scenario.Names),
		Single:     single,
		Names:      scenario.Names,
		Labels:     &tables.Labels{Facilities: facility.Names, Clients: customer.Names, Places: places},
	}
	rows := s.Rows("facilities")
	for i := range rows {
		d.Capacity = append(d.Capacity, rows[i].Number("capacity"))
		d.Fixed = append(d.Fixed, rows[i].Number("fixed_cost"))

		// The table has the costs customer by customer, the data facility by facility.
		costs := make([]float64, m)
		for j := range costs {
			costs[j] = cost[j*n+i]
		}
		d.Cost = append(d.Cost, costs)
	}
	rows = s.Rows("scenarios")
	for k := range rows {
		d.Probability = append(d.Probability, rows[k].Number("probability"))
		d.Demand = append(d.Demand, demand[k*m:(k+1)*m:(k+1)*m])
	}
	return d, nil
}

// singleOf returns whether the settings ask for single sourcing.
func singleOf(s *sheet.Sheet) (single bool, err error) {
	setting, err := tables.ReadAxis(s, "settings", "setting")
	if err != nil {
		return false, err
	}
	rows := s.Rows("settings")
	for k, name := range setting.Names {
		if name != singleSetting {
			return false, s.Fail(&rows[k], "setting", "no setting is called %q: %s is one", name, singleSetting)
		}
		switch text := rows[k].Text("value"); text {
		case "yes":
			single = true
		case "no":
		default:
			return false, s.Fail(&rows[k], "value", "%s is yes or no, not %q", singleSetting, text)
		}
	}
	return single, nil
}

// Tables implements families.Tabled. Facilities and customers without names are numbered from 0, as in the lists of the
// family's own files.
func (in *Instance) Tables() (*sheet.Document, error) {
	d := in.Data
	l := d.labels()
	facilities := sheet.Part{Name: "facilities", Columns: []string{"facility", "capacity", "fixed_cost"}}
	customers := sheet.Part{Name: "customers", Columns: []string{"customer"}}
	costs := sheet.Part{Name: "costs", Matrix: "costs", Value: func(j, i int) float64 { return d.Cost[i][j] }}
	for i := range d.Facilities {
		id := tables.ID(l.Facilities, i, 0)
		facilities.Rows = append(facilities.Rows, []any{id, d.Capacity[i], d.Fixed[i]})
		costs.Along = append(costs.Along, id)
	}
	for j := range d.Customers {
		id := tables.ID(l.Clients, j, 0)
		customers.Rows = append(customers.Rows, []any{id})
		costs.Across = append(costs.Across, id)
	}

	// Places lists the facilities and then the customers.
	if l.Places != nil {
		addPlaces(&facilities, l.Places[:d.Facilities])
		addPlaces(&customers, l.Places[d.Facilities:])
	}

	// The demands are a matrix, with a line for each scenario and a column for each customer.
	scenarios := sheet.Part{Name: "scenarios", Columns: []string{"scenario", "probability"}}
	demands := sheet.Part{
		Name:   "demands",
		Matrix: "demands",
		Along:  costs.Across,
		Value:  func(s, j int) float64 { return d.Demand[s][j] },
	}
	for s := range d.Scenarios {
		name := in.ScenarioName(s)
		scenarios.Rows = append(scenarios.Rows, []any{name, d.probability(s)})
		demands.Across = append(demands.Across, name)
	}
	list := []sheet.Part{facilities, customers, costs, scenarios, demands}
	if d.Single {
		list = append(list, sheet.Part{
			Name:    "settings",
			Columns: []string{"setting", "value"},
			Rows:    [][]any{{singleSetting, "yes"}},
		})
	}
	return &sheet.Document{Problem: family, Name: in.Label().Name, Tables: list}, nil
}

// addPlaces adds the columns of the places of records.
func addPlaces(part *sheet.Part, places [][2]float64) {
	part.Columns = append(part.Columns, "x", "y")
	for k, at := range places {
		part.Rows[k] = append(part.Rows[k], at[0], at[1])
	}
}
