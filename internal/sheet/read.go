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

// maxFile bounds what is read of a file, in bytes.
const maxFile = 1 << 30

// sniffed is how much of a file says what it is.
const sniffed = 1 << 16

// Sniff looks at the beginning of a file, plain or packed, and returns the problem that it says it is of; "" where it
// is no table file.
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
	text, err := beginning(r)
	if err != nil {
		return ""
	}
	if text = unmarked(text); looksLikeObject(text) {
		return sniffObject(text)
	}
	problem, _ := sniffLines(text)
	return problem
}

// beginning reads what Sniff looks at: little of a file whose first lines say that it is no table, since every family
// that has tables looks at every file.
func beginning(r io.Reader) ([]byte, error) {
	text := make([]byte, 1<<10)
	n, err := io.ReadFull(r, text)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return text[:n], nil
	}
	if err != nil || !looksLikeObject(unmarked(text)) && said(text) {
		return text, err
	}
	rest, err := io.ReadAll(io.LimitReader(r, int64(sniffed-n)))
	return append(text, rest...), err
}

// said reports whether a text has a whole line that is neither empty nor a comment.
func said(text []byte) bool {
	for line := range bytes.Lines(unmarked(text)) {
		if shown := bytes.Trim(bytes.TrimSpace(line), `"`); len(shown) > 0 && shown[0] != '#' {
			return line[len(line)-1] == '\n'
		}
	}
	return false
}

// unpacked reads at most limit bytes, of a packed input those that it holds.
func unpacked(r io.Reader, limit int64) ([]byte, error) {
	r, err := unpack.Reader(r)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, limit))
}

// unmarked drops a byte order mark.
func unmarked(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) }

func looksLikeObject(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{"))
}

// sniffLines returns the problem of the first line that is no comment, and what parts its fields.
func sniffLines(text []byte) (problem string, comma rune) {
	for line := range bytes.Lines(text) {
		line := strings.Trim(strings.TrimSpace(string(line)), `"`)
		if line == "" || line[0] == '#' {
			continue
		}
		rest, ok := strings.CutPrefix(line, "problem")
		rest = strings.TrimLeft(rest, ` "`)
		if !ok || rest == "" || !strings.Contains(",;\t", rest[:1]) {
			return "", 0
		}
		comma = rune(rest[0])
		problem, _, _ = strings.Cut(rest[1:], rest[:1])
		return strings.Trim(strings.TrimSpace(problem), `"`), comma
	}
	return "", 0
}

// sniffObject returns the value of the key problem, before which there may be texts only.
func sniffObject(text []byte) string {
	dec := json.NewDecoder(bytes.NewReader(text))
	if _, err := dec.Token(); err != nil {
		return ""
	}
	for {
		key, err := dec.Token()
		if err != nil {
			return ""
		}
		value, err := dec.Token()
		if err != nil {
			return ""
		}
		if s, ok := value.(string); ok && key == "problem" {
			return s
		}
		if value == json.Delim('[') { // a description
			for dec.More() {
				if line, err := dec.Token(); err != nil {
					return ""
				} else if _, ok := line.(string); !ok {
					return ""
				}
			}
			if _, err := dec.Token(); err != nil {
				return ""
			}
		} else if _, ok := value.(string); !ok {
			return ""
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
	return Decode(f, path, schema)
}

// Decode reads an input, plain or packed, whose name in errors is file.
func Decode(r io.Reader, file string, schema *Schema) (*Sheet, error) {
	s := &Sheet{File: file, schema: schema, rows: make(map[string][]Record)}
	text, err := unpacked(r, maxFile+1)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", file, ErrFormat, err)
	}
	if len(text) > maxFile {
		return nil, s.fail("", "it has more than %d bytes", maxFile)
	}
	text = unmarked(text)
	if s.object = looksLikeObject(text); s.object {
		err = (&objectReader{s: s, text: text, dec: json.NewDecoder(bytes.NewReader(text)), line: 1}).read()
	} else {
		err = s.readLines(text)
	}
	if err == nil {
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
	if problem != s.schema.Problem {
		return s.fail("", "the first line is not problem,%s", s.schema.Problem)
	}
	in := csv.NewReader(bytes.NewReader(text))
	in.Comma, in.Comment, in.FieldsPerRecord, in.TrimLeadingSpace, in.ReuseRecord = comma, '#', -1, comma != '\t', true
	s.remarks(text)
	var to *block
	for {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var bad *csv.ParseError
		if errors.As(err, &bad) {
			return s.fail(fmt.Sprintf("line %d, column %d", bad.Line, bad.Column), "%v", bad.Err)
		} else if err != nil {
			return s.fail("", "%v", err)
		}
		line, _ := in.FieldPos(0)
		for k := range cells {
			cells[k] = Unguard(strings.TrimSpace(cells[k]))
		}
		for len(cells) > 0 && cells[len(cells)-1] == "" {
			cells = cells[:len(cells)-1]
		}
		switch {
		case len(cells) == 0 || strings.HasPrefix(cells[0], "#"):
		case to == nil && cells[0] == "problem":
		case to == nil && cells[0] == "name":
			if s.Name != "" || len(cells) != 2 {
				return s.fail(fmt.Sprintf("line %d", line), "want one name, have %q", strings.Join(cells[1:], " "))
			}
			s.Name = cells[1]
		default:
			if err := s.line(&to, cells, line); err != nil {
				return err
			}
		}
	}
}

// remarks keeps the comments before the first line of another kind.
func (s *Sheet) remarks(text []byte) {
	for line := range bytes.Lines(text) {
		line := strings.TrimSpace(string(line))
		remark, ok := strings.CutPrefix(strings.Trim(line, `"`), "#")
		if !ok {
			if strings.HasPrefix(line, "problem") || strings.HasPrefix(line, "name") || line == "" {
				continue
			}
			return
		}
		if remark = strings.TrimSpace(remark); remark != "" {
			s.Remarks = append(s.Remarks, remark)
		}
	}
}

// block is the table that lines belong to.
type block struct {
	table  *Table
	column []int    // of each field
	matrix []string // the names of the columns of a matrix, nil for a list
}

// line reads a header or a record.
func (s *Sheet) line(to **block, cells []string, line int) error {
	at := fmt.Sprintf("line %d", line)
	next, err := s.header(cells, at)
	if err != nil {
		return err
	}
	switch b := *to; {
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
	default:
		r := newRecord(b.table, line)
		r.fields = make([]int, len(b.table.Columns))
		for f, k := range b.column {
			r.fields[k] = f + 1
		}
		for f, k := range b.column {
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
}

// matrixLine reads a row of a matrix. An empty field stands for nothing.
func (s *Sheet) matrixLine(b *block, cells []string, line int) error {
	if len(cells) > len(b.matrix)+1 {
		return s.fail(fmt.Sprintf("line %d, field %d", line, len(b.matrix)+2), "more fields than the header of the %s has",
			b.table.Name)
	}
	for f, cell := range cells[1:] {
		if cell == "" {
			continue
		}
		r := newRecord(b.table, line)
		r.fields = []int{1, f + 2, f + 2}
		for k, text := range [3]string{cells[0], b.matrix[f], cell} {
			if err := s.set(&r, k, text); err != nil {
				return err
			}
		}
		s.rows[b.table.Name] = append(s.rows[b.table.Name], r)
	}
	return nil
}

// header returns the table that a line begins, nil where it begins none. A header begins with a column of a
// table and has its first column, or begins with the word of a matrix; it has no number in it unless as a name of a
// matrix.
func (s *Sheet) header(cells []string, at string) (*block, error) {
	for k := range s.schema.Tables {
		if t := &s.schema.Tables[k]; t.Matrix != "" && t.Matrix == cells[0] && len(cells) > 1 {
			return &block{table: t, matrix: append([]string(nil), cells[1:]...)}, nil
		}
	}
	for _, c := range cells {
		if _, ok := number(c); ok {
			return nil, nil
		}
	}
	var near *Table
	var fault string
	for k := range s.schema.Tables {
		t := &s.schema.Tables[k]
		if t.column(cells[0]) < 0 || !slices.Contains(cells, t.Columns[0].Name) {
			continue
		}
		b, wrong := t.block(cells)
		if wrong == "" {
			return b, nil
		}
		if near == nil || b != nil {
			near, fault = t, wrong
		}
	}
	if near == nil {
		return nil, nil
	}
	return nil, s.fail(at, "the header of the %s (%s): %s", near.Name, near.header(), fault)
}

// block matches a header with the columns of a table, and says what is wrong where it does not; the block is nil where
// a column is not one of the table.
func (t *Table) block(cells []string) (b *block, wrong string) {
	b = &block{table: t}
	seen := make([]bool, len(t.Columns))
	for _, c := range cells {
		k := t.column(c)
		if k < 0 {
			return nil, fmt.Sprintf("unknown column %q", clip(c))
		}
		if seen[k] {
			return b, fmt.Sprintf("the column %s comes a second time", c)
		}
		seen[k], b.column = true, append(b.column, k)
	}
	for k, c := range t.Columns {
		if !seen[k] && !c.Optional {
			return b, fmt.Sprintf("the column %s is missing", c.Name)
		}
	}
	return b, ""
}

// number reads a finite decimal number.
func number(text string) (float64, bool) {
	if text == "" || strings.Trim(text, "+-.0123456789eE") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

// clip shortens a text for an error.
func clip(s string) string {
	const maxLength = 40
	if r := []rune(s); len(r) > maxLength {
		return string(r[:maxLength]) + "..."
	}
	return s
}
