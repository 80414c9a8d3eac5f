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
	gap, exact := contradiction(m, ray)
	return simplex.CheckFarkas(m, ray) == nil || exact && gap > 0
}

// contradiction returns how far rows and bounds would all have to be relaxed at least for the ray to prove nothing, and
// whether it is a proof in doubled precision, without any tolerance.
func contradiction(m *lp.Model, ray []float64) (distance float64, exact bool) {
	a, err := m.Matrix()
	if err != nil {
		return 0, false
	}
	rows := a.Transpose()
	f := farkas.New(len(m.Cols))
	z := make([]float64, len(m.Cols))
	weight := 0.0
	for i, r := range ray {
		index, value := rows.Vec(i)
		f.Add(r, m.Rows[i].Lower, m.Rows[i].Upper, index, value)
		weight += math.Abs(r)
		for k, j := range index {
			z[j] += r * value[k]
		}
	}
	for _, v := range z {
		weight += math.Abs(v)
	}

	gap, noise := f.Gap(func(j int) (lower, upper float64) { return m.Cols[j].Lower, m.Cols[j].Upper })
	return gap / weight, gap > noise
}
