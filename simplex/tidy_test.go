package simplex

import (
	"math"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// Values that are a bound but for rounding are put there; where a row with a large coefficient would not hold then,
// nothing is.
func TestTidy(t *testing.T) {
	m := &lp.Model{}
	m.AddCol(lp.Col{Upper: 28})
	m.AddCol(lp.Col{Upper: 1})
	m.AddCol(lp.Col{Lower: math.Inf(-1), Upper: lp.Inf})
	m.AddRow(lp.Row{Lower: 0, Upper: 30}, []int32{0, 2}, []float64{1, 1})
	x := []float64{28.000000008, math.Copysign(0, -1), 0.5 + 1e-10}
	y := Tidy(m, x, 1e-7)
	if y[0] != 28 || y[1] != 0 || math.Signbit(y[1]) || y[2] != x[2] {
		t.Errorf("%v became %v", x, y)
	}
	m.AddRow(lp.Row{Lower: 1e4 * 1e-9, Upper: lp.Inf}, []int32{1}, []float64{1e4})
	x[1] = 1e-9
	if y := Tidy(m, x, 1e-7); y[1] != 1e-9 || y[0] != x[0] {
		t.Errorf("%v became %v, which breaks a row", x, y)
	}
}
