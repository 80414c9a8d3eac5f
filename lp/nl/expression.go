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

// add adds a multiple of another sum.
func (a *affine) add(b affine, times float64) {
	a.constant += times * b.constant
	for _, t := range b.terms {
		a.terms = append(a.terms, term{t.col, times * t.coef})
	}
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

// operators are the names of the operators that have no linear meaning.
var operators = map[int]string{
	4: "mod", 6: "less", 11: "min", 12: "max", 13: "floor", 14: "ceil", 15: "abs", 20: "or", 21: "and", 22: "<",
	23: "<=", 24: "=", 28: ">=", 29: ">", 30: "!=", 34: "not", 35: "if", 37: "tanh", 38: "tan", 39: "sqrt",
	40: "sinh", 41: "sin", 42: "log10", 43: "log", 44: "exp", 45: "cosh", 46: "cos", 47: "atanh", 48: "atan2",
	49: "atan", 50: "asinh", 51: "asin", 52: "acosh", 53: "acos", 55: "div", 56: "precision", 57: "round",
	58: "trunc", 59: "count", 60: "numberof", 61: "numberof", 62: "atleast", 63: "atmost", 64: "a piecewise-linear term",
	65: "if", 66: "exactly", 67: "!atleast", 68: "!atmost", 69: "!exactly", 70: "forall", 71: "exists", 72: "==>",
	73: "<==>", 74: "alldiff", 75: "!alldiff", 76: "^", 77: "^2", 78: "^",
}

// deepest is how many expressions may be inside each other; files of modelling tools have far fewer.
const deepest = 10000

// expression reads an expression. What is not linear is an error of the owner.
func (r *reader) expression(own owner, depth int) affine {
	if depth > deepest {
		r.src.fail(fmt.Sprintf("%s: more than %d expressions inside each other", own, deepest))
	}
	if r.src.failed() != nil {
		return affine{}
	}

	switch key := r.src.key(); key {
	// These are numbers and variables.
	case 'n':
		return affine{constant: r.src.number()}
	case 's':
		return affine{constant: float64(r.src.short())}
	case 'l':
		return affine{constant: float64(r.src.integer())}
	case 'v':
		return r.variable(own, count(r.src))

	// These are operators and functions.
	case 'o':
		return r.operator(own, count(r.src), depth)
	case 'f':
		r.nonlinear(own, fmt.Sprintf("calls the imported function f%d", count(r.src)))
	case 'h':
		r.nonlinear(own, "has a text argument")
	default:
		r.src.fail(fmt.Sprintf("%s: %q begins no expression", own, key))
	}
	return affine{}
}

// variable is a column, or a defined variable, whose numbers follow those of the columns.
func (r *reader) variable(own owner, j int) affine {
	if j < r.h.columns {
		return affine{terms: []term{{j, 1}}}
	}
	a, ok := r.defined[j]
	if !ok {
		r.src.fail(fmt.Sprintf("%s: v%d is no column and no variable that is defined before", own, j))
	}
	return a
}

// operator reads the arguments of an operator and applies it.
func (r *reader) operator(own owner, op, depth int) affine {
	next := func() affine { return r.expression(own, depth+1) }

	// These operators add their arguments, each with a factor.
	var sum affine
	switch op {
	case opPlus, opMinus:
		second := 1.0
		if op == opMinus {
			second = -1
		}
		sum.add(next(), 1)
		sum.add(next(), second)
		return sum
	case opNeg:
		sum.add(next(), -1)
		return sum
	case opSum:
		for range count(r.src) {
			if r.src.failed() != nil {
				break
			}
			sum.add(next(), 1)
		}
		return sum
	}

	// These operators are linear where one argument is a number.
	switch op {
	case opTimes:
		return r.product(own, next().merged(), next().merged())
	case opOver:
		return r.quotient(own, next(), next().merged())
	case opPower:
		return r.power(own, next(), next().merged())
	}

	name, ok := operators[op]
	if !ok {
		name = fmt.Sprintf("operator o%d", op)
	}
	r.nonlinear(own, "has "+name)
	return affine{}
}

// product is linear where one factor is a number.
func (r *reader) product(own owner, a, b affine) (out affine) {
	switch {
	case len(a.terms) == 0:
		out.add(b, a.constant)
	case len(b.terms) == 0:
		out.add(a, b.constant)
	default:
		r.nonlinear(own, "multiplies variables")
	}
	return out
}

// quotient divides by a number, coefficient by coefficient, so that rounding is that of one division.
func (r *reader) quotient(own owner, a, by affine) (out affine) {
	switch {
	case len(by.terms) > 0:
		r.nonlinear(own, "divides by a variable")
		return out
	case by.constant == 0:
		r.src.fail(own.String() + ": division by zero")
		return out
	}
	out.constant = a.constant / by.constant
	for _, t := range a.terms {
		out.terms = append(out.terms, term{t.col, t.coef / by.constant})
	}
	return out
}

// power is linear where the exponent is 1.
func (r *reader) power(own owner, a, exponent affine) affine {
	if len(exponent.terms) == 0 && exponent.constant == 1 {
		return a
	}
	r.nonlinear(own, "raises to a power")
	return affine{}
}
