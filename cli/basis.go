package cli

import (
	"io"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/simplex"
)

// readBasis reads a basis file. Errors are bad input.
func (a *app) readBasis(path string, m *lp.Model) (*simplex.Basis, error) {
	b, err := reading(a, path, func() (*mps.Basis, error) {
		f, name, err := a.open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		b, err := mps.ReadBasis(f, name, m)
		return b, badInput(err)
	})
	if err != nil {
		return nil, err
	}
	from := map[mps.VarStatus]simplex.VarStatus{mps.AtLower: simplex.AtLower, mps.AtUpper: simplex.AtUpper,
		mps.Basic: simplex.Basic}
	return &simplex.Basis{Cols: translate(b.Cols, from), Rows: translate(b.Rows, from)}, nil
}

// writeBasis writes a basis file in a layout; an empty path writes nothing.
func (a *app) writeBasis(path string, style mps.BasisStyle, m *lp.Model, b *simplex.Basis) error {
	if path == "" {
		return nil
	}
	to := map[simplex.VarStatus]mps.VarStatus{simplex.AtLower: mps.AtLower, simplex.AtUpper: mps.AtUpper,
		simplex.AtZero: mps.AtLower, simplex.Basic: mps.Basic}
	basis := &mps.Basis{Cols: translate(b.Cols, to), Rows: translate(b.Rows, to)}
	return a.writeFile(path, func(w io.Writer) error { return mps.WriteBasisStyle(w, m, basis, style) })
}

func translate[From, To comparable](list []From, table map[From]To) []To {
	out := make([]To, len(list))
	for i, v := range list {
		out[i] = table[v]
	}
	return out
}
