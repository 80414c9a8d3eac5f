package cuts

import "math"

var inf = math.Inf(1)

// Limits of the separators. Unless a comment says otherwise a limit is the largest number allowed; work is in units of
// about one matrix entry. "Relative" is relative to the larger of 1 and the absolute value of the number in question.

// Numerical limits of all cuts.
const (
	maxRange     = 1e6     // ratio of the largest to the smallest coefficient of a cut; smaller ones are dropped
	maxParallel  = 0.8     // cosine of the angle between two cuts of one round
	atBound      = 1e-6    // absolute distance from a bound, or from an integer, that counts as 0
	relaxBy      = 1e-9    // relative relaxation of a right-hand side, for rounding errors
	roundingUnit = 0x1p-52 // relative rounding error of a sum
	cancelledMax = 1e-9    // rounding error of a coefficient of an unbounded column, relative to the largest coefficient
	sideTol      = 1e-9    // relative distance of a side from an integer that counts as 0
	largestSide  = 1e9     // sides of larger absolute value are not rounded
	denseFree    = 100     // a cut may have this many entries, and
	denseRows    = 2       // in addition this multiple of the mean length of the rows of the model
	minPivot     = 1e-6    // least absolute value of an entry by which a row is divided
)

// Variable bounds.
const (
	variableWork  = 2000000 // pairs of entries of long rows from which bounds are computed
	maxVariable   = 12      // bounds of a column in one direction
	variableSlope = 1e6     // absolute value of a slope
	variableGain  = 1e-3    // least relative difference between the bounds at 0 and at 1
	impliedTol    = 1e-6    // least relative violation of a variable bound that becomes a cut
	impliedErrors = 10      // rounding errors of a bound that is rounded to an integer
)

// Mixed-integer rounding.
const (
	tinyTerm      = 1e-6  // divided coefficients above minus this are rounded without a difference of fractions
	mirZero       = 1e-9  // coefficients below it, relative to the largest, are absorbed
	mirFraction   = 0.01  // least distance of the divided right-hand side from the integer below
	mirMargin     = 1e-5  // least distance from the integer above: a unit of flow in an arc of large capacity is close
	mirError      = 1e-7  // least distance from the integer above before division, relative to the largest number summed
	mirLargest    = 1e15  // absolute value of the divided right-hand side: above it doubles have few fractional digits
	mirTie        = 1e-6  // relative difference between the distances from two bounds that count as equal
	mirAtBound    = 1e-6  // distance of an integer term from a bound that counts as 0
	mirDivisors   = 10    // divisors that are tried, apart from 1
	leastDivisor  = 1e-7  // least divisor
	sameDivisor   = 1e-6  // relative difference of divisors that count as equal
	floorTol      = 1e-12 // distance of a divided coefficient from the next integer that counts as 0
	mirComplement = 10    // terms whose complement is tried
	mirMaxTerms   = 2000  // columns of an aggregation, and
	mirLengths    = 5     // the same as a multiple of the length of a cut
)

// Covers.
const (
	coverSlack    = 0.1     // relative slack of a row
	coverTerms    = 50000   // entries of a row
	coverWork     = 1000000 // product of the numbers of literals and of members of the cover
	coverTol      = 1e-6    // distance of a literal from 0 or 1 that counts as 0
	coverExcess   = 1e-5    // least relative excess of a mixed cover
	knapsackTol   = 1e-6    // least relative excess of literals that cannot be true together
	tooHeavy      = 1e-9    // relative excess above which a literal is too heavy alone
	largestSumTol = 1e-9    // relative room that is added to the knapsack of a lifting coefficient
)

// Cliques.
const (
	cliqueEntries  = 2000000 // literals in the clique table
	cliqueVertices = 2000    // fractional literals
	cliqueSteps    = 1000    // steps of the search for a clique of one vertex
	cliqueExtend   = 5000000 // literals that are looked at in a round to enlarge cliques
	cliqueTol      = 1e-6    // least difference between the weights of two cliques, and least violation of a row
	maxCliques     = 200     // cuts of a round
)

// Hulls of rows.
const (
	hullEntries   = 1000 // entries of a row
	hullItems     = 8    // items that are not at 0
	hullWidth     = 100  // nonzero values of an item
	hullPivots    = 50   // pivots of the search for a combination of patterns
	hullPivot     = 1e-9 // least absolute value of a pivot
	priceTol      = 1e-9 // least absolute value of a negative multiplier that is no rounding error
	hullSteps     = 1000 // steps of a knapsack problem
	hullEnough    = 100  // the same once it has a pattern that improves the combination
	hullStates    = 2000 // states of lifted items
	hullViolation = 1e-6 // least relative violation
	hullLeast     = 1e-6 // least coefficient of an item, relative to the side
)

// Gomory cuts.
const (
	gomoryEfficacy  = 0.05 // least efficacy
	gomoryFree      = 25   // a cut may have this many entries, and
	gomoryPart      = 10   // in addition the number of columns divided by this
	maxGomory       = 100  // tableau rows in a round
	gomoryFailures  = 10   // consecutive rows without a cut, after which the search ends
	fewCutsShare    = 5    // a round has few cuts if it has fewer than the limit of cuts divided by this; then
	fewCutsFree     = 60   // a Gomory cut may have this many entries in addition to the part, and
	fewCutsEfficacy = 0.01 // this is its least efficacy
	weightRange     = 1e5  // ratio of the largest to the smallest weight of a tableau row; smaller ones are dropped
)

// Aggregations.
const (
	looseRow      = 0.1  // relative slack of a row that an aggregation takes
	looseCut      = 1e-6 // relative slack of a cut that starts one
	flowShare     = 10   // the columns divided by this are the least number of flows for a model with many flows
	partnerTie    = 0.01 // largest difference in slack between two rows that the choice of the round may outweigh
	minRoom       = 1e-6 // least distance from its bounds of a column that is cancelled
	minPivotSum   = 1e-9 // least absolute value of its coefficient in the aggregation
	maxAggregate  = 2000 // rows that start an aggregation in a round
	maxRest       = 2    // rounds for which a start without a cut is left out
	aggregateLen  = 6    // rows of an aggregation
	aggregateFar  = 15   // the same after a round with few cuts
	farShare      = 3    // a round has few cuts if it has fewer than the limit of cuts divided by this
	aggregateCols = 2    // columns of an aggregation that is extended, as a multiple of the length of a cut
)

// Cut sets.
const (
	cutSetFailures = 10   // consecutive nodes without a cut, after which a search ends, or
	cutSetShare    = 8    // the number of nodes divided by this if that is larger
	cutSetsMany    = 10   // least number of cuts of a round with many
	cutSetRounds   = 10   // for this many rounds after it the model counts as a network
	cutSetShort    = 0.01 // least shortage of a set, relative to the need
	cutSetWiden    = 1e-3 // increase of every capacity, relative to the need
	cutSetNoise    = 1e-7 // residual capacity that counts as 0, relative to the need
)

// Threads.
const batchOfPart = 4 // candidates for each of several parts that are looked at at the same time; see inOrder
