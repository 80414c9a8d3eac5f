package twostage

import (
	"fmt"
	"math"
	"math/big"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/internal/wire"
	"github.com/proxybd/proxybd/simplex"
)

// MarshalBinary implements encoding.BinaryMarshaler, for another process: what it returns is the certificate bit for
// bit. Most multipliers are 0, and the others are listed with their positions.
func (c *Certificate) MarshalBinary() ([]byte, error) {
	var w wire.Writer
	w.Int(int(c.kind))
	w.Bool(c.rounded)
	w.Int(len(c.parts))
	for _, p := range c.parts {
		w.Int(p.component)
		w.Bool(p.faint)
		w.Int(len(p.lambda))

		// A zero with a sign is listed, so that no bit is lost.
		var index []int32
		var value []float64
		for k, v := range p.lambda {
			if math.Float64bits(v) != 0 {
				index = append(index, int32(k))
				value = append(value, v)
			}
		}
		wire.Ints(&w, index)
		w.Floats(value)

		// The exact certificate, where there is one, is of rational numbers.
		w.Int(len(p.exact))
		for _, q := range p.exact {
			text, err := q.GobEncode()
			if err != nil {
				return nil, err
			}
			w.Text(text)
		}
	}
	return w.Bytes, nil
}

// maxRows bounds the multipliers of a certificate that is read: more than any program has.
const maxRows = 1 << 26

// UnmarshalBinary implements encoding.BinaryUnmarshaler. The error of bytes that are no certificate wraps
// ErrCertificate. Whether it fits a problem is not known here.
func (c *Certificate) UnmarshalBinary(text []byte) error {
	r := wire.Reader{Bytes: text}
	*c = Certificate{kind: benders.Kind(r.Int()), rounded: r.Bool()}

	// Each part is the vector of a component: its entries other than 0 are listed.
	for range r.Length(4) {
		p := part{component: r.Int(), faint: r.Bool()}
		length := r.Int()
		index := wire.IntList[int32](&r)
		value := r.Floats()
		isLength := length >= 0 && length <= maxRows
		if !isLength || len(index) != len(value) || p.component < 0 {
			return fmt.Errorf("twostage: %w: a part of %d multipliers", ErrCertificate, length)
		}
		p.lambda = make([]float64, length)
		for k, i := range index {
			if i < 0 || int(i) >= length {
				return fmt.Errorf("twostage: %w: multiplier %d of %d", ErrCertificate, i, length)
			}
			p.lambda[i] = value[k]
		}

		// The exact certificate, where there is one, is of rational numbers.
		for range r.Length(1) {
			q := new(big.Rat)
			if err := q.GobDecode(r.Text()); err != nil {
				return fmt.Errorf("twostage: %w: %w", ErrCertificate, err)
			}
			p.exact = append(p.exact, q)
		}
		c.parts = append(c.parts, p)
	}
	if err := r.End(); err != nil {
		return fmt.Errorf("twostage: %w: %w", ErrCertificate, err)
	}
	return nil
}

// Fits reports whether a certificate has the multipliers of the view's rows.
func (v *View) Fits(c *Certificate) bool {
	for _, p := range c.parts {
		if p.component >= len(v.p.parts) || len(p.lambda) != len(v.p.parts[p.component].rows) {
			return false
		}
		if p.exact != nil && len(p.exact) != len(p.lambda) {
			return false
		}
	}
	return len(c.parts) == 1 && c.kind <= benders.Feasibility
}

// Begun reports whether the linear program of the view has been solved.
func (v *View) Begun() bool { return v.e.pieces[0].recourse.begun }

// Follows reports whether a view that has not been solved yet should begin where another one ended: where it is large.
func (v *View) Follows() bool {
	r := v.e.pieces[0].recourse
	return !r.begun && len(r.singles.kept) >= manyRows
}

// BeginAfter makes a view that Follows begin at the basis of another view of the same program.
func (v *View) BeginAfter(b *simplex.Basis) error {
	r := v.e.pieces[0].recourse
	if err := r.solver.solver.SetBasis(b); err != nil {
		return prefixed(err)
	}
	r.begun = true
	return nil
}
