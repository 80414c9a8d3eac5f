// Package presolve makes a linear program smaller before it is solved, and turns an optimal solution of
// the small problem (point, duals and basis) into one of the problem as given.
//
// # Stages
//
// The reductions are applied one after another, each to the problem that the one before it left. Every
// reduction pushes a record on a stack; Postsolve pops them. The invariant that makes this correct: if
// the point, the duals and the basis are optimal for the problem after a reduction, the undo of its record
// makes them optimal for the problem before it, with as many basic variables as rows. So a reduction
// may use any fact that follows from the problem of its own stage, for instance the sign of a reduced
// cost where a bound is infinite, and none that only held at an earlier one.
//
// Inside the package every problem is a minimisation: costs of a maximisation are negated on the way in
// and duals on the way out. Reduced costs d = c - A'y of surviving columns do not change from stage to
// stage, which is why costs need no undo: a record that gives a row its dual either modified the costs
// by that dual when it was made, or subtracts it from the reduced costs of the row's columns when it is
// undone.
//
// # Signs
//
// Solutions use the signs of package simplex, whose documentation has them; statuses are numbered like
// simplex.VarStatus.
//
// # References
//
// E. D. Andersen and K. D. Andersen, Presolving in linear programming, Mathematical Programming 71
// (1995), sections 3 and 4, for most of the reductions; A. L. Brearley, G. Mitra and H. P. Williams,
// Mathematical Programming 8 (1975), for the first of them; J. A. Tomlin and J. S. Welch, Finding
// duplicate rows in a linear programming model, Operations Research Letters 5 (1986).
package presolve
