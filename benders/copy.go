package benders

import (
	"context"

	"github.com/proxybd/proxybd/lp"
)

// Copy is a part of the recourse that the master of a tree keeps, with columns of its own (partial decomposition:
// Crainic, Hewitt, Maggioni and Rei 2021). A point of the master has the design first, then the epigraphs, then these
// columns; Rows may hold all three. The copy must be a relaxation: every design with epigraphs that are at least its
// recourse costs satisfies the rows with some values of the columns. Branch and cut then separates its own cutting
// planes over designs and flows together, which no cut on designs alone replaces, and a node has a good bound before
// any scenario is separated there.
type Copy struct {
	Cols []lp.Col // continuous
	Rows []Row

	// Complete returns values of the columns with which a priced design satisfies the rows, nil for none. The result is
	// valid until the next call.
	Complete func(ctx context.Context, y []float64) ([]float64, error)
}

// Row is Lower <= sum of Value over the columns Index <= Upper.
type Row struct {
	Lower, Upper float64
	Index        []int32
	Value        []float64
}

// keep adds a copy to the master, whose designs and epigraphs are there already.
func (m *master) keep(c *Copy) {
	m.copy = c
	for _, col := range c.Cols {
		m.model.AddCol(col)
	}
	for _, r := range c.Rows {
		m.model.AddRow(lp.Row{Lower: r.Lower, Upper: r.Upper}, r.Index, r.Value)
	}
}

// theta is the part of a master point that holds the epigraphs.
func (m *master) theta(x []float64) []float64 { return x[m.n : m.n+m.epigraphs] }

// complete joins a priced design and its recourse costs into a point of the master with its copy, nil where the copy
// finds no values for its columns.
func (m *master) complete(ctx context.Context, y, q []float64) ([]float64, error) {
	x := m.point(y, q)
	if m.copy == nil {
		return x, nil
	}
	z, err := m.copy.Complete(ctx, y)
	if err != nil || z == nil {
		return nil, NotCancelled(ctx, err)
	}
	return append(x, z...), nil
}
