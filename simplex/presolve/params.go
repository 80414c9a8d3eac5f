package presolve

// Internal constants.
const (
	feasTol    = 1e-9  // a side of a row or bound is implied if it holds to this, relative to 1 plus its size
	infeasTol  = 1e-7  // crossing bounds prove infeasibility beyond this, relative likewise
	rowTol     = 1e-8  // by which parallel rows may differ
	dualTol    = 1e-9  // a reduced cost has a strict sign beyond this, relative to 1 plus its largest term
	cancelTol  = 1e-12 // sums smaller than this fraction of their terms are zero
	maxRatio   = 1e2   // largest ratio of the coefficients of an aggregated doubleton equation
	maxColLen  = 6     // entries of a column that may be substituted
	hugeBound  = 1e10  // finite bounds derived beyond this are not used
	workFactor = 100   // entries touched, in total, for one entry of the matrix
	workBase   = 100000
	maxPasses  = 8    // passes of the searches over the whole problem
	passGain   = 0.01 // a pass that removes less than this fraction of rows and columns is the last
)
