package mps

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// logic is what a file says beside rows and columns, with the lines where it says so.
type logic struct {
	lp.Logic
	lines [lp.IndicatorPart + 1][]int // by part and index
}

func (l *logic) add(part lp.LogicPart, line int) { l.lines[part] = append(l.lines[part], line) }

func (l *logic) semi(j int32, line int) {
	l.Semi = append(l.Semi, lp.Var(j))
	l.add(lp.SemiPart, line)
}

func (l *logic) indicator(c lp.Indicator, line int) {
	l.Indicators = append(l.Indicators, c)
	l.add(lp.IndicatorPart, line)
}

// impose makes rows and columns of it.
func (l *logic) impose(m *lp.Model) *Error {
	if len(l.Semi)+len(l.Sets)+len(l.Indicators) == 0 {
		return nil
	}
	err := m.Impose(l.Logic)
	var at *lp.LogicError
	switch {
	case errors.As(err, &at):
		return &Error{Line: l.lines[at.Part][at.Index], Msg: at.Detail()}
	case err != nil:
		return &Error{Msg: err.Error()}
	}
	return nil
}

// members are the columns of the set that is being read.
type members struct {
	set     lp.Set
	line    int
	weight  []float64
	missing int // columns without a weight
}

// addTo puts the columns in the order of their weights and the set into the logic.
func (s *members) addTo(l *logic) *Error {
	if s.missing > 0 && s.missing < len(s.weight) {
		return &Error{Line: s.line, Field: field("set", []byte(s.set.Name)),
			Msg: "some columns have weights and others have none"}
	}
	order := make([]int, len(s.weight))
	for k := range order {
		order[k] = k
	}
	if s.missing == 0 {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.weight[a], s.weight[b]) })
	}
	vars := make([]lp.Var, len(order))
	for k, at := range order {
		vars[k] = s.set.Vars[at]
		if k > 0 && s.missing == 0 && s.set.Kind == lp.SOS2 && s.weight[at] == s.weight[order[k-1]] {
			return &Error{Line: s.line, Field: field("set", []byte(s.set.Name)),
				Msg: "two columns of an SOS2 have the same weight: the weights say which are neighbours"}
		}
	}
	s.set.Vars = vars
	l.Sets = append(l.Sets, s.set)
	l.add(lp.SetPart, s.line)
	return nil
}

// specialLine handles a line of SOS: a declaration such as "S1 name", perhaps with the word SOS before the name and a
// priority behind it, or a column with its weight. Both may have a field in front, which says nothing.
func (p *parser) specialLine(line []byte) *Error {
	var tok [maxTokens][]byte
	n := split(line, &tok)
	kind := map[string]lp.SetKind{"S1": lp.SOS1, "s1": lp.SOS1, "S2": lp.SOS2, "s2": lp.SOS2}[string(tok[0])]
	if kind != 0 && (bytes.Index(line, tok[0]) <= 2 || p.set == nil || !p.isColumn(tok[0])) {
		if err := p.endSet(); err != nil {
			return err
		}
		if n > 4 {
			return p.fail("field", tok[4], "unexpected after the set's name and priority")
		}
		p.set = &members{set: lp.Set{Kind: kind}, line: p.scan.line}
		switch {
		case n > 2 && lower(tok[1]) == "sos":
			p.set.set.Name = string(tok[2])
		case n > 1:
			p.set.set.Name = string(tok[1])
		}
		return nil
	}
	if p.set == nil {
		return p.fail("field", tok[0], "expected S1 or S2, and the name of a set")
	}
	return p.member(trim(line))
}

// member reads a column, whose name may hold blanks, and its weight.
func (p *parser) member(text []byte) *Error {
	for rest := text; len(rest) > 0; {
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
		k := bytes.IndexAny(rest, " \t")
		if k < 0 {
			break
		}
		rest = trim(rest[k:])
	}
	return p.fail("line", text, "expected a column and its weight, and no column has such a name")
}

// take adds a column; a weight that is NaN is missing.
func (s *members) take(j int32, weight float64) {
	s.set.Vars, s.weight = append(s.set.Vars, lp.Var(j)), append(s.weight, weight)
	if math.IsNaN(weight) {
		s.missing++
	}
}

// endSet closes the set that is being read.
func (p *parser) endSet() *Error {
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
	i, ok := p.rows.find(tok[1])
	if !ok {
		return p.unknownRow(tok[1])
	}
	if p.kind[i] == 'N' {
		return p.fail("row name", tok[1], "a free row has no indicator")
	}
	j, ok := p.cols.find(tok[2])
	if !ok {
		return p.fail("column name", tok[2], "no such column")
	}
	v, err := p.number("indicator value", tok[3])
	if err != nil {
		return err
	}
	if v != 0 && v != 1 {
		return p.fail("indicator value", tok[3], "neither 0 nor 1")
	}
	p.logic.indicator(lp.Indicator{If: lp.Var(j), Is: int(v), Row: lp.Con(p.modelRow[i])}, p.scan.line)
	return nil
}
