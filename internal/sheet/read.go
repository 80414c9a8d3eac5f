package sheet

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/internal/unpack"
)

// maxFile is the largest size of a file, in bytes.
const maxFile = 1 << 30

// Extra is a file with one table of a schema, in CSV: a header with the names of its columns, as in a file of several
// tables. A matrix may have the first column of the table in the place of its word, as in client,Hamburg,Berlin.
type Extra struct{ Table, Path string }

// Read reads a file, plain or packed, and after it files with further tables. Where the first path is that of such a
// file, there is no other file.
func Read(path string, schema *Schema, extra ...Extra) (*Sheet, error) {
	s := &Sheet{File: path, schema: schema, rows: make(map[string][]Record)}
	if !slices.ContainsFunc(extra, func(p Extra) bool { return p.Path == path }) {
		if err := s.readFile(path); err != nil {
			return nil, err
		}
	}
	for _, p := range extra {
		s.separate = schema.table(p.Table)
		if err := s.readFile(p.Path); err != nil {
			return nil, err
		}
	}

	// What is missing shows at the end of the last file, and is missing in the first.
	s.separate = nil
	s.File = path
	return s, s.check()
}

// readFile reads a file.
func (s *Sheet) readFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s.File = path
	return s.decode(f)
}

// decode reads an input, plain or packed, whose name in errors is s.File.
func (s *Sheet) decode(r io.Reader) error {
	var text []byte
	plain, err := unpack.Reader(r)
	if err == nil {
		// One byte more than the limit is read, to find a file that is too large.
		text, err = io.ReadAll(io.LimitReader(plain, maxFile+1))
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %w", s.File, errFormat, err)
	}
	if len(text) > maxFile {
		return s.fail("", "it has more than %d bytes", maxFile)
	}

	// An object begins with a brace, which no CSV file of a problem does.
	// Some programs begin a text with a byte order mark.
	text = unmarked(text)
	switch object := looksLikeObject(text); {
	case object && s.separate != nil:
		return s.fail("", "a file of the %s alone is CSV", s.separate.Name)
	case object:
		s.object = true
		return (&objectReader{s: s, text: text, dec: json.NewDecoder(bytes.NewReader(text)), line: 1}).read()
	}
	return s.readLines(text)
}

// readLines reads a CSV file.
func (s *Sheet) readLines(text []byte) error {
	problem, comma := sniffLines(text)
	// The separator of the fields is known from the first line, which may be missing where the caller has given the
	// problem.
	if problem == "" {
		var cells []string
		if cells, comma = firstLine(text); !s.begins(cells) {
			return s.fail("", "the first line is neither problem,%s nor the header of a table, such as %s", s.schema.Problem,
				(&Schema{Tables: s.tables()}).headers())
		}
	} else if problem != s.schema.Problem {
		return s.fail("", "the first line is not problem,%s", s.schema.Problem)
	}
	in := csv.NewReader(bytes.NewReader(text))
	// The reader is lenient about the number of fields, since tables differ in it.
	in.Comma = comma
	in.Comment = '#'
	in.FieldsPerRecord = -1
	// A tabulator may be an empty cell, and is no blank.
	in.TrimLeadingSpace = comma != '\t'
	in.ReuseRecord = true

	var to *block
	for {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}

		// The reader names the line and the column of a syntax error.
		var bad *csv.ParseError
		if errors.As(err, &bad) {
			return s.fail(fmt.Sprintf("line %d, column %d", bad.Line, bad.Column), "%v", bad.Err)
		} else if err != nil {
			return s.fail("", "%v", err)
		}

		// Empty cells at the end of a line are those of other tables that are wider.
		line, _ := in.FieldPos(0)
		// A spreadsheet may have put a comment in quotes. A name that begins like a comment has been guarded, as one that
		// a spreadsheet would take for a formula.
		comment := len(cells) > 0 && strings.HasPrefix(strings.TrimSpace(cells[0]), "#")
		for k := range cells {
			cells[k] = unguard(strings.TrimSpace(cells[k]))
		}
		for len(cells) > 0 && cells[len(cells)-1] == "" {
			cells = cells[:len(cells)-1]
		}

		// The lines before the first table name the problem and the instance.
		switch {
		case len(cells) == 0 || comment:
		case to == nil && cells[0] == "problem":
		case to == nil && cells[0] == "name":
			if s.Name != "" || len(cells) != 2 {
				return s.fail(fmt.Sprintf("line %d", line), "want one name, have %q", strings.Join(cells[1:], " "))
			}
			s.Name = cells[1]
		default:
			// All other lines are headers, or rows of the table above them.
			if err := s.line(&to, cells, line); err != nil {
				return err
			}
		}
	}
}

// block is the table to which lines belong.
type block struct {
	table  *Table
	column []int // of each field

	// The names of the columns of a matrix, nil for a list.
	matrix []string
}

// line reads a header or a record.
func (s *Sheet) line(to **block, cells []string, line int) error {
	// The line may be a header, which begins another table.
	at := fmt.Sprintf("line %d", line)
	next, err := s.header(cells, at)
	if err != nil {
		return err
	}

	b := *to
	// The order of the cases matters: a header comes first, and a matrix has no fixed number of fields.
	switch {
	case next != nil:
		*to = next
		return nil
	case b == nil:
		return s.fail(at, "want a header such as %s, have %q", s.schema.headers(), clip(strings.Join(cells, ",")))
	case b.matrix != nil:
		return s.matrixLine(b, cells, line)
	case len(cells) > len(b.column):
		return s.fail(fmt.Sprintf("line %d, field %d", line, len(b.column)+1), "more fields than the header of the %s has",
			b.table.Name)
	}

	// Cells after the end of a line are empty.
	r := newRecord(b.table, line)
	r.fields = make([]int, len(b.table.Columns))
	// The fields are numbered from 1 in messages, as people count.
	for f, k := range b.column {
		if k >= 0 {
			r.fields[k] = f + 1
		}
	}

	// The cells are set in the order of the fields, so that the first wrong one is named.
	for f, k := range b.column {
		if k < 0 {
			continue
		}
		cell := ""
		if f < len(cells) {
			cell = cells[f]
		}
		if err := s.set(&r, k, cell); err != nil {
			return err
		}
	}
	s.add(r)
	return nil
}

// matrixLine reads a row of a matrix. An empty field makes no record.
func (s *Sheet) matrixLine(b *block, cells []string, line int) error {
	// A row has a name and a number for each column at most.
	if len(cells) > len(b.matrix)+1 {
		return s.fail(fmt.Sprintf("line %d, field %d", line, len(b.matrix)+2), "more fields than the header of the %s has",
			b.table.Name)
	}
	for f, cell := range cells[1:] {
		if cell == "" {
			continue
		}
		r := newRecord(b.table, line)
		// The first field is the name of the row; the other two cells of the record are in one field.
		r.fields = []int{1, f + 2, f + 2}
		if err := s.addEntry(r, cells[0], b.matrix[f], cell); err != nil {
			return err
		}
	}
	return nil
}

// header returns the table that a line begins, nil if it begins none. A header begins with a column of a table and
// contains the first column of the table, or begins with the word of a matrix. Only the header of a matrix may contain
// a number, as a name.
func (s *Sheet) header(cells []string, at string) (*block, error) {
	// The word of a matrix is no column, and decides at once.
	list := s.tables()
	for k := range list {
		if t := &list[k]; s.matrix(t, cells) {
			return &block{table: t, matrix: slices.Clone(cells[1:])}, nil
		}
	}
	for _, c := range cells {
		// A line with a number is a row.
		if _, ok := number(c); ok {
			return nil, nil
		}
	}

	// Of the tables that the line fits, the one with the fewest columns to ignore. If it fits none, the error is about
	// the one that it resembles most.
	var best, near *block
	var fault string
	for k := range list {
		// The first column of a table must be in its header, the others may come in any order.
		t := &list[k]
		has := func(c string) bool { return spelled(c) == t.Columns[0].Name }
		if t.column(spelled(cells[0])) < 0 || !slices.ContainsFunc(cells, has) {
			continue
		}
		switch b, wrong := t.block(cells); {
		case wrong == "" && (best == nil || len(b.ignored(cells)) < len(best.ignored(cells))):
			best = b
		case wrong != "" && (near == nil || len(b.ignored(cells)) < len(near.ignored(cells))):
			near = b
			fault = wrong
		}
	}

	switch {
	case best != nil:
		for _, c := range best.ignored(cells) {
			s.Notes = append(s.Notes, fmt.Sprintf("%s: %s: the column %q of the %s is ignored", s.File, at, clip(c),
				best.table.Name))
		}
		return best, nil
	case near == nil:
		// A line that resembles no table is a row of the table above.
		return nil, nil
	}
	if unknown := near.ignored(cells); len(unknown) > 0 {
		fault += fmt.Sprintf("; there is no column %q", clip(unknown[0]))
	}
	return nil, s.fail(at, "the header of the %s (%s): %s", near.table.Name, near.table.header(), fault)
}

// tables lists those that the file may have.
func (s *Sheet) tables() []Table {
	if s.separate != nil {
		return []Table{*s.separate}
	}
	return s.schema.Tables
}

// matrix reports whether a line is the header of a table's matrix: it begins with the table's word or, in a file of
// this table alone, with its first column, none of whose other columns is in the line.
func (s *Sheet) matrix(t *Table, cells []string) bool {
	if t.Matrix == "" || len(cells) < 2 {
		return false
	}
	switch spelled(cells[0]) {
	case t.Matrix:
		return true
	case t.Columns[0].Name:
		other := func(c string) bool { return t.column(spelled(c)) > 0 }
		return s.separate != nil && !slices.ContainsFunc(cells[1:], other)
	}
	return false
}

// begins reports whether a line of cells begins a table of the file.
func (s *Sheet) begins(cells []string) bool {
	list := s.tables()
	for k := range list {
		if len(cells) > 0 && s.matrix(&list[k], cells) {
			return true
		}
	}
	return (&Schema{Tables: list}).begins(cells)
}

// ignored lists the columns of a header that its table does not have.
func (b *block) ignored(cells []string) (list []string) {
	for f, k := range b.column {
		if k < 0 {
			list = append(list, cells[f])
		}
	}
	return list
}

// block matches a header with the columns of a table, and returns what is wrong if it does not fit. Columns that the
// table does not have count as -1: they are ignored.
func (t *Table) block(cells []string) (b *block, wrong string) {
	b = &block{table: t}
	// A header names each column once.
	seen := make([]bool, len(t.Columns))
	for _, c := range cells {
		k := t.column(spelled(c))
		b.column = append(b.column, k)
		if k < 0 {
			continue
		}
		if seen[k] {
			return b, fmt.Sprintf("the column %s comes a second time", c)
		}
		seen[k] = true
	}

	// Only optional columns may be left out.
	for k, c := range t.Columns {
		if !seen[k] && !c.Optional {
			return b, fmt.Sprintf("the column %s is missing", c.Name)
		}
	}
	return b, ""
}

// number reads a finite decimal number.
func number(text string) (float64, bool) {
	// Hexadecimal numbers, infinities and NaN are no data.
	if text == "" || strings.Trim(text, "+-.0123456789eE") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

// clip shortens a text for an error.
func clip(s string) string {
	const maxLength = 40
	// The text is cut between characters, not within one.
	if r := []rune(s); len(r) > maxLength {
		return string(r[:maxLength]) + "..."
	}
	return s
}
