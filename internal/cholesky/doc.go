// Package cholesky factorises sparse symmetric matrices without pivoting, for the linear systems of interior point
// methods:
//
//	P A P' = L D L'
//
// where P is a permutation, L is lower triangular with a unit diagonal, and D is diagonal. A is positive definite,
// positive semidefinite with tiny pivots replaced, or quasi-definite (R. J. Vanderbei, Symmetric quasidefinite
// matrices, SIAM Journal on Optimization 5 (1995)), where the factors exist for every P and the sign of each pivot is
// given.
//
// Analyse works on the pattern alone: it chooses P and predicts the size of L and the number of operations before
// memory for numbers is allocated. NewFactor allocates that memory, Factorize fills it, and may be called again for
// each set of values of the same pattern; Solve uses it. Iterative refinement is left to the caller.
//
// A pattern is compressed by columns. It has either the lower triangle of A alone (row >= column), or both triangles,
// and the values of the upper one are not read. Entries of the diagonal that are missing are zero. The rows of a
// column may be in any order; a row that occurs twice in a column is an error.
//
// The method is multifrontal (I. S. Duff, J. K. Reid, The multifrontal solution of indefinite sparse symmetric linear
// equations, ACM TOMS 9 (1983)): columns with nearly the same structure are a supernode, whose rows are a dense matrix,
// its front. Fronts are assembled from entries of A and the update matrices of their children in the elimination tree,
// and eliminated by dense matrix products. Independent subtrees run in parallel, and so do the tiles of large fronts
// above them.
//
// Results are the same bit for bit for any number of threads.
package cholesky
