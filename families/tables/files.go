// Package tables reads instances from table files, and makes the tables of solutions: names, slacks, activities.
package tables

import (
	"fmt"
	"strconv"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/internal/sheet"
	"github.com/proxybd/proxybd/internal/unpack"
)

// ID returns the name of thing k or, where there are no names, its number.
func ID(names []string, k, from int) any {
	if names != nil {
		return names[k]
	}
	return k + from
}

// Labels are what a table file calls things, and where it says that they are. They are for people: two instances that
// differ in nothing else are the same.
type Labels struct {
	Facilities, Clients, Nodes, Arcs, Commodities []string // nil where they are numbered from 1
	// of facilities and then clients, or of nodes; nil where not known
	Places [][2]float64
}

// Read reads a table file of a problem. It returns false for a file that is none; the error of one that is of
// another problem wraps ErrForeign.
func Read(path string, schema *sheet.Schema, build func(s *sheet.Sheet) (families.Instance, error)) (
	families.Instance, bool, error) {
	problem := sheet.Sniff(path)
	if problem == "" {
		return nil, false, nil
	}
	if problem != schema.Problem {
		return nil, true, families.Foreign(fmt.Sprintf("%s: tables of the problem %q", path, problem))
	}
	s, err := sheet.Read(path, schema)
	if err != nil {
		return nil, true, err
	}
	if s.Name == "" {
		s.Name = unpack.Stem(path)
	}
	in, err := build(s)
	return in, true, err
}

// PlaceColumns are the optional columns of a place, in any unit.
var PlaceColumns = []sheet.Column{{Name: "x", Kind: sheet.Place, Optional: true},
	{Name: "y", Kind: sheet.Place, Optional: true}}

// Places returns where the records of tables are, nil unless all say it.
func Places(s *sheet.Sheet, tables ...string) (list [][2]float64, err error) {
	for _, t := range tables {
		rows := s.Rows(t)
		if len(rows) == 0 {
			return nil, nil
		}
		for k := range rows {
			r := &rows[k]
			if r.Has("x") != r.Has("y") {
				return nil, s.Fail(r, "x", "a place has both x and y")
			}
			if !r.Has("x") {
				return nil, nil
			}
			list = append(list, [2]float64{r.Number("x"), r.Number("y")})
		}
	}
	return list, nil
}

// Names returns names, nil where they are only 1, 2, 3 and so on.
func Names(list []string) []string {
	for k, name := range list {
		if name != strconv.Itoa(k+1) {
			return list
		}
	}
	return nil
}
