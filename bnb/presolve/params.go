package presolve

// Tolerances and limits. A limit is the largest value allowed; "relative" is relative to the larger of 1 and the
// absolute value of the number in question, and the tolerance of a row is Options.Feasibility.
const (
	exactTol      = 1e-9   // a side that holds within this, relative, is implied
	impliedMin    = 1e-8   // or within this, absolute: the tolerance of the LP
	boundPad      = 1e-9   // relaxation of derived bounds of continuous columns, relative
	smallCoef     = 1e-2   // if the coefficient is smaller they are relaxed by the tolerance of the row
	boundGain     = 0.1    // least fraction of its range by which a derived bound of a continuous column must be tighter
	hugeBound     = 1e8    // absolute value of a derived bound of a continuous column
	hugeInteger   = 1e9    // absolute value of a derived bound of an integer column
	forcedMove    = 1e-8   // distance that a column may still move in a row that fixes its columns
	fixedWidth    = 1e-11  // range of a continuous column that counts as fixed, relative
	fixedMove     = 1e-9   // and change of any row within this range
	rangeNoise    = 1e-13  // relative error of a sum that probing updates
	noiseFactor   = 1000   // least excess and gain of a coefficient, in rounding errors of the activity
	costTol       = 1e-12  // relative difference of costs that count as equal
	sidePart      = 0.1    // part of the tolerance of a row by which a side that bounds an integer column may be wrong
	sideNoise     = 1e-12  // relative error of the side of a row
	sideMin       = 1e-13  // rounding error of a side that is always accepted
	sideMoves     = 1e-9   // change of another column by a rounding error of a side
	integralTol   = 1e-9   // change of a row when a ratio of data is rounded to an integer, absolute
	integralSlack = 1e-6   // slack before rounding in postsolve
	gridTol       = 1e-11  // remainder of a value that counts as a multiple of a step, relative to the largest value
	gridMinStep   = 1e-3   // least step of a column, and least entry after multiplication by the step
	gridFar       = 1e8    // entry of a row times the step or the start: beyond it rounding errors exceed the tolerance
	gridStart     = 1e6    // start: the rounding errors of larger values would matter
	gridMaxSteps  = 1e6    // number of steps between the bounds of a column
	pivotMax      = 1e4    // coefficient by which a side is divided to become a bound, and ratio of parallel rows
	maxRatio      = 1e3    // ratio of the coefficients of a doubleton equation, and of parallel columns
	maxColLen     = 4      // entries of a column that may be substituted
	coefGain      = 1e-4   // least fraction of a coefficient by which tightening must reduce it
	maxGCD        = 1e6    // largest integer coefficient in a row that is divided by a common divisor
	maxSide       = 1e9    // ... and largest side in units of the divisor
	unitMin       = 4      // ... and the least divisor, in tolerances of the row
	sumsMax       = 1e6    // bits of a table of subset sums
	sumsWork      = 1e6    // its words, times the steps that fill it
	representMax  = 1e6    // of a table of least sums: its entries times the columns of the equation
	residueLen    = 1000   // entries of an equation that is read modulo a prime
	residueRows   = 5000   // of them, which are solved together
	residuePasses = 20     // passes over the equations, to drop those that relate no others
	residueWork   = 1e7    // entries touched
	stateFill     = 10     // entries that sums of equations may have, for each entry of the matrix
	stateEntries  = 2e6    // ... and in all
	workFactor    = 150    // entries touched, in total, for each entry of the matrix
	workBase      = 1e6    // and in addition
	maxPasses     = 12     // searches over the whole problem
	passGain      = 0.005  // a search that changes at most this fraction of rows and columns is the last
	pollEvery     = 256    // visits of rows and columns between two polls of the context
	pollWork      = 1e5    // entries touched between two polls
	probeFactor   = 100    // entries that probing touches for each entry of the matrix
	probeBase     = 5e6    // and in addition
	probeRows     = 400    // row evaluations of one probe
	probeStall    = 200    // consecutive probes that do not fix or tighten a column or close a flow
	closedShare   = 1e-3   // remaining fraction of the range of a flow that counts as closed
	maxImplied    = 400000 // implications
	dominateMax   = 50     // columns that are compared with one column entry by entry
	dominateScan  = 2000   // columns that are considered for that
	maxCostRow    = 100    // entries of a row over which the cost of a slack is distributed
)
