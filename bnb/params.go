package bnb

// Internal constants. What users may want to change is in Options.
const (
	// numericTol is the relative accuracy (to max(1, |objective|)) at which two objective values count
	// as equal: a node within it of the incumbent cannot hold a better point that the LP could tell.
	numericTol = 1e-9

	// sumNoise is the relative rounding error of the objective of a point.
	sumNoise = 1e-12

	// leafTol is the relative difference between the LP bound of a node whose integer columns are all
	// fixed and the objective of the point accepted there that counts as rounding.
	leafTol = 1e-6

	// lpTighter is how much tighter the LP (in scaled units) is solved than points are verified.
	lpTighter = 100

	// roundingNoise is how far rounding may move an integer column without the continuous columns being
	// optimised again for the rounded point.
	roundingNoise = 1e-9

	// Branching.
	strongLookahead = 8    // strong-branching candidates in a row without a better score
	strongMaxCands  = 100  // candidates evaluated at one node
	strongFree      = 2000 // iterations that probes may use beyond their share: see probing
	scoreEps        = 1e-6 // least gain in the product score

	// Node selection.
	boundEvery        = 10   // every so many selections the node with the best bound is taken
	stalledBoundEvery = 2    // the same where the last nodes have brought no better point:
	stalledShare      = 0.3  // so large a share of them
	stalledNodes      = 200  // of at least so many
	minPlunge         = 5    // a plunge goes on at least that deep below its start
	upFraction        = 0.2  // fractional part from which a plunge goes up
	nearIncumbent     = 1e-3 // gap from which it goes towards the incumbent instead
	plungeQuota       = 0.25 // beyond it only while (bound - best)/(cutoff - best) is at most this
	maxPlungeFactor   = 1.0  // of the deepest node: a plunge ends beyond it once an incumbent is known

	// Cut rows.
	ageLimit        = 8    // LP solves with a basic logical before a cut row leaves the LP
	ownAge          = 3    // the same at the root where this package separates
	ageDoublings    = 1    // times that this doubles for a hook's cut that comes back
	purgeShare      = 0.1  // share of the cut rows that must be old before rows are deleted
	purgeMin        = 20   // and their least number
	roundBase       = 1000 // user cuts added in one round at most: roundBase + columns/2
	duplicateTol    = 1e-11
	crossing        = 1e-7 // by which the sides of parallel rows may cross, relative to max(1, |side|)
	rootStall       = 10   // root rounds in a row without progress before the loop ends
	nodeStall       = 1    // the same at a node
	flatStall       = 8    // and at one where a hook separates and branching has not raised the bound
	flat            = 1e-5 // relative rise up to which it has not
	ownStall        = 10   // the same where this package separates
	ownIdle         = 4    // and where no round has gained anything
	manyRows        = 10   // unless the last one has found a cut for one in so many rows
	ownClosed       = 0.8  // share of the gap between the first LP and the incumbent that is most of it
	ownNear         = 0.01 // relative gap that may be left
	ownLate         = 3    // rounds without progress beyond that
	ownProgress     = 0.01 // share of the gain of all rounds so far that counts as progress there
	rootProgress    = 5e-5 // relative gain of the bound that counts as progress at the root
	nodeProgress    = 2e-4 // and at a node
	parts           = 64   // of the pool: one of them is looked at a fractional point
	partMin         = 32   // and at least so many cuts
	poolChunk       = 64   // cuts of the pool that a candidate is shown before the first look at what it violates
	screenDense     = 2    // cells of a matrix of the cuts for an entry, at most, where it is made
	screenSparse    = 4    // and where it is given up
	poolRounds      = 50   // rounds at one node in which cuts of the pool alone ask for a new solve
	lazyInLPFactor  = 10   // a cut that the LP holds already must be violated by so many times CutViolation
	pointDepth      = 20   // calls of the lazy hook that the points of one answer may cause
	startRepairs    = 200  // LP solves spent to complete one MIP start
	pointRepairs    = 20   // the same for a point from a hook
	heuristicRepair = 10   // the same for a point of our own heuristics

	// Propagation.
	propagateRows  = 20   // row evaluations per call, as a multiple of the rows
	propagateMin   = 2000 // and at least
	continuousGain = 0.1  // share of the domain that a continuous bound must gain
	reachMargin    = 1e-9 // error of a running activity, relative to its range
	hugeBound      = 1e9  // bounds beyond it are not derived

	// Heuristics.
	heuristicShare  = 0.15 // of the LP iterations of nodes that dives may use
	heuristicFree   = 1000 // iterations that dives may use beyond that share
	diveEvery       = 10   // nodes between two dives
	roundEvery      = 20   // nodes between two propagation roundings
	roundingEffort  = 1e7  // entries of rows that a propagation rounding may look at
	diveSteps       = 100  // steps of a dive at most, beside two a column
	diveBacktracks  = 2    // infeasible fixings that a dive may turn round
	diveLazyRounds  = 20   // cut rounds at the leaf of a dive
	maxSafeInteger  = 1e15 // beyond it integrality of a float means nothing
	bigDual         = 1e-9 // a reduced cost below it counts as zero in a safe bound
	weakShare       = 1e6  // a proof of infeasibility is weak where sides relaxed by the tolerance over this refute it
	farkasTol       = 1e-9 // relative margin by which a Farkas ray must prove infeasibility
	fixingSlack     = 1e-6 // added to a quotient before it is rounded down to a bound
	integralBoundTo = 1e-6 // the same for bounds derived by propagation
)
