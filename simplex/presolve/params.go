package presolve

// Internal constants.
const (
	feasTol    = 1e-9 // a side of a row or bound is implied if it holds to this, relative to 1 plus its size
	infeasTol  = 1e-7 // crossing bounds prove infeasibility beyond this, relative likewise
	dualTol    = 1e-9 // a reduced cost has a strict sign beyond this, relative to 1 plus its largest term
	roundTol   = 1e-14
	cancelTol  = 1e-12 // sums smaller than this fraction of their terms are zero
	pivotRow   = 1e-3  // a pivot is at least this fraction of the largest entry of its row
	pivotCol   = 1e-2  // ... and of its column
	pivotAbs   = 1e-4  // ... and at least this
	maxRatio   = 1e2   // largest ratio of the coefficients of an aggregated doubleton equation
	maxFill    = 4     // entries that one substitution may add
	maxColLen  = 6     // entries of a column that may be substituted
	hugeBound  = 1e10  // finite bounds derived beyond this are not used
	workFactor = 40    // entries touched, in total, for one entry of the matrix
	workBase   = 100000
	maxPasses  = 8    // passes of the searches over the whole problem
	passGain   = 0.01 // a pass that removes less than this fraction of rows and columns is the last
)
