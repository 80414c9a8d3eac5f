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

// sniffed is the number of bytes of a JSON object that must hold the key problem.
const sniffed = 1 << 16

// Sniff reads the beginning of a file, plain or packed, and returns the problem that it names; "" if it is no table
// file.
func Sniff(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	r, err := unpack.Reader(f)
	if err != nil {
		return ""
	}

	// A packed file is unpacked as far as it is read.
	text, err := beginning(r)
	if err != nil {
		return ""
	}

	// An object begins with a brace; everything else is read line by line.
	if text = unmarked(text); looksLikeObject(text) {
		return sniffObject(text)
	}
	problem, _ := sniffLines(text)
	return problem
}

// Untitled reports whether a file is a table file of a schema but for its first line, which should name the problem:
// its first line is the header of a table.
func Untitled(path string, schema *Schema) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	r, err := unpack.Reader(f)
	if err != nil {
		return false
	}
	text, err := beginning(r)
	if err != nil {
		return false
	}
	cells, _ := firstLine(unmarked(text))
	return len(cells) > 1 && schema.begins(cells)
}

// firstLine returns the cells of the first line that is no comment, and the separator that parts most of them.
func firstLine(text []byte) (cells []string, comma rune) {
	for line := range bytes.Lines(text) {
		line := strings.TrimSpace(string(line))
		if line == "" || strings.Trim(line, `"`) == "" || strings.Trim(line, `"`)[0] == '#' {
			continue
		}
		for _, mark := range ",;\t" {
			if parts := strings.Split(line, string(mark)); len(parts) > len(cells) {
				cells = parts
				comma = mark
			}
		}
		for k := range cells {
			cells[k] = strings.Trim(strings.TrimSpace(cells[k]), `"`)
		}
		return cells, comma
	}
	return nil, ','
}

// beginning reads the bytes that Sniff needs. These are few for a CSV file, and for a file of another kind, since every
// family with tables calls Sniff on every file.
func beginning(r io.Reader) ([]byte, error) {
	// A first piece is enough for most files, such as those of other kinds.
	text := make([]byte, 1<<10)
	n, err := io.ReadFull(r, text)
	// A file that is shorter is read as a whole.
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return text[:n], nil
	}

	// A text file is decided by its first line that is no comment.
	if err != nil || !looksLikeObject(unmarked(text)) && hasContentLine(text) {
		return text, err
	}

	// The key problem of an object may come after a long description.
	rest, err := io.ReadAll(io.LimitReader(r, int64(sniffed-n)))
	return append(text, rest...), err
}

// hasContentLine reports whether a text has a complete line that is neither empty nor a comment.
func hasContentLine(text []byte) bool {
	// A line that is cut off at the end of the piece may go on.
	for line := range bytes.Lines(unmarked(text)) {
		if shown := bytes.Trim(bytes.TrimSpace(line), `"`); len(shown) > 0 && shown[0] != '#' {
			return line[len(line)-1] == '\n'
		}
	}
	return false
}

// unmarked drops a byte order mark.
func unmarked(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) }

// looksLikeObject reports whether a text begins like a JSON object.
func looksLikeObject(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{"))
}

// sniffLines returns the problem in the first line that is no comment, and the separator of its fields.
func sniffLines(text []byte) (problem string, comma rune) {
	for line := range bytes.Lines(text) {
		// Spreadsheets put quotes around cells with commas.
		line := strings.Trim(strings.TrimSpace(string(line)), `"`)
		if line == "" || line[0] == '#' {
			continue
		}

		// The word problem, a separator and the name of the problem are the first line of every table file.
		rest, ok := strings.CutPrefix(line, "problem")
		rest = strings.TrimLeft(rest, ` "`)
		if !ok || rest == "" || !strings.Contains(",;\t", rest[:1]) {
			return "", 0
		}

		// The separator after the word is that of all lines.
		comma = rune(rest[0])
		problem, _, _ = strings.Cut(rest[1:], rest[:1])
		return strings.Trim(strings.TrimSpace(problem), `"`), comma
	}
	return "", 0
}

// sniffObject returns the value of the key problem. Only texts and lists of texts may come before it.
func sniffObject(text []byte) string {
	dec := json.NewDecoder(bytes.NewReader(text))
	// The first token is the brace.
	if _, err := dec.Token(); err != nil {
		return ""
	}

	// Keys and values alternate until the key problem.
	for {
		key, _ := dec.Token() // an error repeats at the next call
		value, err := dec.Token()
		if err != nil {
			return ""
		}

		// A value of another kind says that this is no table file.
		text, isText := value.(string)
		switch {
		case isText && key == "problem":
			return text
		case isText:
		case value != json.Delim('[') || !skipTexts(dec):
			return ""
		}
	}
}

// skipTexts reads the rest of a list and reports whether all its elements are texts.
func skipTexts(dec *json.Decoder) bool {
	// The list is read to its end, so that the next token is a key.
	for {
		element, err := dec.Token()
		if err != nil || element == json.Delim(']') {
			return err == nil
		}
		if _, isText := element.(string); !isText {
			return false
		}
	}
}

// Read reads a file, plain or packed.
func Read(path string, schema *Schema) (*Sheet, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return decode(f, path, schema)
}

// decode reads an input, plain or packed, whose name in errors is file.
func decode(r io.Reader, file string, schema *Schema) (*Sheet, error) {
	// The records of each table are kept in the order of the file.
	s := &Sheet{File: file, schema: schema, rows: make(map[string][]Record)}
	var text []byte
	plain, err := unpack.Reader(r)
	if err == nil {
		// One byte more than the limit is read, to find a file that is too large.
		text, err = io.ReadAll(io.LimitReader(plain, maxFile+1))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", file, errFormat, err)
	}
	if len(text) > maxFile {
		return nil, s.fail("", "it has more than %d bytes", maxFile)
	}

	// An object begins with a brace, which no CSV file of a problem does.
	// Some programs begin a text with a byte order mark.
	text = unmarked(text)
	if s.object = looksLikeObject(text); s.object {
		err = (&objectReader{s: s, text: text, dec: json.NewDecoder(bytes.NewReader(text)), line: 1}).read()
	} else {
		err = s.readLines(text)
	}
	if err == nil {
		// What is missing shows at the end of the file.
		err = s.check()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// readLines reads a CSV file.
func (s *Sheet) readLines(text []byte) error {
	problem, comma := sniffLines(text)
	// The separator of the fields is known from the first line, which may be missing where the caller knows the
	// problem.
	if problem == "" {
		var cells []string
		if cells, comma = firstLine(text); !s.schema.begins(cells) {
			return s.fail("", "the first line is neither problem,%s nor the header of a table, such as %s", s.schema.Problem,
				s.schema.headers())
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
		// A name may have been guarded against spreadsheets.
		for k := range cells {
			cells[k] = unguard(strings.TrimSpace(cells[k]))
		}
		for len(cells) > 0 && cells[len(cells)-1] == "" {
			cells = cells[:len(cells)-1]
		}

		// The lines before the first table name the problem and the instance.
		switch {
		case len(cells) == 0 || strings.HasPrefix(cells[0], "#"):
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
	s.rows[b.table.Name] = append(s.rows[b.table.Name], r)
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
	for k := range s.schema.Tables {
		if t := &s.schema.Tables[k]; t.Matrix != "" && t.Matrix == spelled(cells[0]) && len(cells) > 1 {
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
	for k := range s.schema.Tables {
		// The first column of a table must be in its header, the others may come in any order.
		t := &s.schema.Tables[k]
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
