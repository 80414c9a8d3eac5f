// Package simplex solves linear programs by a bounded dual simplex method with a primal clean-up,
// and solves them again, warm, after bounds, costs, rows or columns have changed.
//
// # Problem form
//
// A model with n columns and m rows (lp.Model; integrality is ignored)
//
//	min  c'x   s.t.  L <= A x <= U,  l <= x <= u
//
// is solved as A x - s = 0 with one logical variable s_i in [L_i, U_i] per row; variable k < n is
// structural column k, variable n+i the logical of row i. A maximisation is solved as the
// minimisation of -c'x and reported in the model's own sense.
//
// # Signs
//
// Row duals y and reduced costs d satisfy d = c - A'y. At an optimum of a minimisation, d_j >= 0
// where x_j is at its lower bound, d_j <= 0 at its upper bound and d_j = 0 in between; y_i >= 0 where
// row i is at its lower bound, y_i <= 0 at its upper bound. For a maximisation the signs are those
// of the derivative of the objective as the model states it (all inequalities turn round).
//
// A Farkas ray r (one entry a row) proves infeasibility: with z = A'r, the smallest value of
// r'(row activity) over the row bounds exceeds its largest value z'x over the column bounds; that is
//
//	sum_i (r_i > 0 ? r_i L_i : r_i U_i)  >  sum_j (z_j > 0 ? z_j u_j : z_j l_j).
//
// A primal ray v (one entry a column) proves unboundedness: A v stays inside the recession cone of the
// row bounds, v inside that of the column bounds, and c'v < 0 (minimisation).
//
// # Warm starts
//
// A Solver keeps its basis, its factorisation and its values through every change, and the next Solve pays for
// the difference only: a changed bound costs one triangular solve, an added row extends the factors, and
// a re-solve without pivots is linear in rows and columns. DeleteRows keeps the factors where the rows have been
// slack since the last factorisation; other deletions and a SetBasis with other basic variables cost a
// factorisation; going back to the basis of the last SetBasis costs a copy. Bases of at most 64 rows also have a dense
// inverse, which solves use.
//
// # Limits
//
// Solver.Solve takes its Limits; those of the function Solve are in Options. A limit, like a cancelled context, is a
// status: Result.Bound is what is proven by then, and the next Solve goes on from there.
//
// # Threads
//
// With Options.Threads of two or more the solve for the update of the edge weights, the longest of an iteration, is
// done next to the ratio test, on a goroutine that ends with the Solve. The answers are the same, bit for bit.
//
// # Cold solves
//
// The function Solve, for one cold solve, reduces the model first (Options.Presolve). A model whose symmetry lets its
// rows and columns be put into few classes is folded before that (Options.Fold, package fold): the model of the classes
// is solved, its optimum is taken back, and a crossover turns that, which is no vertex, into a basis of the whole
// model. A model with far more rows than columns, the slack basis of which is not dual feasible, begins with its dual
// (Options.Dualize): that has the smaller bases, and often a dual feasible slack basis; the complementary basis is
// taken back. The solve ends with the whole model in any case, so that the answer rests on nothing else.
//
// # Log
//
// Options.Log gets a record of the size that presolve leaves (rows, columns, nonzeros), records of progress at
// most every Options.LogEvery, and one at the end, with the attributes iteration, objective (of the dual
// while it is infeasible), primal and dual (sums of scaled infeasibilities) and elapsed.
//
// # Answers
//
// An optimal answer has been checked against the rows and costs as given, a ray against the bounds as well. Where a
// check fails, the solve is tried again with a new factorisation, from the slack basis, without scaling, and with a
// wider tolerance (see Tolerances); after that the error is ErrNumerical. Check, CheckFarkas and CheckPrimalRay repeat
// the checks on a model without using anything of the solver.
package simplex
