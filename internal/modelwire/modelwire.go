// Package modelwire packs linear programs for messages between processes of the same build: columns with their
// coefficients, then rows.
package modelwire

import (
	"errors"
	"fmt"

	"github.com/proxybd/proxybd/internal/wire"
	"github.com/proxybd/proxybd/lp"
)

// ErrModel is wrapped by the error of Read for a text that is no model.
var ErrModel = errors.New("a model that cannot be read")

// Write appends a model of rows and columns alone, without its names unless they are asked for.
func Write(w *wire.Writer, m *lp.Model, names bool) error {
	a, err := m.Matrix()
	if err != nil {
		return err
	}
	name := func(s string) {
		if names {
			w.Text([]byte(s))
		}
	}

	// A coefficient stands with its column, as in the matrix by columns.
	w.Bool(names)
	w.Bool(m.Maximize)
	w.Float(m.Offset)
	w.Int(len(m.Cols))
	for j, c := range m.Cols {
		name(c.Name)
		w.Float(c.Cost)
		w.Float(c.Lower)
		w.Float(c.Upper)
		w.Bool(c.Integer)
		index, value := a.Vec(j)
		wire.Ints(w, index)
		w.Floats(value)
	}
	w.Int(len(m.Rows))
	for _, r := range m.Rows {
		name(r.Name)
		w.Float(r.Lower)
		w.Float(r.Upper)
	}
	return nil
}

// Read returns the model that Write has appended; it is valid.
func Read(r *wire.Reader) (*lp.Model, error) {
	names := r.Bool()
	name := func() string {
		if !names {
			return ""
		}
		return string(r.Text())
	}

	// Rows come after the columns, whose coefficients wait for them.
	m := &lp.Model{Maximize: r.Bool(), Offset: r.Float()}
	var indices [][]int32
	var values [][]float64
	for range r.Length(3*8 + 3) {
		m.AddCol(lp.Col{Name: name(), Cost: r.Float(), Lower: r.Float(), Upper: r.Float(), Integer: r.Bool()})
		indices = append(indices, wire.IntList[int32](r))
		values = append(values, r.Floats())
	}
	for range r.Length(2 * 8) {
		m.AddRow(lp.Row{Name: name(), Lower: r.Float(), Upper: r.Float()}, nil, nil)
	}
	if r.Err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, r.Err)
	}

	for j, index := range indices {
		if len(index) != len(values[j]) {
			return nil, fmt.Errorf("%w: %d rows of %d coefficients", ErrModel, len(index), len(values[j]))
		}
		for k, i := range index {
			m.AddEntry(lp.Con(i), lp.Var(j), values[j][k])
		}
	}
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	return m, nil
}
