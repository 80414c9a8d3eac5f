package nn

import (
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/autodiff"
)

// Param is a named matrix of trainable weights with its gradient, both row-major.
type Param struct {
	Name string

	// 1 x Cols for a vector, which is stored with one dimension, as a bias is.
	Rows, Cols int
	Vector     bool

	Value []float64
	Grad  []float64

	// Weight decay applies.
	Decay bool
}

// Shape returns the shape as stored in a file: [Rows, Cols], or [Cols] for a vector.
func (p *Param) Shape() []int {
	if p.Vector {
		return []int{p.Cols}
	}
	return []int{p.Rows, p.Cols}
}

// Node adds the parameter to a tape.
func (p *Param) Node(t *autodiff.Tape) autodiff.Node {
	return t.Param(p.Name, p.Rows, p.Cols, p.Value, p.Grad)
}

// NewParam allocates a zero matrix that decays.
func NewParam(name string, rows, cols int) *Param {
	return &Param{
		Name:  name,
		Rows:  rows,
		Cols:  cols,
		Decay: true,
		Value: make([]float64, rows*cols),
		Grad:  make([]float64, rows*cols),
	}
}

// NewVector allocates a zero 1 x n vector that does not decay.
func NewVector(name string, n int) *Param {
	p := NewParam(name, 1, n)
	p.Vector = true
	p.Decay = false
	return p
}

// checkParams returns an error unless names are distinct and buffers fit.
func checkParams(params []*Param) error {
	if len(params) == 0 {
		return fmt.Errorf("nn: there are no parameters")
	}
	seen := map[string]bool{}
	for _, p := range params {
		// Checkpoints find the parameters by their names.
		if seen[p.Name] {
			return fmt.Errorf("nn: two parameters are named %q", p.Name)
		}
		seen[p.Name] = true
		// The optimiser goes through values and gradients in step.
		if n := p.Rows * p.Cols; len(p.Value) != n || len(p.Grad) != n {
			return fmt.Errorf("nn: parameter %q of %d x %d has %d values and %d gradients", p.Name, p.Rows, p.Cols,
				len(p.Value), len(p.Grad))
		}
	}
	return nil
}

// finite reports whether no value is infinite or NaN.
func finite(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
