package presolve

// Internal constants.
const (
	exactTol      = 1e-9  // a side is implied if it holds to this, relative beyond 1
	impliedMin    = 1e-8  // ... or to this, absolute: the tolerance of the LP
	boundPad      = 1e-9  // by which derived bounds of continuous columns are relaxed, relative beyond 1
	smallCoef     = 1e-2  // through a smaller coefficient they are relaxed by the tolerance of the row
	boundGain     = 0.1   // share of its range that a derived bound of a continuous column must gain
	hugeBound     = 1e8   // derived bounds of continuous columns beyond this are not used
	hugeInteger   = 1e9   // derived bounds of integer columns beyond this are not used
	forcedMove    = 1e-8  // largest distance that a row which fixes its columns lets one of them move
	fixedWidth    = 1e-11 // a continuous column with a smaller range (relative beyond 1) is fixed
	fixedMove     = 1e-9  // ... and one that moves no row by more
	rangeNoise    = 1e-13 // relative error of a sum that probing keeps up to date
	costTol       = 1e-12 // costs that differ by less (relative) are equal
	sidePart      = 0.1   // of the tolerance of a row that the side which bounds an integer column may be wrong by
	sideNoise     = 1e-12 // relative error of the side of a row
	sideMin       = 1e-13 // a rounding error of a side from which on it is looked at
	sideMoves     = 1e-9  // ... and what it may move another column by
	integralTol   = 1e-9  // what calling a ratio of data an integer may move a row by, absolute
	integralSlack = 1e-6  // slack before rounding in postsolve
	gridTol       = 1e-11 // what is left of a value in units of the largest that counts as a multiple of a step
	gridMinStep   = 1e-3  // least step of a column, and least entry
	gridFar       = 1e9   // largest term of a row that a step, or the start, may make
	gridStart     = 1e6   // largest start: beyond it the rounding of a value counts
	gridMaxSteps  = 1e6   // largest number of steps between its bounds
	pivotMax      = 1e4   // ... and at most this, where it takes a bound over from a row
	maxRatio      = 1e3   // largest ratio of the coefficients of a doubleton equation
	maxColLen     = 4     // entries of a column that may be substituted
	coefGain      = 1e-4  // share of a coefficient that tightening must gain
	maxGCD        = 1e6   // largest integer coefficient in a row that is divided by a common divisor
	maxSide       = 1e9   // ... and largest side in units of the divisor
	unitMin       = 4     // ... and the least divisor, in tolerances of the row
	sumsMax       = 1e6   // bits of a table of subset sums
	sumsWork      = 1e6   // its words, times the steps that fill it
	representMax  = 1e6   // of a table of least sums: its entries times the columns of the equation
	residueLen    = 1000  // entries of an equation that is read modulo a prime
	residueRows   = 5000  // of them, which are solved together
	residuePasses = 20    // over them, to sort out those that say nothing of others
	residueWork   = 1e7   // entries touched
	workFactor    = 150   // entries touched, in total, for one entry of the matrix
	workBase      = 1e6   // ... and so many more
	maxPasses     = 12    // passes of the searches over the whole problem
	passGain      = 0.005 // a pass that changes less than this fraction of rows and columns is the last
	pollEvery     = 256   // rows or columns between two looks at the context
	pollWork      = 1e5   // ... or entries touched
	probeFactor   = 100   // entries that probing touches for one entry of the matrix
	probeBase     = 5e6   // ... and so many more
	probeRows     = 400   // row evaluations of one probe
	probeStall    = 200   // probes in a row after which probing stops: none fixed, tightened or closed a flow
	closedShare   = 1e-3  // share of its range that a closed flow may keep
	maxImplied    = 400000
	dominateMax   = 50   // columns compared with one column, entry by entry
	dominateScan  = 2000 // ... and looked at
	maxCostRow    = 100  // longest row over which the cost of a slack is spread
)
