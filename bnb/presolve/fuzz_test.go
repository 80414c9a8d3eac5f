package presolve

import (
	"context"
	"math"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// fuzzed decodes a model of at most four columns and five rows from bytes; missing bytes are zero.
func fuzzed(data []byte) (*lp.Model, Options) {
	next := func() int {
		if len(data) == 0 {
			return 0
		}
		v := int(int8(data[0]))
		data = data[1:]
		return v
	}
	opt := DefaultOptions()
	opt.Reductions = All &^ Reductions(uint8(next())) &^ (Reductions(uint8(next())) << 8)
	m := &lp.Model{Maximize: next()&1 == 1}
	n, conts := 1+next()&3, 0
	for range n {
		c := lp.Col{Cost: float64(next()) / 4, Lower: math.Max(-smallBox, float64(next())/8), Integer: true}
		c.Upper = math.Min(smallBox, c.Lower+math.Abs(float64(next()))/8)
		if conts < 2 && next()&3 == 3 {
			c.Integer = false
			conts++
		}
		m.AddCol(c)
	}
	for range next() & 7 % 6 {
		r := lp.Row{Lower: float64(next()) / 4}
		r.Upper = r.Lower + math.Abs(float64(next()))/4
		switch next() & 3 {
		case 1:
			r.Lower = math.Inf(-1)
		case 2:
			r.Upper = math.Inf(1)
		}
		i := m.AddRow(r, nil, nil)
		for j := range n {
			if v := float64(next()) / 4; v != 0 {
				m.AddEntry(i, lp.Var(j), v)
			}
		}
	}
	return m, opt
}

// FuzzReduce compares the optimum of a model with that of its reduced model, both by enumeration.
func FuzzReduce(f *testing.F) {
	f.Add([]byte{0, 0, 0, 2, 4, 0, 8, 0, 4, 0, 8, 0, 8, 0, 8, 3, 2, 4, 0, 0, 4, 4, 4, 8, 0, 0, 8, 4, 0})
	f.Add([]byte{0, 0, 1, 3, 1, 0, 8, 3, 2, 0, 8, 3, 3, 0, 8, 0, 4, 0, 8, 0, 5, 4, 0, 0, 4, 252, 0, 8})
	f.Fuzz(func(t *testing.T, data []byte) {
		m, opt := fuzzed(data)
		if r, err := Reduce(context.Background(), m, opt); err != nil || r.Status == lp.NotSolved && r.Model == nil {
			t.Fatalf("%+v, %v", r, err)
		}
		if err := compare(m, opt); err != nil {
			t.Errorf("reductions %#x: %v\n%s", opt.Reductions, err, dump(m))
		}
	})
}
