package nl

import (
	"cmp"
	"fmt"
	"slices"
)

// affine is a constant and a sum of columns.
type affine struct {
	constant float64
	terms    []term // a column may be in several
}

// term is a coefficient with its column.
type term struct {
	col  int
	coef float64
}

// times multiplies by a number.
func (a affine) times(v float64) affine {
	out := affine{constant: a.constant * v}
	for _, t := range a.terms {
		out.terms = append(out.terms, term{t.col, t.coef * v})
	}
	return out
}

// plus adds another sum.
func (a affine) plus(b affine) affine {
	return affine{a.constant + b.constant, append(slices.Clip(a.terms), b.terms...)}
}

// merged has every column once, in ascending order, and none with a coefficient of zero.
func (a affine) merged() affine {
	list := slices.Clone(a.terms)
	slices.SortStableFunc(list, func(s, t term) int { return cmp.Compare(s.col, t.col) })
	out := list[:0]
	for _, t := range list {
		if n := len(out); n > 0 && out[n-1].col == t.col {
			out[n-1].coef += t.coef
			continue
		}
		out = append(out, t)
	}
	a.terms = slices.DeleteFunc(out, func(t term) bool { return t.coef == 0 })
	return a
}

// The operators with a linear meaning. The numbers are those of AMPL's solver library.
const (
	opPlus  = 0
	opMinus = 1
	opTimes = 2
	opOver  = 3
	opPower = 5
	opNeg   = 16
	opSum   = 54
)

// operators are the names of all others.
var operators = map[int]string{
	4: "mod", 6: "less", 11: "min", 12: "max", 13: "floor", 14: "ceil", 15: "abs", 20: "or", 21: "and", 22: "<",
	23: "<=", 24: "=", 28: ">=", 29: ">", 30: "!=", 34: "not", 35: "if", 37: "tanh", 38: "tan", 39: "sqrt",
	40: "sinh", 41: "sin", 42: "log10", 43: "log", 44: "exp", 45: "cosh", 46: "cos", 47: "atanh", 48: "atan2",
	49: "atan", 50: "asinh", 51: "asin", 52: "acosh", 53: "acos", 55: "div", 56: "precision", 57: "round",
	58: "trunc", 59: "count", 60: "numberof", 61: "numberof", 62: "atleast", 63: "atmost", 64: "a piecewise-linear term",
	65: "if", 66: "exactly", 67: "!atleast", 68: "!atmost", 69: "!exactly", 70: "forall", 71: "exists", 72: "==>",
	73: "<==>", 74: "alldiff", 75: "!alldiff", 76: "^", 77: "^2", 78: "^",
}

// deepest is how many expressions may be inside each other: more is no file that a modelling tool writes.
const deepest = 10000

// expression reads an expression. What is not linear is an error of the given owner, such as "row c3".
func (r *reader) expression(owner string, depth int) affine {
	if depth > deepest {
		r.src.fail(fmt.Sprintf("%s: more than %d expressions inside each other", owner, deepest))
	}
	if r.src.failed() != nil {
		return affine{}
	}
	switch key := r.src.key(); key {
	case 'n':
		return affine{constant: r.src.number()}
	case 's':
		return affine{constant: float64(r.src.short())}
	case 'l':
		return affine{constant: float64(r.src.integer())}
	case 'v':
		return r.variable(owner, r.src.count())
	case 'o':
		return r.operator(owner, r.src.count(), depth)
	case 'f':
		r.nonlinear(owner, fmt.Sprintf("calls the imported function f%d", r.src.count()))
	case 'h':
		r.nonlinear(owner, "has a text argument")
	default:
		r.src.fail(fmt.Sprintf("%s: %q begins no expression", owner, key))
	}
	return affine{}
}

// variable is a column, or a defined variable, whose numbers follow those of the columns.
func (r *reader) variable(owner string, j int) affine {
	if j < r.h.columns {
		return affine{terms: []term{{j, 1}}}
	}
	a, ok := r.defined[j]
	if !ok {
		r.src.fail(fmt.Sprintf("%s: v%d is no column and no variable that is defined before", owner, j))
	}
	return a
}

// operator reads the arguments of an operator and applies it.
func (r *reader) operator(owner string, op, depth int) affine {
	next := func() affine { return r.expression(owner, depth+1) }
	switch op {
	case opPlus:
		return next().plus(next())
	case opMinus:
		a := next()
		return a.plus(next().times(-1))
	case opNeg:
		return next().times(-1)
	case opSum:
		var sum affine
		for range r.src.count() {
			if r.src.failed() != nil {
				break
			}
			a := next()
			sum.constant += a.constant
			sum.terms = append(sum.terms, a.terms...)
		}
		return sum
	case opTimes:
		return r.product(owner, next().merged(), next().merged())
	case opOver:
		a, b := next(), next().merged()
		if len(b.terms) > 0 {
			r.nonlinear(owner, "divides by a variable")
			return affine{}
		}
		return r.quotient(owner, a, b.constant)
	case opPower:
		a, b := next().merged(), next().merged()
		if len(b.terms) == 0 && b.constant == 1 {
			return a
		}
		r.nonlinear(owner, "raises to a power")
		return affine{}
	}

	name, ok := operators[op]
	if !ok {
		name = fmt.Sprintf("operator o%d", op)
	}
	r.nonlinear(owner, "has "+name)
	return affine{}
}

// product is linear where one factor is a number.
func (r *reader) product(owner string, a, b affine) affine {
	switch {
	case len(a.terms) == 0:
		return b.times(a.constant)
	case len(b.terms) == 0:
		return a.times(b.constant)
	}
	r.nonlinear(owner, "multiplies variables")
	return affine{}
}

// quotient divides coefficient by coefficient, so that rounding is that of one division.
func (r *reader) quotient(owner string, a affine, by float64) affine {
	if by == 0 {
		r.src.fail(owner + ": division by zero")
		return affine{}
	}
	out := affine{constant: a.constant / by}
	for _, t := range a.terms {
		out.terms = append(out.terms, term{t.col, t.coef / by})
	}
	return out
}
