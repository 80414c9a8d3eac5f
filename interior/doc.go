// Package interior solves linear programs by an interior point method, and goes on from there to a vertex with a basis.
//
// # Problem form
//
// A model is solved in the form of package simplex, whose signs of dual values, reduced costs and rays this package has
// too. What presolve leaves of it (package simplex/presolve) is scaled as in package simplex and brought to the form
//
//	min  c'x  s.t.  A x = b,  x_j >= 0 unless free,  x_j <= u_j where there is a bound
//
// with one slack for each row that is no equation (form.go).
//
// # Method
//
// The iterates are points of the homogeneous model (iterate.go), which has a strictly complementary solution whether
// the model has an optimum or not: X. Xu, P.-F. Hung and Y. Ye, A simplified homogeneous and self-dual linear
// programming algorithm and its implementation, Annals of Operations Research 62 (1996); E. D. Andersen and K. D.
// Andersen, The Mosek interior point optimizer for linear programming, in High Performance Optimization (2000). Each
// direction is that of Mehrotra (SIAM Journal on Optimization 2, 1992) with the multiple centrality corrections of
// Gondzio (Computational Optimization and Applications 6, 1996), with primal and dual steps of their own (method.go,
// direction.go).
//
// The linear systems are the normal equations, in which columns with many entries and free columns stay as rows and
// columns of their own, so that the matrix is quasi-definite; with all columns kept it is the augmented system. The set
// that needs the fewest operations is taken (kkt.go, kept.go). Package internal/cholesky orders and factorises it.
// Solves are corrected by their residuals; the corrections are orthogonal in their products with the matrix.
//
// # Answers
//
// The iterations end when the relative violations of rows and bounds and of the dual equations, and the relative
// gap, are at most Options.Tolerance in the scaled form. A crossover (simplex.CrossOver) turns the point into a basis
// of what presolve has left, and the simplex method solves the given model from there, so that the answer is a vertex
// that has been held against the model as given. Without crossover the answer is the point itself, with residuals on
// the given model of at most 1e-6, and Solution.Basis says which variables are between their bounds: it is no basis.
// Where the point does not hold to that, a crossover is made.
//
// Infeasibility is reported with a Farkas ray of the given model that has been checked there, after iterations on the
// model without presolve. Everything else, an unbounded model among it, is left to the simplex method, as is a model on
// which the iterations make no progress.
//
// # Limits
//
// Limits and cancellation are statuses; the answer has the bound that the last multipliers prove. The memory of the
// factor is predicted from the ordering before it is allocated; beyond Options.MaxBytes the status is MemoryLimit, and
// the log has the figure.
//
// # Log
//
// Options.Log gets a record of the size of the linear system, one for each iteration with the attributes iteration,
// objective, bound (of the dual), primal and dual (relative violations), mu (mean product of a complementary pair) and
// elapsed, and one at the end of the iterations.
package interior
