package tables

import (
	"cmp"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/internal/sheet"
)

// Axis is a column of names in a table of pairs, and the names that it may have.
type Axis struct {
	// Column is the name of the column, which is also what one of the names is called in errors.
	Column string
	// Names are numbered from 0, and Index has the number of each.
	Names []string
	Index map[string]int
}

// ReadAxis returns the names in a column of a table, in the order of the file.
func ReadAxis(s *sheet.Sheet, table, column string) (Axis, error) {
	names, index, err := s.Index(table, column)
	return Axis{Column: column, Names: names, Index: index}, err
}

// ReadAxisOr returns the names in a column of a table or, where the table is missing, those in the same column of
// another table, in the order of the file.
func ReadAxisOr(s *sheet.Sheet, table, other, column string) (Axis, error) {
	a, err := ReadAxis(s, table, column)
	if err != nil || len(a.Names) > 0 {
		return a, err
	}

	// The other table has a name more than once.
	rows := s.Rows(other)
	for k := range rows {
		name := rows[k].Text(column)
		if _, known := a.Index[name]; !known {
			a.Index[name] = len(a.Names)
			a.Names = append(a.Names, name)
		}
	}
	return a, nil
}

// AxisOf returns the names of things in another column than that of their own table.
func AxisOf(column string, names []string) Axis {
	a := Axis{Column: column, Names: names, Index: make(map[string]int, len(names))}
	for k, name := range names {
		a.Index[name] = k
	}
	return a
}

// Pairing describes a table that has a number for pairs of names, such as the cost of a client at a facility.
type Pairing struct {
	// Table is the name of the table, and Value the column of its numbers.
	Table, Value string
	// About says in errors what a number is, as a format of the names in rows and columns, such as
	// "cost of client %[1]q at facility %[2]q".
	About         string
	Rows, Columns Axis
}

// about says what the number of row i and column j is.
func (p *Pairing) about(i, j int) string {
	return fmt.Sprintf(p.About, p.Rows.Names[i], p.Columns.Names[j])
}

// Pairs returns the numbers of a table of pairs that are given: that of row i and column j at i*n+j, with n the number
// of columns. A name that the axes do not have is an error, and so is a pair that comes twice.
func Pairs(s *sheet.Sheet, p Pairing) (map[int]float64, error) {
	// The product is computed only where it cannot overflow an int32.
	n := len(p.Columns.Names)
	if len(p.Rows.Names) > math.MaxInt32/max(1, n) {
		return nil, s.Missing("%d names in the column %s and %d in the column %s are too many", len(p.Rows.Names),
			p.Rows.Column, n, p.Columns.Column)
	}

	// Nothing is allocated for pairs without a record: the tables cannot ask for more memory than they have records.
	records := s.Rows(p.Table)
	given := make(map[int]float64, len(records))
	for k := range records {
		r := &records[k]
		i, errRow := s.Find(r, p.Rows.Column, p.Rows.Index, p.Rows.Column)
		j, errColumn := s.Find(r, p.Columns.Column, p.Columns.Index, p.Columns.Column)
		if err := cmp.Or(errRow, errColumn); err != nil {
			return nil, err
		}
		if _, twice := given[i*n+j]; twice {
			return nil, s.Fail(r, p.Value, "the second %s", p.about(i, j))
		}
		given[i*n+j] = r.Number(p.Value)
	}
	return given, nil
}

// AllPairs returns the numbers of a table of pairs that has all of them, row by row. A pair without a number is an
// error.
func AllPairs(s *sheet.Sheet, p Pairing) ([]float64, error) {
	given, err := Pairs(s, p)
	if err != nil {
		return nil, err
	}

	// The list grows only as far as there are numbers.
	var list []float64
	n := len(p.Columns.Names)
	for k := range len(p.Rows.Names) * n {
		v, ok := given[k]
		if !ok {
			return nil, s.Missing("no %s: every pair has one", p.about(k/n, k%n))
		}
		list = append(list, v)
	}
	return list, nil
}
