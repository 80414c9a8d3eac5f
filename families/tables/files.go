// Package tables reads instances from table files, and makes the tables of solutions: names, slacks, activities.
//
// A table file (package sheet) is CSV or JSON: tables of records with names for facilities, nodes and so on. Read finds
// out whether a file is one and what its problem is; a family gives the schema and builds the instance, with Names,
// Places and ID for what its things are called (files.go), Pairs for the numbers of pairs of names (pairs.go), and
// Nodes for the ends of arcs (nodes.go). Names are for people: a number stands for what has none.
//
// In solutions RowTable lists the rows of a model, Activities judges a point, and Room and Slack say what is left of a
// capacity or up to a side (solution.go). Violations are relative: an excess of 1 over a side of 1000 is 0.001.
package tables

import (
	"fmt"
	"strconv"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/internal/sheet"
	"github.com/proxybd/proxybd/internal/unpack"
)

// ID returns the name of thing k or, where there are no names, its number, counted from the given one.
func ID(names []string, k, from int) any {
	if names != nil {
		return names[k]
	}
	return k + from
}

// Labels are what a table file calls things, and where it says that they are. They are for people: two instances that
// differ in nothing else are the same.
type Labels struct {
	// Facilities, Clients, Nodes, Arcs and Commodities are names; nil where they are numbered from 1.
	Facilities, Clients, Nodes, Arcs, Commodities []string
	// Places are the coordinates of facilities and then clients, or of nodes; nil where they are not known.
	Places [][2]float64
}

// Read reads a table file of a problem. It returns false for a file that is none; the error of one that is of
// another problem wraps ErrForeign.
func Read(path string, schema *sheet.Schema, o families.ReadOptions,
	build func(s *sheet.Sheet) (families.Instance, error)) (families.Instance, bool, error) {
	// The file names its problem, which decides whose it is.
	extra := separate(schema, o)
	problem := sheet.Sniff(path)
	untitled := problem == "" && o.Named && (len(extra) > 0 || sheet.Untitled(path, schema))
	if problem == "" && !untitled {
		return nil, false, nil
	}
	if !untitled && problem != schema.Problem {
		return nil, true, families.Foreign(fmt.Sprintf("%s: tables of the problem %q", path, problem))
	}

	// A file without a name has that of the path.
	s, err := sheet.Read(path, schema, extra...)
	if err != nil {
		return nil, true, err
	}
	if s.Name == "" {
		s.Name = unpack.Stem(path)
	}
	in, err := build(s)

	// The notes are those of the reader and of the family.
	for _, note := range s.Notes {
		if o.Warn != nil {
			o.Warn(note)
		}
	}
	return in, true, err
}

// separate lists the files of tables of their own, which options name as their tables.
func separate(schema *sheet.Schema, o families.ReadOptions) (list []sheet.Extra) {
	for _, t := range schema.Tables {
		if path := o.Set[t.Name]; path != "" && t.Separate {
			list = append(list, sheet.Extra{Table: t.Name, Path: path})
		}
	}
	return list
}

// PlaceColumns are the optional columns of a place, in any unit.
var PlaceColumns = []sheet.Column{{Name: "x", Kind: sheet.Number, Optional: true},
	{Name: "y", Kind: sheet.Number, Optional: true}}

// Places returns where the records of tables are, nil unless all say it.
func Places(s *sheet.Sheet, tables ...string) (list [][2]float64, err error) {
	for _, t := range tables {
		rows := s.Rows(t)
		if len(rows) == 0 {
			return nil, nil
		}
		for k := range rows {
			r := &rows[k]
			// One record without a place leaves the picture to a layout of its own.
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
		// A single name of another form makes all of them names.
		if name != strconv.Itoa(k+1) {
			return list
		}
	}
	return nil
}
