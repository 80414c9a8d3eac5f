package generic

import (
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// hashModel adds a model to what a hash covers: its columns, rows and coefficients.
func hashModel(c *instance.Content, m *lp.Model) {
	numbers := []float64{m.Offset}
	for _, col := range m.Cols {
		kind := 0.0
		if col.Integer {
			kind = 1
		}
		numbers = append(numbers, col.Cost, col.Lower, col.Upper, kind)
	}
	for _, r := range m.Rows {
		numbers = append(numbers, r.Lower, r.Upper)
	}
	if a, err := m.Matrix(); err == nil {
		for j := range m.Cols {
			index, value := a.Vec(j)
			c.Sizes = append(c.Sizes, len(index))
			c.Ends, c.Numbers = append(c.Ends, index), append(c.Numbers, value)
		}
	}
	c.Numbers = append(c.Numbers, numbers)
}

// hashChanges adds a probability and differences from a model.
func hashChanges(c *instance.Content, probability float64, list []stoch.Change) {
	ends, values := make([]int32, 0, 3*len(list)), make([]float64, 0, 1+len(list))
	values = append(values, probability)
	for _, d := range list {
		ends, values = append(ends, int32(d.Kind), int32(d.Row), int32(d.Col)), append(values, d.Value)
	}
	c.Ends, c.Numbers = append(c.Ends, ends), append(c.Numbers, values)
}
