package generic

import (
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// hashModel adds a model to what a hash covers: its columns, rows and coefficients.
func hashModel(c *instance.Content, m *lp.Model) {
	// Names have no part in the hash: a model is the same under others.
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

	// A model that an instance holds is valid, so it has a matrix.
	if a, err := m.Matrix(); err == nil {
		for j := range m.Cols {
			index, value := a.Vec(j)
			c.Sizes = append(c.Sizes, len(index))
			c.Ends = append(c.Ends, index)
			c.Numbers = append(c.Numbers, value)
		}
	}
	c.Numbers = append(c.Numbers, numbers)
}

// hashChanges adds a probability and differences from a model.
func hashChanges(c *instance.Content, probability float64, list []stoch.Change) {
	c.Ends = append(c.Ends, endsOf(nil, list))
	c.Numbers = append(c.Numbers, numbersOf(nil, probability, list))
}

// endsOf appends the places of changes.
func endsOf(ends []int32, list []stoch.Change) []int32 {
	for _, d := range list {
		ends = append(ends, int32(d.Kind), int32(d.Row), int32(d.Col))
	}
	return ends
}

// numbersOf appends a probability and the values of changes.
func numbersOf(values []float64, probability float64, list []stoch.Change) []float64 {
	values = append(values, probability)
	for _, d := range list {
		values = append(values, d.Value)
	}
	return values
}
