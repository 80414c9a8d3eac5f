package simplex

// Internal constants. All tolerances are absolute in the scaled model unless said otherwise.
const (
	// Factorisation.
	pivotTol        = 1e-10 // least pivot of a factorisation
	dropTol         = 1e-14 // entries below it are dropped from solves and factors
	markowitzSearch = 4     // columns and rows searched for a pivot
	thresholdFirst  = 0.1   // a pivot is at least this fraction of the largest entry of its column
	thresholdLast   = 0.5   // ... in a recovery

	// Hyper-sparse solves: used while the right-hand side and the expected result are this sparse.
	hyperInput  = 0.05
	hyperResult = 0.10
	densityRate = 0.05 // weight of the newest figure in a running density

	// Refactorisation.
	maxUpdates  = 200  // updates before a new factorisation, whatever their cost ...
	updatesRows = 50   // ... and one more for so many rows ...
	updatesCap  = 1000 // ... but no more than this
	minUpdates  = 10   // fewer only for numerical reasons
	buildFactor = 8.0  // time of a work unit of a factorisation in those of a solve

	// Pricing.
	rowPriceDensity = 0.9 // row-wise price below this density of the BTRAN result
	hyperPrice      = 0.1 // with a pattern where the entries touched are less than this fraction of the columns

	// Dual ratio test.
	alphaTol     = 1e-9  // entries of the pivotal row below it are no candidates
	alphaTolFar  = 1e-7  // ... after the first updates
	alphaTolLast = 1e-11 // ... of a column that nothing else blocks, before it is called a ray
	smallPivot   = 1e-5  // a pivot below it is used only straight after a factorisation
	alphaRelDiff = 1e-7  // row-wise and column-wise pivots may differ by this fraction

	// Stalling.
	stallBase = 300   // iterations without progress before the costs are perturbed
	stallRows = 4     // ... and one more for so many rows
	stallTol  = 1e-10 // progress is at least this fraction of the objective
	maxShakes = 6     // perturbations for stalling in one Solve

	// Perturbation: wideFactor times the usual where fewer than this share of the costs differ, and boxedFactor times
	// where so many columns have no cost, and so many are boxed.
	wideFactor   = 1000.0
	wideDistinct = 0.01
	boxedFactor  = 100.0
	wideFree     = 0.85
	wideBoxed    = 0.9

	// ... and where so many columns have no cost, that of a cost of zero is freeUnit at least.
	mostFree = 0.8
	freeUnit = 4e-6

	// Loops.
	pollEvery    = 32   // pivots between two looks at the clock and the context
	primalMost   = 200  // iterations of one call of the primal loop a variable; Netlib takes far fewer
	maxRounds    = 20   // of dual and primal calls in one attempt
	weightLow    = 0.25 // a stored weight below this fraction of the true one is put right first
	boxSize      = 1e3  // bounds of free variables in phase 1
	cleanRayDrop = 1e-9 // relative size below which the entries of a ray are dropped
)
