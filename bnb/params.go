package bnb

// Internal constants. What users may change is in Options. Numbers without another source were chosen by hand.

// Tolerances of objective values and points.
const (
	// numericTol is the relative accuracy (to max(1, |objective|)) at which two objective values count
	// as equal: a node within it of the incumbent cannot hold a better point that the LP could distinguish.
	numericTol = 1e-9

	// sumNoise is the relative rounding error of the objective of a point.
	sumNoise = 1e-12

	// leafTol is the relative difference between the LP bound of a node whose integer columns are all
	// fixed and the objective of the point accepted there that counts as rounding.
	leafTol = 1e-6

	// lpTighter is the factor by which the LP (in scaled units) is solved to smaller tolerances than points are verified.
	lpTighter = 100

	// roundingNoise is the distance by which rounding may move an integer column without the continuous columns being
	// optimised again for the rounded point.
	roundingNoise = 1e-9

	// maxSafeInteger is the size of a value beyond which integrality of a float64 means nothing.
	maxSafeInteger = 1e15
)

// Proofs: bounds and infeasibility from duals.
const (
	// bigDual is the reduced cost below which the infinite bound of its column does not spoil a proof of infeasibility.
	bigDual = 1e-9

	// farkasTol is the margin, relative to the largest term, by which a Farkas ray must prove infeasibility.
	farkasTol = 1e-9

	// weakShare divides the feasibility tolerance: a proof of infeasibility is weak if sides relaxed by the quotient
	// refute it.
	weakShare = 1e6

	// fixingSlack is added to the number of steps that a reduced cost leaves an integer column, before it is rounded
	// down.
	fixingSlack = 1e-6

	// integralBoundTo is the distance from an integer up to which a derived bound of an integer column counts as that
	// integer.
	integralBoundTo = 1e-6
)

// Branching.
const (
	strongLookahead = 8    // probed columns in a row without a better score, after which probing at a node ends
	strongMaxCands  = 100  // columns probed at one node at most
	strongRefuted   = 100  // refuted directions at one node, beyond one for each integer column, after which it is split
	strongFree      = 2000 // LP iterations that probes may use beyond their share of those of nodes: see probing
	scoreEps        = 1e-6 // least gain of a child, in units of the objective, in the product score
)

// Node selection.
const (
	boundEvery = 10 // every tenth selection from the queue takes the node of the best bound, else of the best estimate

	// Once a share of at least stalledShare of all nodes, and of at least stalledNodes, has brought no better point,
	// every second selection is by bound. Measured on 8 long MIPLIB models: .96 of the gap at the same work.
	stalledBoundEvery = 2
	stalledShare      = 0.3
	stalledNodes      = 200

	// Plunges. The fraction and the gap were measured on 13 MIPLIB 3 models with three seeds: 124 nodes instead of 129.
	// closedLeast was chosen on MIPLIB 3 and fctp; on 26 models of MIPLIB 2017 with three permutations it lowers the gap
	// at a limit of work by 1.2 points (docs/engines.md).
	minPlunge       = 5    // depth below its start up to which a plunge goes on whatever the bounds are
	upFraction      = 0.2  // fractional part of the LP value from which a plunge goes up
	nearIncumbent   = 1e-3 // relative gap up to which a plunge goes towards the incumbent instead
	leastQuota      = 0.25 // beyond minPlunge: largest (bound - best)/(cutoff - best) at which a plunge goes on,
	closedLeast     = 0.02 // once the tree has closed that share of the gap at its root; up to 1 before
	maxPlungeFactor = 1.0  // longest plunge once an incumbent is known, as a multiple of the depth of the deepest node
)

// Cut rows of the LP.
const (
	ageLimit      = 8    // LP solves in a row with a basic logical after which a cut row leaves the LP
	rootCutAge    = 3    // the same at the root where this package separates; measured with other changes on 32 models
	ageDoublings  = 1    // times that the age limit doubles for a hook's cut that comes back to the LP
	purgeShare    = 0.1  // share of the cut rows that must be old before rows are deleted
	purgeMin      = 20   // number of rows that must be old before rows are deleted
	roundBase     = 1000 // user cuts added in one round are at most roundBase + columns/2
	duplicateTol  = 1e-11
	crossing      = 1e-7 // length by which the sides of parallel rows may cross, relative to max(1, |side|)
	lazyInLPRelax = 10   // factor on CutViolation from which a cut that the LP holds already rejects a leaf's point
)

// Cut rounds at a node. The loop ends after a number of rounds in a row without progress.
const (
	rootStall    = 10   // such rounds at the root, where a user hook separates
	nodeStall    = 1    // such rounds at a node
	rootProgress = 5e-5 // relative gain of the bound that counts as progress at the root
	nodeProgress = 2e-4 // relative gain of the bound that counts as progress at a node
	poolRounds   = 50   // rounds at one node in which cuts of the pool alone make the LP be solved again

	// The rounds at a node in which new bounds cut its point off, after which it has no more heuristics. Most of these
	// bounds come from dives without a feasible point.
	failedRounds = 100

	// A node with the LP value of its parent, to flatRise relative, where a hook separates, has flatStall such rounds.
	// Measured on stochastic facility location: 3133 nodes instead of 8615. At every node it was slower on small models.
	flatStall = 8
	flatRise  = 1e-5

	// The root where this package separates. Progress is cutProgress of the gain of all rounds so far. The numbers of
	// rounds were measured on 32 MIPLIB 3 models, together with a rule for aggregations: .92 of the CPU time.
	cutStall             = 10
	cutProgress          = 0.01
	maxRoundsWithoutGain = 4  // instead of cutStall where no round has gained anything,
	manyRows             = 10 // unless the last round has found a cut for every tenth row (neos-3381206-awhea)

	// lateStall takes the place of cutStall once lateClosed of the gap between the first LP and the incumbent is closed
	// and the relative gap left is at most lateGap (without the latter the root of mc11 ended at 11278, not 11394).
	lateStall  = 3
	lateClosed = 0.8
	lateGap    = 0.01
)

// The pool of cuts outside the LP. Looking at it part by part was measured on capacitated masters with 3000 lazy cuts:
// the share of the time outside the LP fell from 33.6 to 26.6%. The numbers were chosen by hand.
const (
	parts        = 64 // the pool has that many parts: one of them is checked at each fractional point
	partMin      = 32 // cuts of a part at least
	poolChunk    = 64 // cuts of the pool that a candidate is checked against first; each further step takes twice as many
	screenDense  = 2  // cells per entry of the matrix of the cuts up to which it is made
	screenSparse = 4  // cells per entry beyond which the matrix is given up
)

// Points that are offered as incumbents.
const (
	pointDepth      = 20  // points of one answer of a hook, with those that the lazy hook answers them with, at most
	startRepairs    = 200 // LP solves spent at most to complete one MIP start
	pointRepairs    = 20  // LP solves spent at most to complete a point from a hook
	heuristicRepair = 10  // LP solves spent at most to complete a heuristic's point where there is a lazy hook
)

// Propagation.
const (
	propagateRows  = 20    // row evaluations of one call at most, as a multiple of the rows,
	propagateMin   = 2000  // plus this number
	continuousGain = 0.1   // share of its domain that a derived bound must take from a continuous column
	reachMargin    = 1e-9  // error of a running activity, relative to its range
	activityError  = 1e-12 // the same where the activity tightens bounds
	hugeBound      = 1e9   // size beyond which derived bounds are dropped
)

// Heuristics.
const (
	heuristicShare = 0.15 // LP iterations that dives may use, as a share of those of nodes,
	heuristicFree  = 1000 // plus this number
	diveEvery      = 10   // nodes between two dives
	diveSteps      = 100  // steps of a dive at most, plus two for each column
	diveBacktracks = 2    // infeasible fixings that one dive may replace by the opposite one
	diveLazyRounds = 20   // cut rounds at the leaf of a dive
	roundEvery     = 20   // nodes between two propagation roundings; doubled up to 64 times this where they find nothing
	roundingEffort = 1e7  // entries of rows beyond which a rounding fixes what is at its bound in one go (nw04 took 20 s)
)
