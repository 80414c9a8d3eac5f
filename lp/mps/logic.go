package mps

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// logic is what a file has in addition to rows and columns, with the lines where it stands.
type logic struct {
	lp.Logic
	// lines has the number of the line of each semi-continuous column, set and indicator, by part and index.
	lines [lp.IndicatorPart + 1][]int
}

// semi adds a semi-continuous column.
func (l *logic) semi(j int32, line int) {
	l.Semi = append(l.Semi, lp.Var(j))
	l.lines[lp.SemiPart] = append(l.lines[lp.SemiPart], line)
}

// indicator adds an indicator constraint.
func (l *logic) indicator(c lp.Indicator, line int) {
	l.Indicators = append(l.Indicators, c)
	l.lines[lp.IndicatorPart] = append(l.lines[lp.IndicatorPart], line)
}

// impose makes rows and columns of the sets, semi-continuous columns and indicators. An error names the line of the
// one at fault.
func (l *logic) impose(m *lp.Model) *Error {
	if len(l.Semi)+len(l.Sets)+len(l.Indicators) == 0 {
		return nil
	}

	// An error of one of them belongs to a line of the file.
	err := m.Impose(l.Logic)
	var at *lp.LogicError
	switch {
	case errors.As(err, &at):
		return &Error{Line: l.lines[at.Part][at.Index], Msg: at.Detail()}
	case err != nil:
		return invalid(err)
	}
	return nil
}

// members are the columns of the set that is being read.
type members struct {
	// set has the name and the type; its columns are set by addTo.
	set lp.Set
	// line is the number of the line that begins the set.
	line int
	// list are the columns in the order of the file.
	list []member
	// missing counts the columns without a weight.
	missing int
}

// member is a column of a set with its weight, which is NaN where the file has none.
type member struct {
	col    lp.Var
	weight float64
}

// take adds a column; a weight that is NaN is missing.
func (s *members) take(j int32, weight float64) {
	s.list = append(s.list, member{lp.Var(j), weight})

	// Weights must be all there or none.
	if math.IsNaN(weight) {
		s.missing++
	}
}

// addTo puts the columns in the order of their weights and the set into the logic.
func (s *members) addTo(l *logic) *Error {
	if s.missing > 0 && s.missing < len(s.list) {
		return failure(s.line, "set", []byte(s.set.Name), "some columns have weights and others have none")
	}
	if s.missing == 0 {
		slices.SortStableFunc(s.list, func(a, b member) int { return cmp.Compare(a.weight, b.weight) })
	}

	// In an SOS2 neighbours may be nonzero together, so their order must be unique. NaN equals nothing.
	for k, c := range s.list {
		s.set.Vars = append(s.set.Vars, c.col)
		if k > 0 && s.set.Kind == lp.SOS2 && c.weight == s.list[k-1].weight {
			return failure(s.line, "set", []byte(s.set.Name),
				"two columns of an SOS2 have the same weight: the weights say which are neighbours")
		}
	}

	// The line is kept for the error of a set that cannot be imposed.
	l.Sets = append(l.Sets, s.set)
	l.lines[lp.SetPart] = append(l.lines[lp.SetPart], s.line)
	return nil
}

// setKinds are the types of sets as files write them.
var setKinds = map[string]lp.SetKind{"s1": lp.SOS1, "s2": lp.SOS2}

// specialLine handles a line of SOS: a declaration such as "S1 name", perhaps with the word SOS before the name and a
// priority behind it, or a column with its weight. Both may have one field in front of them, which is ignored.
func (p *parser) specialLine(line []byte) *Error {
	var tok [maxTokens][]byte
	n := split(line, &tok)

	// A column may be called S1. Its line is a declaration only where it begins in the columns of a type.
	kind := setKinds[lower(tok[0])]
	declares := bytes.Index(line, tok[0]) <= 2 || p.set == nil || !p.isColumn(tok[0])
	if kind == 0 || !declares {
		if p.set == nil {
			return p.fail("field", tok[0], "expected S1 or S2, and the name of a set")
		}
		return p.member(trim(line))
	}

	// A declaration ends the set before it.
	if err := p.endSet(); err != nil {
		return err
	}
	if n > 4 {
		return p.fail("field", tok[4], "unexpected after the set's name and priority")
	}

	// The name stands behind the type, or behind the word SOS between them. A priority is passed over.
	p.set = &members{set: lp.Set{Kind: kind}, line: p.scan.line}
	switch {
	case n > 2 && lower(tok[1]) == "sos":
		p.set.set.Name = string(tok[2])
	case n > 1:
		p.set.set.Name = string(tok[1])
	}
	return nil
}

// member reads a column, whose name may hold blanks, and its weight.
func (p *parser) member(text []byte) *Error {
	for rest := text; len(rest) > 0; {
		// The rest is a column without a weight, or a column and a weight behind the last blank.
		if j, ok := p.cols.find(rest); ok {
			p.set.take(j, math.NaN())
			return nil
		}
		if k := bytes.LastIndexAny(rest, " \t"); k >= 0 {
			if j, ok := p.cols.find(trimRight(rest[:k])); ok {
				v, err := p.number("weight", rest[k+1:])
				if err == nil {
					p.set.take(j, v)
				}
				return err
			}
		}

		// Otherwise its first field belongs to no name.
		k := bytes.IndexAny(rest, " \t")
		if k < 0 {
			break
		}
		rest = trim(rest[k:])
	}
	return p.fail("line", text, "expected a column and its weight, and no column has such a name")
}

// endSet closes the set that is being read.
func (p *parser) endSet() *Error {
	// A set ends with the next one, and with the file.
	s := p.set
	p.set = nil
	if s == nil {
		return nil
	}
	return s.addTo(&p.logic)
}

// indicatorLine handles a line of INDICATORS: IF, a row, a column, and 0 or 1.
func (p *parser) indicatorLine(line []byte) *Error {
	var tok [maxTokens][]byte
	n := split(line, &tok)

	switch {
	case n != 4:
		return p.fail("", nil, "expected IF, a row, a column, and 0 or 1, found %d fields", n)
	case lower(tok[0]) != "if":
		return p.fail("indicator type", tok[0], "not IF")
	}

	// The row must have sides that the indicator can switch off.
	i, ok := p.rows.find(tok[1])
	if !ok {
		return p.unknownRow(tok[1])
	}
	if p.kind[i] == 'N' { // the objective is one
		return p.fail("row name", tok[1], "a free row has no indicator")
	}
	j, ok := p.cols.find(tok[2])
	if !ok {
		return p.fail("column name", tok[2], "no such column")
	}

	// The row holds where the column has this value.
	v, err := p.number("indicator value", tok[3])
	if err != nil {
		return err
	}
	if v != 0 && v != 1 {
		return p.fail("indicator value", tok[3], "neither 0 nor 1")
	}

	// The row keeps its sides until impose makes them conditional.
	p.logic.indicator(lp.Indicator{If: lp.Var(j), Is: int(v), Row: lp.Con(p.modelRow[i])}, p.scan.line)
	return nil
}
