package simplex

// Internal constants. Tolerances are absolute in the scaled model unless said otherwise. Where no measurement is named,
// the value is the one that the solver was written with, within the range that the literature uses, and has not been
// tuned.
const (
	// Factorisation: which entries may be pivots (Suhl and Suhl 1990). A pivot has at least the size pivotTol and the
	// fraction thresholdFirst of the largest entry of its column, or thresholdLast in a recovery, where stability is
	// worth more than sparsity. Entries of factors and results of solves below dropTol are taken for rounding. A search
	// for a pivot ends after markowitzSearch columns and rows.
	pivotTol        = 1e-10
	dropTol         = 1e-14
	markowitzSearch = 4
	thresholdFirst  = 0.1
	thresholdLast   = 0.5

	// Hyper-sparse solves (Gilbert and Peierls 1988) are used while the right-hand side has at most the share
	// hyperInput of its entries and results had less than the share hyperResult of late. densityRate is the weight of
	// the newest result in that running density.
	hyperInput  = 0.05
	hyperResult = 0.10
	densityRate = 0.05

	// A basis of at most inverseRows rows has a dense inverse. inverseEntries of its entries are one unit of work.
	inverseRows    = 64
	inverseEntries = 4

	// Threads. A solve for tau is begun ahead of the pivot from this running work on, some 20 microseconds; what the
	// other thread has to read and write takes some of them, too.
	aheadWork = 5000.0

	// Refactorisation. The clock decides (see clock), with a unit of the work of a factorisation counted as buildFactor
	// of a solve. Only numerical reasons end the updates before minUpdates of them; the most is maxUpdates and one more
	// for each updatesRows rows, but at most updatesCap (with 1000 instead of 5000 the crossover of storm with 1000
	// scenarios, which has 526,000 rows, takes 24 s instead of 8). A new pivot may differ from the entry of the entering
	// column, or of the pivotal row, by the fraction updateTol.
	maxUpdates  = 200
	updatesRows = 50
	updatesCap  = 5000
	minUpdates  = 10
	buildFactor = 8.0
	updateTol   = 1e-6

	// Pricing. The pivotal row is computed by rows of the matrix while the row of the inverse has at most the share
	// rowPriceDensity of its entries (up to there it was as fast as by columns), and with a pattern of the result while
	// the entries touched are at most the share hyperPrice of the number of columns.
	rowPriceDensity = 0.9
	hyperPrice      = 0.1

	// Dual ratio test. Entries of the pivotal row below alphaTol are no candidates, or below alphaTolFar after
	// farUpdates updates; below alphaTolLast they do not block a column that nothing else blocks before it is called a
	// ray (one of 2e-10 did turn a ray off). A pivot below smallPivot is used only straight after a factorisation. The
	// pivots by row and by column may differ by the fraction alphaRelDiff, and by alphaRelDiffFresh where the values
	// are fresh.
	alphaTol          = 1e-9
	alphaTolFar       = 1e-7
	alphaTolLast      = 1e-11
	farUpdates        = 10
	smallPivot        = 1e-5
	alphaRelDiff      = 1e-7
	alphaRelDiffFresh = 1e-3

	// Stalling. The costs are perturbed after stallBase iterations without progress, and one more for each stallRows
	// rows, at most maxPerturbations times in one Solve. Progress is at least the fraction stallTol of the objective.
	stallBase        = 300
	stallRows        = 4
	stallTol         = 1e-10
	maxPerturbations = 6

	// Perturbation where few costs differ: wideFactor times the usual size where the number of different costs is less
	// than the share wideDistinct of the columns. qap12, with 20 costs of 8856, takes 62,000 pivots instead of 137,000.
	wideFactor   = 1000.0
	wideDistinct = 0.01

	// Perturbation of one cold solve of boxed columns: boxedFactor times the usual size where at least the share
	// wideFree of the columns has no cost and the share wideBoxed two bounds. grow22 takes 704 pivots instead of 1269;
	// 10 or 100 times for all models made some much worse (d6cube 25,861 pivots instead of 371).
	boxedFactor = 100.0
	wideFree    = 0.85
	wideBoxed   = 0.9

	// Perturbation of one cold solve of small costs: where at least the share mostFree of the columns has no cost, a
	// cost of zero moves by freeUnit at least, 40 times the usual dual tolerance. pilot takes 3876 pivots instead of
	// 4805, pilot87 7155 instead of 8316; work over 84 models times 0.974.
	mostFree = 0.8
	freeUnit = 4e-6

	// Loops. The clock and the context are looked at every pollEvery pivots, and a limit of the objective that was not
	// reached with the costs of the model again after objectiveEvery. An attempt makes at most maxRounds calls of the
	// dual and the primal loop, and a call of the primal loop at most primalMost pivots for each variable, where Netlib
	// takes a few: rounding can make the objective fall without end. A row whose stored edge weight was below the
	// fraction weightLow of the true one is chosen again. Free variables have the bounds -boxSize and boxSize in phase
	// 1. Entries of a ray below the fraction cleanRayDrop of its largest one are dropped.
	pollEvery      = 32
	objectiveEvery = 20
	maxRounds      = 20
	primalMost     = 200
	weightLow      = 0.25
	boxSize        = 1e3
	cleanRayDrop   = 1e-9
)
