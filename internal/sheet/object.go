package sheet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// objectReader reads a JSON object token by token, so that errors name the line.
type objectReader struct {
	s    *Sheet
	text []byte
	dec  *json.Decoder

	// Bytes whose lines are counted, and the line that they end in.
	counted int
	line    int
}

// at returns the line of the last token.
func (o *objectReader) at() int {
	// Only the bytes since the last call are counted, so that large files are read in linear time.
	offset := int(o.dec.InputOffset())
	o.line += bytes.Count(o.text[o.counted:offset], []byte("\n"))
	o.counted = offset
	return o.line
}

// fail returns an error at the last token; where is its place in the object, if it has one.
func (o *objectReader) fail(where, format string, args ...any) error {
	// The line is that of the last token, which may be the one after what is wrong.
	place := fmt.Sprintf("line %d", o.at())
	if where != "" {
		place += ", " + where
	}
	return o.s.fail(place, format, args...)
}

// token returns the next token.
func (o *objectReader) token(where string) (json.Token, error) {
	t, err := o.dec.Token()
	var syntax *json.SyntaxError
	// The decoder has errors of its own for the end and for syntax, which have no line.
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, o.fail(where, "the file ends too soon")
	case errors.As(err, &syntax):
		// The offset of a syntax error is behind what the decoder has returned.
		line := 1 + bytes.Count(o.text[:min(int(syntax.Offset), len(o.text))], []byte("\n"))
		return nil, o.s.fail(fmt.Sprintf("line %d", line), "%v", err)
	case err != nil:
		return nil, o.fail(where, "%v", err)
	}
	return t, nil
}

// want reads a token that must be d.
func (o *objectReader) want(where string, d json.Delim) error {
	t, err := o.token(where)
	// Any other token is shown, since it is what the writer of the file has to look for.
	if err == nil && t != d {
		return o.fail(where, "want %v, have %v", d, show(t))
	}
	return err
}

// show returns a token for an error message.
func show(t json.Token) string {
	// A text may be long, or hold control characters.
	if s, ok := t.(string); ok {
		return fmt.Sprintf("%q", clip(s))
	}
	return fmt.Sprint(t)
}

// members reads an object whose brace has been read. It calls each with every key, and each reads the value. A key that
// is empty or comes twice is an error.
func (o *objectReader) members(where string, each func(key string) error) error {
	seen := map[string]bool{}
	for {
		// The end of the object is the only token that is no key, and a key is a text.
		t, err := o.token(where)
		if err != nil || t == json.Delim('}') {
			return err
		}
		key, _ := t.(string)
		switch {
		case key == "":
			return o.fail(where, "an empty key")
		case seen[key]:
			return o.fail(where, "the key %q comes a second time", clip(key))
		}

		seen[key] = true
		if err := each(key); err != nil {
			return err
		}
	}
}

// remark reports whether a key holds a text for readers.
func remark(key string) bool { return key == "description" || key == "comment" }

// read reads the whole object.
func (o *objectReader) read() error {
	// Numbers stay texts, as cells of a CSV file are.
	o.dec.UseNumber()
	if err := o.want("", '{'); err != nil {
		return err
	}

	// The keys may come in any order.
	named := false
	err := o.members("", func(key string) error {
		named = named || key == "problem"
		return o.member(key)
	})
	if err != nil {
		return err
	}

	// Without the problem the file may be of any program.
	if !named {
		return o.s.fail("", "the object has no key problem")
	}

	// Only white space may follow the object.
	if _, err := o.dec.Token(); !errors.Is(err, io.EOF) {
		return o.fail("", "text after the object")
	}
	return nil
}

// member reads the value of a key of the object.
func (o *objectReader) member(key string) error {
	// The key is one of a table, or one of the few that all files have.
	t := o.s.schema.table(key)
	switch {
	case key == "problem":
		text, err := o.scalar(key)
		// The problem is that of the schema: a file of another family is an error.
		if err == nil && text != o.s.schema.Problem {
			return o.fail(key, "want %q, have %q", o.s.schema.Problem, clip(text))
		}
		return err
	case key == "name":
		text, err := o.scalar(key)
		o.s.Name = text
		return err
	case remark(key):
		return o.describe()
	case t == nil:
		return o.fail("", "unknown key %q (known: problem, name, description, %s)", clip(key),
			strings.Join(o.s.schema.names(), ", "))
	}
	return o.table(t)
}

// names returns the names of the tables.
func (s *Schema) names() (list []string) {
	// The order is that of the schema.
	for k := range s.Tables {
		list = append(list, s.Tables[k].Name)
	}
	return list
}

// scalar reads a text or a number.
func (o *objectReader) scalar(where string) (string, error) {
	t, err := o.token(where)
	if err != nil {
		return "", err
	}

	// Names of things may be numbers.
	switch v := t.(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	}
	return "", o.fail(where, "want a text or a number, have %v", t)
}

// describe skips a text or a list of texts, which are for people.
func (o *objectReader) describe() error {
	t, err := o.token("description")
	if _, isText := t.(string); err != nil || isText {
		return err
	}
	if t != json.Delim('[') {
		return o.fail("description", "want a text or a list of texts, have %v", t)
	}

	// The list ends with a bracket, and has texts only.
	for {
		t, err := o.token("description")
		if err != nil || t == json.Delim(']') {
			return err
		}
		if _, isText := t.(string); !isText {
			return o.fail("description", "want a text, have %v", t)
		}
	}
}

// table reads a list of records, or a matrix.
func (o *objectReader) table(t *Table) error {
	// A list is of records; an object is the second form of a table that allows one.
	begin, err := o.token(t.Name)
	switch {
	case err != nil:
		return err
	case begin == json.Delim('{') && t.Matrix != "":
		return o.matrix(t)
	case begin != json.Delim('['):
		return o.fail(t.Name, "want a list of records, have %v", show(begin))
	}

	// Errors name a record by its table and its position, from 0.
	for k := 0; ; k++ {
		where := fmt.Sprintf("%s[%d]", t.Name, k)
		begin, err := o.token(where)
		if err != nil {
			return err
		}
		if begin == json.Delim(']') {
			return nil
		}

		// A record is an object, whose keys are columns.
		if begin != json.Delim('{') {
			return o.fail(where, "want a record such as {%q: ...}, have %v", t.Columns[0].Name, show(begin))
		}
		if err := o.record(t, where); err != nil {
			return err
		}
	}
}

// record reads an object with the columns of a table as keys. where is its place.
func (o *objectReader) record(t *Table, where string) error {
	// The line is that of the opening brace until a cell is read.
	r := newRecord(t, o.at())
	r.at = where
	err := o.members(where, func(key string) error {
		text, err := o.scalar(where + "." + key)
		if err != nil {
			return err
		}

		// A remark is dropped. The line of a record is that of its last cell.
		k := t.column(key)
		switch {
		case k >= 0:
			r.line = o.at()
			return o.s.set(&r, k, strings.TrimSpace(text))
		case !remark(key):
			return o.fail(where, "unknown key %q (the %s have %s)", clip(key), t.Name, strings.Join(t.names(), ", "))
		}
		return nil
	})
	if err != nil {
		return err
	}

	// A required column must be in every record.
	for k, c := range t.Columns {
		if !r.given[k] && !c.Optional {
			return o.fail(where, "%s is missing", c.Name)
		}
	}
	o.s.add(r)
	return nil
}

// names returns the names of the columns.
func (t *Table) names() (list []string) {
	for _, c := range t.Columns {
		list = append(list, c.Name)
	}
	return list
}

// matrix reads an object of objects of numbers: a record for each number.
func (o *objectReader) matrix(t *Table) error {
	// The rows of a matrix are keys of one object, the columns keys of another in it.
	return o.members(t.Name, func(row string) error {
		where := t.Name + "." + row
		if err := o.want(where, '{'); err != nil {
			return err
		}
		return o.members(where, func(column string) error {
			value, err := o.scalar(where + "." + column)
			if err != nil {
				return err
			}

			// Cells of a CSV file come without the blanks around them; here they are removed.
			r := newRecord(t, o.at())
			r.at = where + "." + column
			return o.s.addEntry(r, strings.TrimSpace(row), strings.TrimSpace(column), strings.TrimSpace(value))
		})
	})
}
