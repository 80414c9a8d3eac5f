package presolve

// Tolerances and limits. "Relative" is relative to 1 plus the absolute value of the quantity named.
const (
	feasTol    = 1e-9   // a side or bound is implied if it holds within this, relative to the side or bound
	infeasTol  = 1e-7   // bounds that cross by more prove infeasibility, relative to the bound
	rowTol     = 1e-8   // largest relative difference between the entries of parallel rows
	dualTol    = 1e-9   // a reduced cost beyond this has a strict sign, relative to its largest term
	cancelTol  = 1e-12  // a sum that is smaller than this fraction of its largest term is zero
	maxRatio   = 1e2    // largest ratio of the other entry of a doubleton equation to the pivot
	maxColLen  = 6      // largest number of entries of a column that is substituted
	hugeBound  = 1e10   // finite bounds of larger absolute value are not used to derive others
	workFactor = 100    // limit of the work, in matrix entries, for each entry of the matrix
	workBase   = 100000 // work allowed in addition
	maxPasses  = 8      // largest number of searches over the whole problem
	passGain   = 0.01   // a search that removes a smaller fraction of rows and columns is the last
)
