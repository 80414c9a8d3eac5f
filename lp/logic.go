package lp

import (
	"fmt"
	"math"
	"slices"
)

// Logic is what rows and bounds alone do not express: columns that are zero or within bounds, sets where few columns
// may be other than zero, and rows that hold only where a column has a value. Impose makes columns and rows of it, or
// leaves it to branching.
type Logic struct {
	// Semi are semi-continuous columns, or semi-integer ones: zero, or within the bounds of the column.
	Semi []Var
	// Sets are special ordered sets; a column may be in several.
	Sets []Set
	// Indicators make rows conditional; a row may have one.
	Indicators []Indicator
	// Form says what Impose makes of it.
	Form Form
}

// Form is how Impose states a Logic.
type Form uint8

const (
	// Automatic takes rows where the columns have the bounds that these need and a search is not faster without them,
	// and branching elsewhere.
	Automatic Form = iota
	// AsRows takes rows and refuses columns without the bounds.
	AsRows
	// ByBranching leaves all to branching.
	ByBranching
)

// SetKind is 1 or 2, the type of a special ordered set.
type SetKind uint8

const (
	// SOS1: at most one column of the set is not zero.
	SOS1 SetKind = 1
	// SOS2: at most two columns are not zero, and those are neighbours in the order of the set.
	SOS2 SetKind = 2
)

// Set is a special ordered set (Beale and Tomlin 1970). The order of its columns matters for SOS2 only.
type Set struct {
	// Name is for the names of the auxiliary columns and rows; it may be empty.
	Name string
	Kind SetKind
	// Vars are the columns in their order, each once.
	Vars []Var
}

// Indicator makes a row hold only where a 0-1 column has a value.
type Indicator struct {
	// If is the column that decides: an integer column within [0, 1].
	If Var
	// Is is the value of If for which the row must hold, 0 or 1.
	Is int
	// Row is the row that need not hold otherwise.
	Row Con
}

// LogicPart is a field of Logic.
type LogicPart uint8

const (
	// SemiPart is Logic.Semi.
	SemiPart LogicPart = iota
	// SetPart is Logic.Sets.
	SetPart
	// IndicatorPart is Logic.Indicators.
	IndicatorPart
)

// LogicError says which part of a Logic could not be imposed on a model. It wraps ErrModel.
type LogicError struct {
	// Part and Index are the field of Logic and the place in it.
	Part  LogicPart
	Index int
	// Name is that of the set or of the row with the indicator; empty for a semi-continuous column.
	Name string
	// Col is the name of the column at fault, empty for none.
	Col string
	// Msg says what is wrong or missing.
	Msg string
}

// Error names the column, the set or row, and what is missing.
func (e *LogicError) Error() string { return "lp: " + ErrModel.Error() + ": " + e.Detail() }

// Detail is the text of Error without the package and the sentinel. A reader puts it behind a file and a line.
func (e *LogicError) Detail() string {
	text := e.Msg
	if e.Col != "" {
		text = fmt.Sprintf("column %q: %s", e.Col, text)
	}

	// The name of the set or row comes first, then that of the column.
	switch e.Part {
	case SetPart:
		return fmt.Sprintf("set %q: %s", e.Name, text)
	case IndicatorPart:
		return fmt.Sprintf("indicator row %q: %s", e.Name, text)
	}
	return "semi-continuous " + text
}

// Unwrap returns ErrModel.
func (e *LogicError) Unwrap() error { return ErrModel }

// with sets the message and returns the error.
func (e *LogicError) with(format string, args ...any) *LogicError {
	e.Msg = fmt.Sprintf(format, args...)
	return e
}

// logic is what Impose was given, with the auxiliary columns.
type logic struct {
	semi       []semi
	sets       []set
	indicators []conditional
	nonzero    []switched
}

// semi is a column that is zero or within bounds.
type semi struct {
	col Var
	// lower and upper are the bounds as they were given.
	lower, upper float64
}

// set is a Set with the columns that choose two neighbours of an SOS2.
type set struct {
	name string
	kind SetKind
	vars []Var
	// choices has a column for each place where columns may be other than zero; nil for an SOS1 that rows state.
	choices []Var
}

// conditional is an Indicator with the sides that its row had.
type conditional struct {
	Indicator
	lower, upper float64
	// activity is the hidden column that is the activity of the row, -1 for none.
	activity Var
}

// switched is a column with the 0-1 column that is 1 where it is not zero.
type switched struct {
	col, on  Var
	mustHold bool // the column cannot be zero
}

// clone returns a copy whose lists grow into memory of their own.
func (l *logic) clone() logic {
	return logic{slices.Clip(l.semi), slices.Clip(l.sets), slices.Clip(l.indicators), slices.Clip(l.nonzero)}
}

// HasLogic reports whether Impose has been given anything for the model.
func (m *Model) HasLogic() bool {
	return len(m.logic.semi)+len(m.logic.sets)+len(m.logic.indicators) > 0
}

// Size counts what is in a model.
type Size struct{ Rows, Cols, Integers, Entries int }

// Own counts the rows, columns and coefficients that are not hidden.
func (m *Model) Own() Size {
	var s Size
	for j := range m.Cols {
		if c := &m.Cols[j]; !c.Hidden {
			s.Cols++
			if c.Integer {
				s.Integers++
			}
		}
	}
	for i := range m.Rows {
		if !m.Rows[i].Hidden {
			s.Rows++
		}
	}

	// A coefficient of a hidden column is in a hidden row.
	for _, e := range m.entries {
		if !m.Rows[e.Minor].Hidden {
			s.Entries++
		}
	}
	return s
}

// nearZero is the most that a column may be to count as zero in a point of another program.
const nearZero = 1e-6

// Derive gives the hidden columns of x that are NaN the values that follow from the other columns, where those are not
// NaN themselves. It changes x, which has one value a column.
func (m *Model) Derive(x []float64) {
	give := func(j Var, v float64) {
		if math.IsNaN(x[j]) {
			x[j] = v
		}
	}

	// A switch is 1 where its column is not zero.
	for _, s := range m.logic.nonzero {
		switch v := x[s.col]; {
		case s.mustHold || math.Abs(v) > nearZero:
			give(s.on, 1)
		case !math.IsNaN(v):
			give(s.on, 0)
		}
	}

	m.deriveActivity(x)

	// The place of a set is that of its first column that is not zero; in an SOS2 the next one belongs to it.
	for _, s := range m.logic.sets {
		if len(s.choices) == 0 || slices.ContainsFunc(s.vars, func(j Var) bool { return math.IsNaN(x[j]) }) {
			continue
		}
		first := slices.IndexFunc(s.vars, func(j Var) bool { return math.Abs(x[j]) > nearZero })

		// The last column of an SOS2 has no pair behind it, and all are zero where there is no first one.
		first = min(max(first, 0), len(s.choices)-1)
		give(s.choices[first], 1)
		for _, j := range s.choices {
			give(j, 0)
		}
	}
}

// LogicViolation returns by how much x breaks what Impose was given, in units of the columns and rows: the distance of
// a semi-continuous column from zero and from its bounds, the least change of columns that leaves a set with its zeros,
// and the violation of the rows whose indicators hold. Hidden columns have no part in it.
func (m *Model) LogicViolation(x []float64) (float64, error) {
	if !m.HasLogic() {
		return 0, nil
	}
	a, err := m.Matrix()
	if err != nil {
		return math.NaN(), err
	}

	// Zero and the interval of the bounds are apart, so the nearer of the two counts.
	worst := 0.0
	for _, s := range m.logic.semi {
		v := x[s.col]
		worst = math.Max(worst, math.Min(math.Abs(v), math.Max(s.lower-v, v-s.upper)))
	}
	for _, s := range m.logic.sets {
		worst = math.Max(worst, s.violation(x))
	}
	if len(m.logic.indicators) == 0 {
		return worst, nil
	}

	// The rows themselves have no sides any more.
	activity := make([]float64, len(m.Rows))
	for j := range a.Major {
		index, value := a.Vec(j)
		for k, i := range index {
			activity[i] += value[k] * x[j]
		}
	}
	for _, c := range m.logic.indicators {
		// Only a row whose indicator holds must be satisfied.
		if math.Round(x[c.If]) == float64(c.Is) {
			worst = math.Max(worst, math.Max(c.lower-activity[c.Row], activity[c.Row]-c.upper))
		}
	}
	return worst, nil
}

// violation is the least, over the places that may be other than zero, of the largest column elsewhere.
func (s *set) violation(x []float64) float64 {
	width := int(s.kind)
	if len(s.vars) <= width {
		return 0
	}

	// The columns from first on, as many as may be other than zero, keep their values; all others would have to
	// become zero.
	least := math.Inf(1)
	for first := 0; first+width <= len(s.vars); first++ {
		worst := 0.0
		for k, j := range s.vars {
			if k < first || k >= first+width {
				worst = math.Max(worst, math.Abs(x[j]))
			}
		}
		least = math.Min(least, worst)
	}
	return least
}
