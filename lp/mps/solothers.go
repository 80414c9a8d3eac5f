package mps

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// solStyle is a layout of solution files.
type solStyle uint8

const (
	// plainStyle has lines "name value": proxybd, Gurobi and SCIP.
	plainStyle solStyle = iota
	// xmlStyle is the XML of CPLEX.
	xmlStyle
	// cbcStyle is that of CBC and CLP: a line with the status, then number, name, value and reduced cost.
	cbcStyle
	// highsStyle is HiGHS, raw or sparse: sections that begin with #.
	highsStyle
	// prettyStyle is HiGHS with tables for people.
	prettyStyle
	// glpkStyle is what glpsol writes with --write: lines with the numbers of rows and columns.
	glpkStyle
	// reportStyle is what glpsol writes with --output: tables for people.
	reportStyle
)

// styleOf returns the layout of a solution file, which its first line that is not blank shows.
func styleOf(data []byte) solStyle {
	line := ""
	for text := range bytes.Lines(data) {
		if line = strings.TrimSpace(string(text)); line != "" {
			break
		}
	}

	field := strings.Fields(line + " x") // one field more, so that there is a first one in every line
	comment := field[0] == "c" && len(field) > 2 && strings.HasSuffix(field[1], ":")
	summary := field[0] == "s" && len(field) > 5
	switch {
	case strings.HasPrefix(line, "<"):
		return xmlStyle
	case line == "Model status":
		return highsStyle
	case line == "Columns":
		return prettyStyle
	case strings.Contains(line, " - objective value "):
		return cbcStyle
	case comment || summary && glpkKinds[field[1]] > 0:
		return glpkStyle
	case field[0] == "Problem:":
		return reportStyle
	}
	return plainStyle
}

// glpkKinds are the kinds of solutions of GLPK, with the place of the value in the line of a column.
var glpkKinds = map[string]int{"bas": 3, "mip": 2, "ipt": 2}

// next goes to the next line, blank ones too, without its end; ok is false at the end of the file.
func (p *point) next() (text string, ok bool) {
	line, ok := p.scan.take()
	return strings.TrimRight(string(line), " \t\r"), ok
}

// rest yields the lines from the next one on.
func (p *point) rest(yield func(text string) bool) {
	for text, ok := p.next(); ok && yield(text); text, ok = p.next() {
	}
}

// to goes to the next line that begins so.
func (p *point) to(start string) (text string, err error) {
	for text := range p.rest {
		// What stands before the line does not matter.
		if strings.HasPrefix(strings.TrimSpace(text), start) {
			return text, nil
		}
	}
	return "", p.missing(start)
}

// missing is the error of a file that ends too early.
func (p *point) missing(what string) error {
	return p.fail("", "", fmt.Sprintf("the file ends before %q: it is truncated, or has no point", what))
}

// cbc reads the layout of CBC and CLP. Where they were asked for, rows stand before the columns: a number that does not
// grow begins the second list. Values outside their bounds have two stars in front.
func (p *point) cbc() error {
	// The first line that is not blank has the status and, where there is a point, the value of the objective.
	for text := range p.rest {
		if field := strings.Fields(text); len(field) > 0 {
			v, ok := parseNumber([]byte(field[len(field)-1]))
			p.objective = ok && !math.IsInf(v, 0)
			break
		}
	}

	type entry struct {
		line        int
		name, value string
	}
	var list []entry
	last := -1
	for text := range p.rest {
		field := strings.Fields(strings.TrimPrefix(strings.TrimSpace(text), "**"))
		if len(field) == 0 {
			continue
		}
		number, err := strconv.Atoi(field[0])
		if err != nil || len(field) < 4 {
			return p.fail("line", text, "expected a number, a name, a value and a reduced cost")
		}

		// The numbers of the columns begin anew behind those of the rows: what came before is dropped.
		if number <= last {
			list = list[:0]
		}
		last = number
		list = append(list, entry{p.scan.line, strings.Join(field[1:len(field)-2], " "), field[len(field)-2]})
	}

	// Errors name the line of the entry, not the last one.
	for _, e := range list {
		p.scan.line = e.line
		if err := p.assign(e.name, e.value); err != nil {
			return err
		}
	}
	return nil
}

// highs reads the raw layouts of HiGHS: after "# Columns n" that many lines of a name and a value, or, where n is
// negative, -n lines of the columns that are not zero, with their numbers behind.
func (p *point) highs() error {
	if _, err := p.to("# Primal solution values"); err != nil {
		return err
	}
	if state, _ := p.next(); strings.TrimSpace(state) == "None" {
		return p.fail("", "", "the file has no point")
	}
	head, err := p.to("# Columns")
	if err != nil {
		return err
	}

	// A file may leave out the hidden columns.
	text := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(head), "# Columns"))
	n, err := strconv.Atoi(text)
	if err != nil {
		return p.fail("number of columns", text, "not a number")
	}
	sparse := n < 0
	if !sparse && n != p.own && n != len(p.x) {
		return p.fail("number of columns", text, fmt.Sprintf("the model has %d", p.own))
	}

	for range max(n, -n) {
		text, ok := p.next()
		if !ok {
			return p.missing("# Rows")
		}

		// The line of a sparse file ends in the number of the column, which its name makes superfluous.
		if sparse {
			text = text[:max(0, strings.LastIndexByte(text, ' '))]
		}

		// The name may hold blanks: the value is behind the last one.
		k := strings.LastIndexByte(text, ' ')
		if k < 0 {
			return p.fail("line", text, "expected a column name and a value")
		}
		if err := p.assign(strings.TrimSpace(text[:k]), text[k+1:]); err != nil {
			return err
		}
	}
	return nil
}

// pretty reads the tables of HiGHS: a number from 0, a status perhaps, the bounds, the value, and the name at the end.
func (p *point) pretty() error {
	if _, err := p.to("Index"); err != nil {
		return err
	}

	for text := range p.rest {
		field := strings.Fields(text)
		if len(field) == 1 && field[0] == "Rows" {
			return nil
		}

		// A second field that is no number is the status.
		if len(field) > 1 {
			if _, number := parseBound([]byte(field[1])); !number {
				field = append(field[:1], field[2:]...)
			}
		}
		if len(field) < 5 {
			return p.fail("line", text, "expected a number, a status, two bounds, a value and a name")
		}
		k, err := p.number(field[0], 0)
		if err != nil {
			return err
		}

		// The name stands at the end of the line and may hold blanks, so it is compared as a whole.
		if !strings.HasSuffix(text, " "+p.names[k]) && !strings.HasSuffix(text, " "+p.written[k]) {
			return p.misnamed(field[0], k)
		}
		if err := p.give(k, field[3]); err != nil {
			return err
		}
	}
	return p.missing("Rows")
}

// number returns the index of the column with a number, where the first column has the number first.
func (p *point) number(text string, first int) (int, error) {
	k, err := strconv.Atoi(text)
	k -= first

	// A number that does not fit means that the file is of another model.
	if err != nil || k < 0 || k >= len(p.x) {
		return 0, p.fail("column number", text, fmt.Sprintf("the model has %d columns", len(p.x)))
	}
	return k, nil
}

// misnamed is the error of a line that does not name the column of its number.
func (p *point) misnamed(number string, k int) error {
	return p.fail("column number", number, fmt.Sprintf("the model has the column %q there", p.names[k]))
}

// glpk reads what glpsol writes with --write: a line "s kind rows columns status... objective", and for every column
// "j number status value dual" in a basic solution, "j number value dual" in an interior one, "j number value" in an
// integer one.
func (p *point) glpk() error {
	// The kind of the solution says where the value stands in the line of a column. 0 stands for no kind yet.
	place := 0
	for text := range p.rest {
		field := strings.Fields(text)
		switch {
		case len(field) == 0 || field[0] == "c" || field[0] == "i":
			// Comments and rows say nothing of the columns.
		case field[0] == "e":
			return p.complete()

		case field[0] == "s":
			if len(field) > 1 {
				place = glpkKinds[field[1]]
			}
			if place == 0 || len(field) < 5 {
				return p.fail("line", text, "expected s, the kind bas, mip or ipt, and the numbers of rows and columns")
			}

			// A file may have the hidden columns or leave them out.
			if n, err := strconv.Atoi(field[3]); err != nil || n != p.own && n != len(p.x) {
				return p.fail("number of columns", field[3], fmt.Sprintf("the model has %d", p.own))
			}

		case field[0] == "j" && place > 0 && len(field) > place:
			k, err := p.number(field[1], 1)
			if err != nil {
				return err
			}
			if err := p.give(k, field[place]); err != nil {
				return err
			}
		default:
			return p.fail("line", text, "expected j, the number of a column and its value")
		}
	}
	return p.missing("e o f")
}

// report reads what glpsol writes with --output: under the headings of the columns a number from 1, the name, a status
// perhaps, and the value. A long name has a line of its own.
func (p *point) report() error {
	if _, err := p.to("No. Column name"); err != nil {
		return err
	}
	if _, ok := p.next(); !ok { // the line below the headings
		return p.missing("End of output")
	}

	for text := range p.rest {
		if strings.TrimSpace(text) == "" {
			return p.complete()
		}
		number, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
		k, err := p.number(number, 1)
		if err != nil {
			return err
		}

		// The name may hold blanks, so it is compared with that of the column of this number.
		rest = strings.TrimSpace(rest)
		after, ok := strings.CutPrefix(rest, p.names[k])
		if !ok {
			after, ok = strings.CutPrefix(rest, p.written[k])
		}
		if !ok || after != "" && after[0] != ' ' {
			return p.misnamed(number, k)
		}

		// A long name has its status and value on the next line.
		if after == "" {
			if after, ok = p.next(); !ok {
				return p.missing("End of output")
			}
		}

		// A status and the star of an integer column may stand before the value.
		field := strings.Fields(after)
		for len(field) > 1 && strings.Contains(" B NL NU NF NS * ", " "+field[0]+" ") {
			field = field[1:]
		}
		if len(field) == 0 {
			return p.fail("line", text, "expected the value of a column")
		}
		if err := p.give(k, field[0]); err != nil {
			return err
		}
	}
	return p.missing("End of output")
}

// complete reports the first column without a value, in layouts that give all.
func (p *point) complete() error {
	for j, set := range p.set {
		if !set && !p.hidden[j] {
			return p.fail("column name", p.names[j], "the file gives it no value")
		}
	}
	return nil
}
