package cuts

import "math"

var inf = math.Inf(1)

// Numbers that steer the separators and keep their cuts away from numerical trouble.
const (
	// All cuts.
	maxRange     = 1e6     // ratio of the coefficients of a cut at most
	maxParallel  = 0.8     // cosine between two cuts of one round at most
	atBound      = 1e-6    // distance of a term from its bound that counts as none
	relaxBy      = 1e-9    // relative relaxation of a right-hand side
	roundingUnit = 0x1p-52 // relative rounding error of a sum
	cancelledMax = 1e-9    // rounding error of a coefficient of an unbounded column, relative to the largest one
	sideTol      = 1e-9    // relative distance from an integer that counts as none, in a side
	largestSide  = 1e9     // sides beyond it are not rounded
	denseFree    = 100     // entries that any cut may have
	denseRows    = 2       // and beyond that, multiple of the mean length of the rows of the model

	// Variable bounds.
	variableWork  = 2000000 // pairs of entries looked at in long rows
	maxVariable   = 12      // bounds kept a column and direction
	variableSlope = 1e6     // largest slope
	variableGain  = 1e-3    // least relative difference between the two values of the bound

	// Mixed-integer rounding.
	tinyTerm      = 1e-6 // coefficients of integer terms below it are rounded without a difference of fractions
	mirZero       = 1e-9 // coefficients below it (relative to the largest) are dropped
	mirFraction   = 0.01 // least distance of the divided right-hand side from the integer below
	mirMargin     = 1e-5 // and from the one above: a unit of flow through an arc of large capacity lies close to it
	mirError      = 1e-7 // the same before division, relative to the largest term of the side
	mirTie        = 1e-6 // relative difference between the distances of two bounds that are as near
	mirDivisors   = 10   // divisors tried
	mirComplement = 10   // columns tried at their other bound
	mirMaxTerms   = 2000 // longer rows are left alone
	mirLengths    = 5    // and rows so many times as long as a cut may be

	// Covers and cliques.
	coverSlack     = 0.1     // relative slack of a row that is looked at, at most
	coverTerms     = 50000   // and its entries
	coverWork      = 1000000 // literals times members of the cover at most
	cliqueEntries  = 2000000 // literals in the clique table
	cliqueVertices = 2000    // fractional literals at most
	cliqueSteps    = 1000    // of the search around one vertex
	cliqueExtend   = 5000000 // literals looked at in a round to make cliques larger
	maxCliques     = 200     // cuts found in a round

	// Hulls of rows.
	hullEntries   = 1000 // of a row at most
	hullItems     = 8    // that take part at most
	hullWidth     = 100  // values of an item beside 0, at most
	hullPivots    = 50   // to find the combination of patterns, at most
	hullSteps     = 1000 // of a knapsack problem at most
	hullEnough    = 100  // and where it has a pattern that improves the combination
	hullStates    = 2000 // of lifted items at most
	hullViolation = 1e-6 // relative violation that counts
	hullLeast     = 1e-6 // coefficient of an item at least, relative to the side

	gomoryEfficacy = 0.05 // least efficacy of a Gomory cut
	gomoryFree     = 25   // entries that it may have
	gomoryPart     = 10   // and beyond that, one for so many columns
	maxGomory      = 100  // tableau rows looked at in a round
	dryShare       = 5    // one in so many of the cuts that a round may add are few
	dryFree        = 60   // entries of a Gomory cut beside few others
	dryEfficacy    = 0.01 // and its least efficacy
	gomoryFailures = 10   // rows without a cut, one after the other, that end the search
	looseRow       = 0.1  // relative slack of a row that an aggregation takes, at most
	looseCut       = 1e-6 // and of a cut that it starts from
	flowShare      = 10   // one in so many columns must be a flow for cuts to be starts
	partnerTie     = 0.01 // difference in slack that does not count between two rows
	maxAggregate   = 2000 // rows that start an aggregation in a round
	maxRest        = 2    // rounds that a start rests at most
	aggregateLen   = 6    // rows in an aggregation at most
	aggregateFar   = 15   // the same after a round with few cuts
	farShare       = 3    // less than one in so many of those that a round may add are few
	aggregateCols  = 2    // columns of one that is still added to, in entries that a cut may have
	cutSetFailures = 10   // nodes in a row without a cut that end a search
	cutSetShare    = 8    // but not less than one in so many
	cutSetsMany    = 10   // cuts of a round that are many
	cutSetRounds   = 10   // and so many rounds from then are on a network
	cutSetShort    = 0.01 // share of the need that a set must leave short, at least
	cutSetCreep    = 1e-3 // share of it that every arc is wider
	cutSetNoise    = 1e-7 // and that is no width of an arc
	weightRange    = 1e5  // ratio of the weights of a tableau row at most
)
