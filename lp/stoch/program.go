// Package stoch is the model of a two-stage program with scenarios,
//
//	min f'y + sum_s p_s Q_s(y)   s.t.  rows over y alone,
//	Q_s(y) = min { q_s'x : L_s <= T_s y + W_s x <= U_s, l_s <= x <= u_s },
//
// as one skeleton and, for every scenario, its probability and the entries in which it differs from the skeleton.
// Memory is that of the skeleton plus the differences, never one model a scenario. Package lp/smps reads such programs
// from SMPS files.
//
// A Program is made directly, with its first-stage columns in front (program.go), or by a Builder, which takes columns
// in any order (build.go):
//
//	var b stoch.Builder
//	y := b.First(b.Binary("open", 10))
//	x := b.Nonnegative("miss", 5)
//	demand := b.AtLeast(1, x, y.Times(4)) // y is known in advance, the demand is not
//	b.Scenario("low", 0.5)
//	b.Scenario("high", 0.5, stoch.SetRowLower(demand, 6))
//	p, err := b.Program()
//
// Model returns one scenario as a model and Extensive the deterministic equivalent (model.go). A Multistage is a
// program of more periods, as a graph of what may be known in each (multistage.go).
//
// A minimisation is written above; a program whose Core maximises has the same form with max.
package stoch

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/errname"
	"github.com/proxybd/proxybd/lp"
)

// ErrProgram is wrapped by every error about a program that cannot be used.
var ErrProgram = errors.New("invalid scenario program")

// prefixed puts the name of this package in front of an error of a model.
func prefixed(err error) error { return fmt.Errorf("stoch: %w", errname.Without(err, "lp")) }

// Kind says which number of the skeleton a Change replaces.
type Kind uint8

const (
	// Cost is the cost of a column.
	Cost Kind = iota
	// Entry is the coefficient of a column in a row; it need not be there in the skeleton.
	Entry
	// RowLower and RowUpper are the sides of a row.
	RowLower
	RowUpper
	// ColLower and ColUpper are the bounds of a column.
	ColLower
	ColUpper
)

// String returns what is changed, for messages.
func (k Kind) String() string {
	names := [...]string{"cost", "coefficient", "lower side", "upper side", "lower bound", "upper bound"}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown"
}

// byRow reports whether a change of the kind is one of a row.
func (k Kind) byRow() bool { return k == Entry || k == RowLower || k == RowUpper }

// byCol reports whether a change of the kind names a column.
func (k Kind) byCol() bool { return k == Entry || !k.byRow() }

// Change replaces one number of the skeleton in a scenario; SetCost and the others of this kind make one.
type Change struct {
	Kind Kind
	// Row and Col are those of the skeleton; the one that the kind does not need is 0.
	Row lp.Con
	Col lp.Var
	// Value is the number in the scenario. Costs and coefficients are finite.
	Value float64
}

// SetCost changes the cost of a recourse column.
func SetCost(j lp.Var, v float64) Change { return Change{Kind: Cost, Col: j, Value: v} }

// SetEntry changes a coefficient.
func SetEntry(i lp.Con, j lp.Var, v float64) Change {
	return Change{Kind: Entry, Row: i, Col: j, Value: v}
}

// SetRowLower changes the lower side of a row.
func SetRowLower(i lp.Con, v float64) Change { return Change{Kind: RowLower, Row: i, Value: v} }

// SetRowUpper changes the upper side of a row.
func SetRowUpper(i lp.Con, v float64) Change { return Change{Kind: RowUpper, Row: i, Value: v} }

// SetColLower changes the lower bound of a recourse column.
func SetColLower(j lp.Var, v float64) Change { return Change{Kind: ColLower, Col: j, Value: v} }

// SetColUpper changes the upper bound of a recourse column.
func SetColUpper(j lp.Var, v float64) Change { return Change{Kind: ColUpper, Col: j, Value: v} }

// Scenario is one realisation. Costs of columns are those of the scenario, not weighted by its probability. One of
// probability 0 does not occur; see Possible.
type Scenario struct {
	Name        string
	Probability float64
	Changes     []Change // at most one of each place
}

// Program is a two-stage program with scenarios. Core holds the first-stage columns in front, then the recourse columns
// of one scenario. Rows over first-stage columns alone that no scenario changes belong to the first stage. Changes
// concern the recourse: costs and bounds of its columns, and its rows. A Builder orders the columns itself.
type Program struct {
	Name string
	// Core is the skeleton: the model of one scenario.
	Core *lp.Model
	// First is the number of first-stage columns of Core, at least 1.
	First int
	// Scenarios have probabilities that sum to one within 1e-6.
	Scenarios []Scenario
	// FirstImplied says that the rows of the first stage are consequences of the others: a design that violates one has no
	// recourse in some scenario.
	FirstImplied bool
}

// Add appends a scenario with the given differences and returns its index. Validate checks it.
func (p *Program) Add(name string, probability float64, changes ...Change) int {
	p.Scenarios = append(p.Scenarios, Scenario{Name: name, Probability: probability, Changes: changes})
	return len(p.Scenarios) - 1
}

// FirstStage returns the first-stage columns, of Core and of what Extensive returns.
func (p *Program) FirstStage() []lp.Var {
	first := make([]lp.Var, p.First)
	for j := range first {
		first[j] = lp.Var(j)
	}
	return first
}

// Random says which kinds of numbers differ between scenarios. With the matrix and the costs fixed, and the same bounds
// finite, every dual-feasible vector of one scenario is one of all.
type Random struct {
	// Costs are the costs of recourse columns (q).
	Costs bool
	// Matrix are the coefficients of recourse columns (W), Links those of first-stage columns (T).
	Matrix, Links bool
	// Sides are those of rows (L and U), Bounds those of recourse columns (l and u).
	Sides, Bounds bool
	// Infinite says that a bound or side is finite in one scenario and infinite in another.
	Infinite bool
}

// FixedDual reports whether all scenarios share their dual-feasible set.
func (r Random) FixedDual() bool { return !r.Costs && !r.Matrix && !r.Infinite }

// Random returns what differs between the scenarios.
func (p *Program) Random() Random { return p.Lazy().Random() }

// Random returns what differs between the scenarios.
func (l *Lazy) Random() (r Random) {
	l.Each(func(_ int, changes []Change) {
		// A change that repeats the number of the skeleton makes nothing random.
		for _, c := range changes {
			r.note(l.frame, c)
		}
	})
	return r
}

// note records a change. One that gives the number of the skeleton is none, but coefficients are not compared.
func (r *Random) note(p *Program, c Change) {
	at := c.number(p.Core.Cols, p.Core.Rows)
	if at != nil && *at == c.Value {
		return
	}

	// Coefficients of first-stage columns link the stages, the others are the recourse matrix.
	switch c.Kind {
	case Cost:
		r.Costs = true
	case Entry:
		if int(c.Col) < p.First {
			r.Links = true
		} else {
			r.Matrix = true
		}
	case RowLower, RowUpper:
		r.Sides = true
	default:
		r.Bounds = true
	}

	// Such a bound or side changes the dual-feasible set.
	if at != nil && math.IsInf(*at, 0) != math.IsInf(c.Value, 0) {
		r.Infinite = true
	}
}

// IntegerRecourse reports whether a recourse column is integer.
func (p *Program) IntegerRecourse() bool {
	return slices.ContainsFunc(p.Core.Cols[p.First:], func(c lp.Col) bool { return c.Integer })
}

// ContinuousRecourse returns the program with continuous recourse columns: itself where they are. What it shares with
// p must not be changed.
func (p *Program) ContinuousRecourse() *Program {
	if !p.IntegerRecourse() {
		return p
	}
	q := *p
	q.Core = p.Core.Clone()
	for j := p.First; j < len(q.Core.Cols); j++ {
		q.Core.Cols[j].Integer = false
	}
	return &q
}

// WithoutCosts returns the program without costs: it has a solution where p has a feasible point. What it shares with p
// must not be changed.
func (p *Program) WithoutCosts() *Program {
	q := *p
	q.Core = p.Core.Clone()
	q.Core.Offset = 0
	for j := range q.Core.Cols {
		q.Core.Cols[j].Cost = 0
	}

	// Scenarios keep their probabilities and all changes but those of costs.
	q.Scenarios = slices.Clone(p.Scenarios)
	for s := range q.Scenarios {
		changes := slices.Clone(q.Scenarios[s].Changes)
		q.Scenarios[s].Changes = slices.DeleteFunc(changes, func(c Change) bool { return c.Kind == Cost })
	}
	return &q
}

// FirstRows reports for every row of the skeleton whether it belongs to the first stage: no recourse column is in it,
// and no scenario changes it.
func (p *Program) FirstRows() ([]bool, error) { return p.Lazy().FirstRows() }

// FirstRows is Program.FirstRows.
func (l *Lazy) FirstRows() ([]bool, error) {
	p := l.frame
	a, err := p.Core.Matrix()
	if err != nil {
		return nil, prefixed(err)
	}

	// A row with a column of the recourse belongs to the recourse.
	first := slices.Repeat([]bool{true}, len(p.Core.Rows))
	for j := p.First; j < len(p.Core.Cols); j++ {
		index, _ := a.Vec(j)
		for _, i := range index {
			first[i] = false
		}
	}

	// A row that changes is not decided by the first stage alone.
	l.Each(func(_ int, changes []Change) {
		for _, c := range changes {
			if c.Kind.byRow() && c.Row >= 0 && int(c.Row) < len(first) {
				first[c.Row] = false
			}
		}
	})
	return first, nil
}

// Validate reports the first thing that makes the program unusable: a bad skeleton, no scenario, a negative probability
// or probabilities that do not sum to one, a change out of range, of the first stage, or with no meaning.
func (p *Program) Validate() error { return p.Lazy().Validate() }

// Validate is Program.Validate.
func (l *Lazy) Validate() error {
	p := l.frame
	if err := cmp.Or(p.Core.Validate(), p.Core.RowsOnly()); err != nil {
		return prefixed(err)
	}
	if p.First < 1 || p.First > len(p.Core.Cols) {
		return fmt.Errorf("stoch: %w: %d first-stage columns of %d", ErrProgram, p.First, len(p.Core.Cols))
	}
	if len(p.Scenarios) == 0 {
		return fmt.Errorf("stoch: %w: no scenario", ErrProgram)
	}

	// A comparison with NaN is false, so that no NaN passes.
	total := 0.0
	for s := range p.Scenarios {
		sc := &p.Scenarios[s]
		if !(sc.Probability >= 0 && sc.Probability <= 1+probabilityTolerance) {
			return fmt.Errorf("stoch: %w: scenario %s: probability %g", ErrProgram, p.ScenarioName(s), sc.Probability)
		}
		total += sc.Probability
	}

	// The first change that makes no sense is the one that is reported.
	var wrong error
	l.Each(func(s int, changes []Change) {
		for _, c := range changes {
			if err := p.check(c); err != nil && wrong == nil {
				wrong = fmt.Errorf("stoch: %w: scenario %s: %w", ErrProgram, p.ScenarioName(s), err)
			}
		}
	})
	if wrong != nil {
		return wrong
	}
	if math.Abs(total-1) > probabilityTolerance {
		return fmt.Errorf("stoch: %w: the probabilities sum to %.9g; see Normalise", ErrProgram, total)
	}
	return nil
}

// probabilityTolerance is how far from one probabilities may sum, absolute.
const probabilityTolerance = 1e-6

// Possible returns the program without the scenarios of probability 0, which do not occur: they cost nothing, and need
// not be feasible. The others keep their names. The program itself is returned where it has no such scenarios, or only
// such.
func (p *Program) Possible() *Program {
	zero := func(s Scenario) bool { return s.Probability == 0 }
	if !slices.ContainsFunc(p.Scenarios, zero) {
		return p
	}

	// Names that are numbers would change without the others.
	out := *p
	out.Scenarios = slices.Clone(p.Scenarios)
	for s := range out.Scenarios {
		out.Scenarios[s].Name = p.ScenarioName(s)
	}
	out.Scenarios = slices.DeleteFunc(out.Scenarios, zero)
	if len(out.Scenarios) == 0 {
		return p // which Validate refuses for the sum
	}
	return &out
}

// Normalise divides the probabilities by their sum, which it returns. A sum that is not positive stays as it is.
func (p *Program) Normalise() float64 {
	total := 0.0
	for s := range p.Scenarios {
		total += p.Scenarios[s].Probability
	}
	if total > 0 && total != 1 {
		for s := range p.Scenarios {
			p.Scenarios[s].Probability /= total
		}
	}
	return total
}

// check reports why a change cannot be, or nil.
func (p *Program) check(c Change) error {
	byRow := c.Kind.byRow()
	byCol := c.Kind.byCol()

	// The kind is checked first, then the place, then the number.
	switch {
	case c.Kind > ColUpper:
		return fmt.Errorf("a change of the unknown kind %d", c.Kind)
	case byRow && (c.Row < 0 || int(c.Row) >= len(p.Core.Rows)):
		return fmt.Errorf("the %v of row %d, there are %d", c.Kind, c.Row, len(p.Core.Rows))
	case byCol && (c.Col < 0 || int(c.Col) >= len(p.Core.Cols)):
		return fmt.Errorf("the %v of column %d, there are %d", c.Kind, c.Col, len(p.Core.Cols))
	case byCol && !byRow && int(c.Col) < p.First:
		return fmt.Errorf("the %v of column %s, which belongs to the first stage", c.Kind, p.Core.ColName(c.Col))
	case math.IsNaN(c.Value), c.Kind <= Entry && math.IsInf(c.Value, 0),
		(c.Kind == RowLower || c.Kind == ColLower) && math.IsInf(c.Value, 1),
		(c.Kind == RowUpper || c.Kind == ColUpper) && math.IsInf(c.Value, -1):
		return fmt.Errorf("a %v of %g", c.Kind, c.Value)
	}
	return nil
}

// ScenarioName returns the name of scenario s, or a made-up one.
func (p *Program) ScenarioName(s int) string {
	if name := p.Scenarios[s].Name; name != "" {
		return name
	}
	return fmt.Sprintf("S%05d", s+1)
}
