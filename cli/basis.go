package cli

import (
	"io"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/simplex"
)

// readBasis reads a basis file. Errors are bad input.
func (a *app) readBasis(path string, m *lp.Model) (*simplex.Basis, error) {
	// Every line of a basis file names a row or column of this model.
	b, err := readFile(a, path, func(r io.Reader, name string) (*mps.Basis, error) {
		return mps.ReadBasis(r, name, m)
	})
	if err != nil {
		return nil, err
	}
	// The format has one status for nonbasic columns at a lower bound and for free ones at zero.
	from := map[mps.VarStatus]simplex.VarStatus{
		mps.AtLower: simplex.AtLower,
		mps.AtUpper: simplex.AtUpper,
		mps.Basic:   simplex.Basic,
	}
	return &simplex.Basis{Cols: translate(b.Cols, from), Rows: translate(b.Rows, from)}, nil
}

// writeBasis writes a basis file in a layout; an empty path writes nothing.
func (a *app) writeBasis(path string, style mps.BasisStyle, m *lp.Model, b *simplex.Basis) error {
	if path == "" {
		return nil
	}
	// The format has no status for a nonbasic free column at zero: AtZero is written as AtLower.
	to := map[simplex.VarStatus]mps.VarStatus{
		simplex.AtLower: mps.AtLower,
		simplex.AtUpper: mps.AtUpper,
		simplex.AtZero:  mps.AtLower,
		simplex.Basic:   mps.Basic,
	}

	// The file has the names of the model's columns and rows.
	basis := &mps.Basis{Cols: translate(b.Cols, to), Rows: translate(b.Rows, to)}
	return a.writeFile(path, func(w io.Writer) error { return mps.WriteBasisStyle(w, m, basis, style) })
}

// translate maps the statuses of one package to those of another.
func translate[From, To comparable](list []From, table map[From]To) []To {
	out := make([]To, len(list))
	for i, v := range list {
		out[i] = table[v]
	}
	return out
}
