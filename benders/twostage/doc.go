// Package twostage solves any two-stage program that is given as one model and a choice of its first-stage columns,
//
//	min f'y + q'x   s.t.  L <= A y + B x <= U,  l <= x <= u,  y in Y
//
// where Y holds the bounds, the integrality and the rows of the first-stage columns y alone. Rows and columns have
// ranges as in package lp: inequalities both ways, equalities, free columns and finite bounds on either side.
// The recourse falls into components that share no row and no column; each has its own linear programs and, unless
// Options.Single is set, its own epigraph.
//
// # Certificates
//
// A certificate of a component is one multiplier lambda_i a row (lambda_i > 0 prices the lower side of the row and < 0
// the upper one, which must be finite). Its completion by the bounds has the closed form z = q - B'lambda, the part
// z+ pricing l and the part z- pricing u (paper, section 2.2; the paper's G x >= g are further rows here). It is dual
// feasible where every positive z_j has a finite l_j and every negative one a finite u_j, and gives the cut
//
//	theta >= sum_i side_i lambda_i + sum_j bound_j z_j - lambda'A y
//
// and with q dropped the feasibility cut 0 >= the same (paper, section 3), whose multipliers are bounded by a
// Normalisation. An infinite bound that the rows imply, by
// the bounds of the other columns of the row, may be priced as well; the package keeps how it was derived.
//
// A multiplier that a floating-point solver returned is dual feasible to tolerances only. certify makes it exact:
// columns with bounds absorb the error at the price of the bound (Neumaier and Shcherbina, Mathematical Programming
// 99, 2004); where there is none the multipliers move towards an interior point of the dual; and where there is no
// interior the equations are solved in rationals. Sums are formed in doubled precision with error bounds and rounded
// outward, so that the float64 cut holds in exact arithmetic for every y in its bounds. The tests prove that for every
// cut in rationals, by a checker that shares no code with what made the cut.
//
// Section numbers are those of the paper, "The Proxy Benders Decomposition".
package twostage
