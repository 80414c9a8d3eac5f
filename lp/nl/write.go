package nl

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/proxybd/proxybd/internal/errname"
	"github.com/proxybd/proxybd/lp"
)

// kinds are the columns of a model as the order of a file separates them: continuous, 0-1, other integer ones.
func kinds(m *lp.Model) (list [3][]lp.Var) {
	for j, c := range m.Cols {
		kind := 0
		switch {
		case c.Integer && c.Lower == 0 && c.Upper == 1:
			kind = 1
		case c.Integer:
			kind = 2
		}
		list[kind] = append(list[kind], lp.Var(j))
	}
	return list
}

// order is the order in which Write puts columns, those of each kind in the order that they have.
func order(m *lp.Model) []lp.Var {
	k := kinds(m)
	return slices.Concat(k[0], k[1], k[2])
}

// Write writes a model, as text or in binary numbers of little-endian order. Columns are in the order of the format, as
// their names are in WriteNames. Special ordered sets and the like are written as the rows and columns that stand
// for them; where columns lack the bounds that these need, that is an error which wraps lp.ErrModel.
func Write(w io.Writer, m *lp.Model, inBinary bool) error {
	if err := m.Validate(); err != nil {
		return fmt.Errorf("nl: %w", errname.Without(err, "lp"))
	}
	m, err := m.Explicit()
	if err != nil {
		return fmt.Errorf("nl: %w", errname.Without(err, "lp"))
	}
	matrix, err := m.Matrix()
	if err != nil {
		return fmt.Errorf("nl: %w", errname.Without(err, "lp"))
	}
	e := &encoder{w: bufio.NewWriter(w), binary: inBinary}
	columns := order(m)
	e.header(m)

	// Rows and the objective have no expressions but a constant.
	for i := range m.Rows {
		e.key('C', i)
		e.constant(0)
	}
	sense := 0
	if m.Maximize {
		sense = 1
	}
	e.key('O', 0, sense)
	e.constant(m.Offset)

	e.bounds(m, columns)
	e.matrix(matrix, len(m.Rows), columns)
	e.gradient(m, columns)
	if err := e.w.Flush(); err != nil {
		return fmt.Errorf("nl: %w", err)
	}
	return nil
}

// WriteNames writes the names of the columns, in their order in the file, or of the rows, one a line.
func WriteNames(w io.Writer, m *lp.Model, rows bool) error {
	m, err := m.Explicit()
	if err != nil {
		return fmt.Errorf("nl: %w", errname.Without(err, "lp"))
	}
	b := bufio.NewWriter(w)
	if rows {
		for i := range m.Rows {
			fmt.Fprintln(b, m.RowName(lp.Con(i)))
		}
	} else {
		for _, j := range order(m) {
			fmt.Fprintln(b, m.ColName(j))
		}
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("nl: %w", err)
	}
	return nil
}

// encoder writes numbers as text, an item a line, or as bytes. The writer keeps the first error.
type encoder struct {
	w      *bufio.Writer
	binary bool
}

// header writes the first ten lines, which are text in both layouts.
func (e *encoder) header(m *lp.Model) {
	var ranges, equations, gradient int
	for _, r := range m.Rows {
		switch {
		case r.Lower == r.Upper:
			equations++
		case !math.IsInf(r.Lower, -1) && !math.IsInf(r.Upper, 1):
			ranges++
		}
	}
	for _, c := range m.Cols {
		if c.Cost != 0 {
			gradient++
		}
	}

	// A binary file gives the order of its bytes; a text has 0 there.
	letter, arithmetic := 'g', 0
	if e.binary {
		letter, arithmetic = 'b', 1
	}
	fmt.Fprintf(e.w, "%c3 1 1 0\t# a linear model\n", letter)
	fmt.Fprintf(e.w, " %d %d 1 %d %d\t# vars, constraints, objectives, ranges, eqns\n", len(m.Cols), len(m.Rows), ranges,
		equations)

	// Nothing is nonlinear, and there are no networks, functions and defined variables.
	fmt.Fprintf(e.w, " 0 0\t# nonlinear constraints, objectives\n 0 0\t# network constraints: nonlinear, linear\n")
	fmt.Fprintf(e.w, " 0 0 0\t# nonlinear vars in constraints, objectives, both\n")
	fmt.Fprintf(e.w, " 0 0 %d 1\t# linear network variables; functions; arith, flags\n", arithmetic)
	k := kinds(m)
	fmt.Fprintf(e.w, " %d %d 0 0 0\t# discrete variables: binary, integer, nonlinear (b,c,o)\n", len(k[1]), len(k[2]))
	fmt.Fprintf(e.w, " %d %d\t# nonzeros in Jacobian, gradients\n", m.NumEntries(), gradient)
	fmt.Fprintf(e.w, " 0 0\t# max name lengths: constraints, variables\n 0 0 0 0 0\t# common exprs: b,c,o,c1,o1\n")
}

// key begins a segment with its numbers.
func (e *encoder) key(c byte, numbers ...int) {
	e.w.WriteByte(c)
	for k, v := range numbers {
		if e.binary {
			e.integer(v)
			continue
		}
		if k > 0 {
			e.w.WriteByte(' ')
		}
		e.w.WriteString(strconv.Itoa(v))
	}
	e.newline()
}

// newline ends a line of text.
func (e *encoder) newline() {
	if !e.binary {
		e.w.WriteByte('\n')
	}
}

// integer writes a whole number of four bytes, or its digits.
func (e *encoder) integer(v int) {
	if e.binary {
		e.w.Write(binary.LittleEndian.AppendUint32(nil, uint32(int32(v))))
	} else {
		e.w.WriteString(strconv.Itoa(v))
	}
}

// number writes a number of eight bytes, or the fewest digits that give it back.
func (e *encoder) number(v float64) {
	if e.binary {
		e.w.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
	} else {
		e.w.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
	}
}

// constant writes an expression that is a number.
func (e *encoder) constant(v float64) {
	e.w.WriteByte('n')
	e.number(v)
	e.newline()
}

// entry writes a number of a column with its coefficient.
func (e *encoder) entry(j int, v float64) {
	e.integer(j)
	if !e.binary {
		e.w.WriteByte(' ')
	}
	e.number(v)
	e.newline()
}

// bounds writes the sides of the rows and the bounds of the columns.
func (e *encoder) bounds(m *lp.Model, columns []lp.Var) {
	if len(m.Rows) > 0 {
		e.key('r')
	}
	for _, r := range m.Rows {
		e.bound(r.Lower, r.Upper)
	}
	e.key('b')
	for _, j := range columns {
		e.bound(m.Cols[j].Lower, m.Cols[j].Upper)
	}
}

// bound writes the kind of a bound and its numbers.
func (e *encoder) bound(lower, upper float64) {
	// An infinite bound is not written, and two equal bounds are written once.
	noLower := math.IsInf(lower, -1)
	noUpper := math.IsInf(upper, 1)
	kind := byte('0')
	numbers := []float64{lower, upper}
	switch {
	case noLower && noUpper:
		kind = '3'
		numbers = nil
	case noLower:
		kind = '1'
		numbers = numbers[1:]
	case noUpper:
		kind = '2'
		numbers = numbers[:1]
	case lower == upper:
		kind = '4'
		numbers = numbers[:1]
	}

	e.w.WriteByte(kind)
	for _, v := range numbers {
		if !e.binary {
			e.w.WriteByte(' ')
		}
		e.number(v)
	}
	e.newline()
}

// matrix writes the lengths of the columns, summed up, and the rows.
func (e *encoder) matrix(a *lp.Matrix, rows int, columns []lp.Var) {
	if len(columns) > 0 {
		e.key('k', len(columns)-1)
	}

	// The matrix is stored by columns and the file by rows, so that the terms of the rows are collected here.
	sum := 0
	list := make([][]term, rows)
	for k, j := range columns {
		if k > 0 {
			e.integer(sum)
			e.newline()
		}
		index, value := a.Vec(int(j))
		sum += len(index)
		for t, i := range index {
			list[i] = append(list[i], term{k, value[t]})
		}
	}
	for i, terms := range list {
		e.terms('J', i, terms)
	}
}

// terms writes a segment of columns with coefficients, if there are any.
func (e *encoder) terms(key byte, number int, terms []term) {
	if len(terms) == 0 {
		return
	}
	e.key(key, number, len(terms))
	for _, t := range terms {
		e.entry(t.col, t.coef)
	}
}

// gradient writes the costs.
func (e *encoder) gradient(m *lp.Model, columns []lp.Var) {
	var terms []term
	for k, j := range columns {
		if c := m.Cols[j].Cost; c != 0 {
			terms = append(terms, term{k, c})
		}
	}
	e.terms('G', 0, terms)
}
