package families

import "github.com/proxybd/proxybd/internal/sketch"

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
