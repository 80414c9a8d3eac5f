package sheet

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Document is the content of a file to write: tables in the order of the file.
type Document struct {
	Problem, Name string
	Tables        []Part
}

// Part is a table with its rows: a list, or a matrix if Value is not nil.
type Part struct {
	Name    string
	Columns []string
	Rows    [][]any // cells are strings, ints and float64s

	// Of a matrix: the first word of its header in CSV, the names of its rows and of its columns, and its numbers, NaN
	// where there is none.
	Matrix        string
	Across, Along []any
	Value         func(row, column int) float64
}

// cell returns the text of a cell; numbers have as many digits as are needed to read the same float64 back.
func cell(v any) string {
	// Integers and texts have one form.
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// WriteCSV writes a document as a CSV file.
func (d *Document) WriteCSV(w io.Writer) error {
	b := bufio.NewWriterSize(w, 1<<16)
	// A writer keeps its first error, which is returned at the end.
	out := csv.NewWriter(b)
	out.Write([]string{"problem", d.Problem})
	if d.Name != "" {
		out.Write([]string{"name", Guard(d.Name)})
	}

	for _, p := range d.Tables {
		// The buffer of the CSV writer is emptied before anything else is written.
		out.Flush()
		b.WriteByte('\n')
		// A list has a line for each of its rows.
		if p.Value == nil {
			out.Write(p.Columns)
			for _, row := range p.Rows {
				out.Write(cells(nil, row))
			}
			continue
		}

		// The header of a matrix is its word and the names of its columns.
		out.Write(cells([]string{p.Matrix}, p.Along))
		line := make([]string, 1+len(p.Along))
		for i, row := range p.Across {
			line[0] = Guard(cell(row))
			for j := range p.Along {
				line[1+j] = ""
				if v := p.Value(i, j); !math.IsNaN(v) {
					line[1+j] = cell(v)
				}
			}
			out.Write(line)
		}
	}

	// The buffer keeps the first error, also those of the CSV writer on top of it.
	out.Flush()
	return b.Flush()
}

// cells appends the guarded texts of a row to a list.
func cells(list []string, row []any) []string {
	// Names are guarded against spreadsheets, numbers are not changed by that.
	for _, v := range row {
		list = append(list, Guard(cell(v)))
	}
	return list
}

// WriteJSON writes a document as a JSON object, a record a line.
func (d *Document) WriteJSON(w io.Writer) error {
	b := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(b, "{\n\"problem\": %s", quoted(d.Problem))
	if d.Name != "" {
		fmt.Fprintf(b, ",\n\"name\": %s", quoted(d.Name))
	}

	for _, p := range d.Tables {
		fmt.Fprintf(b, ",\n%s: ", quoted(p.Name))
		// A list is an array of records, each on a line of its own.
		if p.Value == nil {
			b.WriteString("[")
			for i, row := range p.Rows {
				fmt.Fprintf(b, "%s\n  {", separator(i, ","))
				for k, v := range row {
					fmt.Fprintf(b, "%s%s: %s", separator(k, ", "), quoted(p.Columns[k]), value(v))
				}
				b.WriteString("}")
			}
			b.WriteString("]")
			continue
		}

		// A matrix is an object of its rows, and a row an object of its columns.
		b.WriteString("{")
		for i, row := range p.Across {
			fmt.Fprintf(b, "%s\n  %s: {", separator(i, ","), quoted(cell(row)))
			written := 0
			for j, column := range p.Along {
				if v := p.Value(i, j); !math.IsNaN(v) {
					fmt.Fprintf(b, "%s%s: %s", separator(written, ", "), quoted(cell(column)), cell(v))
					written++
				}
			}
			b.WriteString("}")
		}
		b.WriteString("}")
	}
	b.WriteString("\n}\n")
	return b.Flush()
}

// separator returns the text between two elements of a list, "" before the first one.
func separator(k int, text string) string {
	if k == 0 {
		return ""
	}
	return text
}

// value returns a cell in JSON.
func value(v any) string {
	// Texts have quotes, numbers are written as in CSV.
	if s, ok := v.(string); ok {
		return quoted(s)
	}
	return cell(v)
}

// quoted returns a text as a JSON string.
func quoted(s string) string {
	// Marshalling a text cannot fail.
	text, _ := json.Marshal(s)
	return string(text)
}
