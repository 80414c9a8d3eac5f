// Package sheet reads and writes instances as tables: a CSV file with several tables, each below a header, or a JSON
// object with a list of records for each. A Schema describes the tables and columns of a family. Errors name the file,
// the line, and the field or the place in the object.
package sheet

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// errFormat is wrapped by every error about the content of a file.
var errFormat = errors.New("not a sound table file")

// Kind is the kind of the cells of a column.
type Kind uint8

const (
	name   Kind = iota // any text, the name of something; in JSON a string or a number
	Amount             // a finite number that is not negative
	Number             // a finite number
)

// Column is one of a table.
type Column struct {
	Name     string
	Kind     Kind
	Optional bool
}

// Table is a list of records. Its first column names the records, alone or together with others.
type Table struct {
	Name     string
	Columns  []Column
	Optional bool

	// Matrix allows a second form for three columns, a row's name, a column's name and a number: in CSV a matrix below a
	// header that begins with this word and continues with the names of the columns, in JSON an object of objects.
	Matrix string

	// Separate says that the table may be in a file of its own; see Extra.
	Separate bool
}

// Schema describes the files of a problem.
type Schema struct {
	Problem string
	Tables  []Table
}

// column returns the position of a column, -1 if the table has none of that name.
func (t *Table) column(name string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
}

// header returns an example of a table's first line.
func (t *Table) header() string {
	// The optional columns are left out of the example.
	var names []string
	for _, c := range t.Columns {
		if !c.Optional {
			names = append(names, c.Name)
		}
	}
	return strings.Join(names, ",")
}

// table returns a table by its name, nil if there is none.
func (s *Schema) table(name string) *Table {
	// The table is returned by its address, so that nothing is copied.
	if k := slices.IndexFunc(s.Tables, func(t Table) bool { return t.Name == name }); k >= 0 {
		return &s.Tables[k]
	}
	return nil
}

// begins reports whether a line of cells begins a table: it has the first column of one.
func (s *Schema) begins(cells []string) bool {
	return slices.ContainsFunc(s.Tables, func(t Table) bool {
		return slices.ContainsFunc(cells, func(c string) bool { return spelled(c) == t.Columns[0].Name })
	})
}

// spelled returns the name of a column as schemas spell it: in small letters, with underscores for blanks and hyphens.
func spelled(cell string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(cell)))
}

// headers returns examples of the first lines of all tables.
func (s *Schema) headers() string {
	var list []string
	for k := range s.Tables {
		list = append(list, s.Tables[k].header())
	}
	return strings.Join(list, " or ")
}

// Sheet is the content of a file.
type Sheet struct {
	File, Name string

	// Notes say what was left out of account, such as a column that no table has.
	Notes []string

	schema *Schema
	object bool // it is JSON

	// separate is the one table that is read from the file, nil for a file of several.
	separate *Table

	// The records by the names of their tables.
	rows map[string][]Record
}

// Record is a row of a table.
type Record struct {
	table *Table

	// The cells by column: texts of columns of kind Name, numbers of all others, and which of them are given.
	text   []string
	number []float64
	given  []bool

	// Where the record is: its file and line, in an object its place, and in a CSV file the field of each column, from 1.
	file   string
	line   int
	at     string
	fields []int
}

// newRecord returns a record without cells.
func newRecord(t *Table, line int) Record {
	// A record has room for all columns, also for those that are left out.
	n := len(t.Columns)
	return Record{table: t, line: line, text: make([]string, n), number: make([]float64, n), given: make([]bool, n)}
}

// Rows returns the records of a table in the order of the file.
func (s *Sheet) Rows(table string) []Record { return s.rows[table] }

// FileOf returns the file of a table's first record, that of the sheet where there is none.
func (s *Sheet) FileOf(table string) string {
	if rows := s.rows[table]; len(rows) > 0 {
		return rows[0].file
	}
	return s.File
}

// Has reports whether a record has a column.
func (r *Record) Has(column string) bool { return r.given[r.table.column(column)] }

// Text returns a cell of kind Name.
func (r *Record) Text(column string) string { return r.text[r.table.column(column)] }

// Number returns a cell of another kind, 0 if it is left out.
func (r *Record) Number(column string) float64 { return r.number[r.table.column(column)] }

// Fail returns an error at a cell.
func (s *Sheet) Fail(r *Record, column, format string, args ...any) error {
	return s.failIn(r.file, s.place(r, r.table.column(column)), format, args...)
}

// fail returns an error at a place, "" for the whole file.
func (s *Sheet) fail(place, format string, args ...any) error {
	return s.failIn(s.File, place, format, args...)
}

// failIn returns an error at a place of a file.
func (s *Sheet) failIn(file, place, format string, args ...any) error {
	// An error about the whole file has no place.
	if place != "" {
		place += ": "
	}
	return fmt.Errorf("%s: %s%w: %s", file, place, errFormat, fmt.Sprintf(format, args...))
}

// place returns the place of a cell for an error message.
func (s *Sheet) place(r *Record, k int) string {
	name := r.table.Columns[k].Name
	// In an object a cell has a place, in a CSV file a field.
	if s.object && r.fields == nil {
		if r.at == "" {
			return fmt.Sprintf("line %d, %s", r.line, name)
		}
		return fmt.Sprintf("line %d, %s.%s", r.line, r.at, name)
	}
	return fmt.Sprintf("line %d, field %d (%s)", r.line, r.fields[k], name)
}

// Missing returns an error about something that no line has.
func (s *Sheet) Missing(format string, args ...any) error { return s.fail("", format, args...) }

// Index numbers the names in a column of a table in the order of the file. A name that comes twice is an error.
func (s *Sheet) Index(table, column string) (names []string, index map[string]int, err error) {
	// The numbers are the positions of the names, from 0.
	index = make(map[string]int)
	rows := s.rows[table]
	for k := range rows {
		name := rows[k].Text(column)
		// The error is at the second of the two.
		if _, known := index[name]; known {
			return nil, nil, s.Fail(&rows[k], column, "%s %q comes a second time", column, name)
		}
		index[name] = len(names)
		names = append(names, name)
	}
	return names, index, nil
}

// Find returns the number of a name.
func (s *Sheet) Find(r *Record, column string, index map[string]int, what string) (int, error) {
	k, known := index[r.Text(column)]
	// The name is one of another table.
	if !known {
		return 0, s.Fail(r, column, "no %s is called %q", what, r.Text(column))
	}
	return k, nil
}

// check returns an error if a required table is missing, after the whole file is read.
func (s *Sheet) check() error {
	for k := range s.schema.Tables {
		t := &s.schema.Tables[k]
		// An optional table may be missing or empty.
		if len(s.rows[t.Name]) == 0 && !t.Optional {
			return s.fail("", "there is no table of the %s (%s)", t.Name, t.header())
		}
	}
	return nil
}

// set puts the text of a cell into a record.
func (s *Sheet) set(r *Record, k int, text string) error {
	c := &r.table.Columns[k]
	// An empty cell is one that is left out.
	switch {
	case text == "" && c.Optional:
		return nil
	case text == "":
		return s.fail(s.place(r, k), "%s is empty", c.Name)
	case c.Kind == name:
		r.text[k] = text
		r.given[k] = true
		return nil
	}

	// A comma is probably a decimal separator, for which the error gives the right one.
	v, ok := number(text)
	switch {
	case !ok && strings.Contains(text, ","):
		return s.fail(s.place(r, k), "want a number, have %q: the decimal separator is a point", clip(text))
	case !ok:
		return s.fail(s.place(r, k), "want a number, have %q", clip(text))
	case c.Kind == Amount && v < 0:
		return s.fail(s.place(r, k), "%s is negative: %s", c.Name, text)
	}
	r.number[k] = v
	r.given[k] = true
	return nil
}

// addEntry adds a record of a matrix: the names of its row and column and the number.
func (s *Sheet) addEntry(r Record, cells ...string) error {
	for k, text := range cells {
		if err := s.set(&r, k, text); err != nil {
			// The cells are the row's name, the column's name and the number.
			return err
		}
	}
	s.add(r)
	return nil
}

// add keeps a record of the file that is read.
func (s *Sheet) add(r Record) {
	r.file = s.File
	s.rows[r.table.Name] = append(s.rows[r.table.Name], r)
}
