// Package nl reads and writes linear models in the .nl format, in which AMPL, Pyomo and JuMP hand a model to a solver,
// and writes the .sol file in which they expect the answer (Gay, "Writing .nl Files", 2005; "Hooking Your Solver to
// AMPL", 1997).
//
// # What is read
//
// Text files (first letter g) and binary ones (b) of either byte order. Everything linear is read: rows with one side,
// two or none, integer and 0-1 columns, several objectives one of which is chosen, starting points, and special ordered
// sets by the suffixes sosno and ref (a positive number of a set makes it SOS1, a negative one SOS2). Expressions and
// defined variables are worked out, so that a linear row that was written as an expression is linear here as well.
//
// What is not linear is refused by name: the row, objective or variable, and the operator, function or complementarity
// condition that makes it so.
//
// # Order
//
// The format says by its order which columns are integer: continuous columns come first, then 0-1 columns, then other
// integer ones. Write puts the columns into that order. Names are not part of the format; they stand in files beside
// it, .col and .row, one name a line, which ReadFile reads where they are there.
//
// # Signs
//
// A dual in a .sol file is the derivative of the objective by the side of its row, for minima and maxima alike, as in
// package simplex.
package nl
