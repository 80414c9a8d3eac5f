package families

import (
	"context"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/benders/assess"
	"github.com/proxybd/proxybd/internal/sketch"
)

// Solution is a design of an instance with its recourse, solved exactly, as people and programs read it. Costs are in
// the sense of the model: profits where it is a maximisation.
type Solution struct {
	First    float64 // cost of the design, with the constant of the model
	Recourse float64 // expected cost of the recourse

	// Violation is the largest by which the point leaves a bound or a row of the instance, as a part of the largest of
	// 1, the bound or side, and the terms of the row.
	Violation float64

	// From is what the instance's facilities, arcs and so on are numbered from.
	From int

	Tables []Table

	// Values calls yield for every column of the compact model, or of the extensive form, by its name there, first
	// those of the first stage; it ends where yield returns false.
	Values func(yield func(name string, value float64) bool)

	// Drawing is what a picture shows; nil where there is nothing to draw.
	Drawing *sketch.Drawing
}

// Total returns the cost of the design and its recourse.
func (s *Solution) Total() float64 { return s.First + s.Recourse }

// Table is a part of a solution: rows of cells.
type Table struct {
	Name    string // what the rows are, in the plural: facilities, flows
	Columns []string

	// Rows calls emit for every row. Its cells, one a column, are strings, ints, bools, float64s, or nil for nothing; an
	// infinite number is nothing too. The slice is the writer's only until emit returns.
	Rows func(emit func(cells ...any))
}

// Explainer is an instance that says what a design of it means. Plain and Scenarios do, by the names of their models;
// what embeds them may say more.
type Explainer interface {
	// Explain solves the recourse of a design exactly. The error of a design without a recourse wraps ErrDesign.
	Explain(ctx context.Context, y []float64) (*Solution, error)
}

// Explain returns a design of an instance with its recourse. Values of integer columns are rounded.
func Explain(ctx context.Context, in Instance, y []float64) (*Solution, error) {
	e, ok := in.(Explainer)
	if !ok {
		return nil, fmt.Errorf("families: %w: solutions of the family %s", ErrUnsupported, in.Label().Family)
	}
	master, err := Master(in)
	if err != nil {
		return nil, err
	}
	if len(y) != len(master.Cols) {
		return nil, fmt.Errorf("families: %w: %d values for %d columns", ErrDesign, len(y), len(master.Cols))
	}
	y = append([]float64(nil), y...)
	for j, c := range master.Cols {
		if c.Integer {
			y[j] = math.Round(y[j])
		}
		y[j] += 0 // -0 is 0
	}
	return e.Explain(ctx, y)
}

// Negligible is what an amount or a slack may be, as a part of what it is one of, and still be nothing but rounding:
// tables leave such amounts out, and show 0 for such a slack.
const Negligible = 1e-9

// Room returns what a load leaves of a capacity, 0 where that is Negligible.
func Room(capacity, load float64) float64 {
	if left := capacity - load; math.Abs(left) > Negligible*max(1, capacity) {
		return left
	}
	return 0
}

// Excess returns by how much a value with the given largest term leaves [lower, upper], as a part of the largest of 1,
// the side and the term; 0 within.
func Excess(value, lower, upper, term float64) float64 {
	over := 0.0
	if value < lower {
		over = (lower - value) / max(1, math.Abs(lower), term)
	}
	if value > upper {
		over = max(over, (value-upper)/max(1, math.Abs(upper), term))
	}
	return over
}

// ErrDesign is wrapped by the error of a design that is none, or that has no recourse.
var ErrDesign = assess.ErrDesign
