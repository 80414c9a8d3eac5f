// Package presolve makes a mixed-integer program smaller and tighter before branch and cut, and turns points of the
// reduced model into points of the given one.
//
// # Guarantees
//
// Every feasible point of the reduced model is taken by Restore to a feasible point of the given model
// with the same objective, and the optimal values are equal; so an optimal point stays one. With
// Options.KeepColumns the reduced model has the columns of the given one, in their order, and exactly
// its feasible points: nothing is concluded from the objective or from rows that are not there, so
// constraints that are added later, over the same columns, mean the same in both.
//
// There is no postsolve of duals, which branch and cut does not need. Each reduction that removes a column pushes a
// record on a stack; Restore undoes them from the top, Project (for MIP starts) applies them from the bottom.
//
// # Tolerances
//
// Sides and bounds are met to Options.Feasibility, absolute in the units of the row or column at hand (but for the
// rounding error of its numbers), before infeasibility is concluded: there is no other notion of a contradiction. A
// bound that a row gives a column through a small coefficient may be missed by the tolerance of the row divided by the
// coefficient; so it does not prove an infeasibility that is none for the row. Bounds of integer columns are rounded
// inward after they were relaxed by that much. Bounds of continuous columns that rows imply are relaxed by 1e-9
// (relative beyond 1), through a coefficient below 0.01 by the tolerance of the row. Two parallel rows whose sides
// cross by less than the tolerance meet in between. Columns are eliminated only by pivots of moderate size, and
// coefficients are changed only where that leaves numbers that are not smaller than the noise of those they come from.
// Nothing leaves a row where the rounding error of its sides would count in a column that is left, by a small
// coefficient; rows are parallel, and columns on a grid, only to a tenth of the tolerance. A caller who needs the given
// model's tolerances verifies restored points, since a substitution can enlarge a violation.
//
// # References
//
// T. Achterberg, R. E. Bixby, Z. Gu, E. Rothberg, D. Weninger, Presolve reductions in mixed integer
// programming, INFORMS Journal on Computing 32 (2020), for most of the reductions; M. W. P. Savelsbergh,
// Preprocessing and probing techniques for mixed integer programming problems, ORSA Journal on Computing
// 6 (1994), for coefficient tightening and probing.
package presolve
