package interior

import (
	"math"

	"github.com/proxybd/proxybd/internal/farkas"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// ray returns the multipliers of the rows of the model that the prices of the iterate are, with the
// signs of package simplex. Those that have the wrong sign for the side of their row are set to zero.
func (w *method) ray() []float64 {
	m := w.model
	ray := make([]float64, len(m.Rows))
	largest := 0.0
	for i, row := range w.rowFrom {
		y := w.it.y[i] * w.rowUnit[i]
		r := &m.Rows[row]
		wrong := y > 0 && isInf(r.Lower) || y < 0 && isInf(r.Upper)
		if !wrong {
			ray[row] = y
			largest = max(largest, math.Abs(y))
		}
	}

	// The length of a ray does not matter.
	if largest > 0 {
		for i := range ray {
			ray[i] = ray[i]/largest + 0
		}
	}
	return ray
}

// proves reports whether the ray contradicts the bounds of m by more than rounding errors: those of float64, or those
// of sums in doubled precision.
func proves(m *lp.Model, ray []float64) bool {
	return simplex.CheckFarkas(m, ray) == nil || provesExactly(m, ray)
}

// provesExactly reports whether the ray contradicts the bounds of m by more than the rounding errors of sums in doubled
// precision, without any tolerance.
func provesExactly(m *lp.Model, ray []float64) bool {
	a, err := m.Matrix()
	if err != nil {
		return false
	}
	rows := a.Transpose()
	f := farkas.New(len(m.Cols))
	for i, r := range ray {
		index, value := rows.Vec(i)
		f.Add(r, m.Rows[i].Lower, m.Rows[i].Upper, index, value)
	}
	return f.Proves(func(j int) (lower, upper float64) { return m.Cols[j].Lower, m.Cols[j].Upper })
}
