package interior

// Internal constants, in the scaled form unless said otherwise. Where no measurement is named, the value is the one
// that the literature uses or that the method was written with.
const (
	// Linear systems. The diagonal of the rows grows by the fraction relativeShift, and that of kept columns by keptPivot;
	// freePivot is the D of free columns. Rows over kept columns alone have the diagonal emptyPivot: with none they would
	// be taken for dependent rows, and 4node with 256 scenarios was open after 132 iterations. A pivot that has lost all
	// but the fraction relativePivot of its diagonal counts as a dependent row. With an absolute shift of 1e-10 for all
	// rows instead, stocfor3 stalls at 1e-3; with a relative one of 1e-12 a capacity expansion with 40 nodes takes 34 s
	// instead of 24, since its rows lose nearly all of their diagonals, and with none stocfor3 stalls. The pivots of kept
	// columns and of free ones shrink with what elimination leaves there, to the fraction leastShare: a capacity expansion
	// of 353,000 rows stays at primal violations of 1e-6 without that, and with a share of 1e-6 pilot-ja stalls.
	relativeShift = 1e-14
	keptPivot     = 1e-10
	freePivot     = 1e-8
	emptyPivot    = 1e-8
	leastShare    = 1e-4
	relativePivot = 1e-14

	// Where a residual stays above the fraction uselessFrom of the right-hand side, the shift grows by the factor
	// strongerShift, up to strongestShift, while each growth takes the residual below the fraction shiftGain of the last:
	// perold and pilot-ja stall without that.
	uselessFrom    = 1e-4
	strongerShift  = 100
	strongestShift = 1e-8
	shiftGain      = 0.1

	// A solve is refined until its residual is at most refineTo relative to the right-hand side, at most refineMost times,
	// and while a correction takes its norm below the fraction refineGain. The last mostCorrections are orthogonal.
	refineTo        = 1e-11
	refineMost      = 20
	refineGain      = 0.9
	mostCorrections = 10

	// Kept columns. A column is dense if it has more than denseFactor times the entries of 99 columns in 100, at least
	// denseLength of them. Where the squares of the lengths of these add up to more than denseShare for each entry of the
	// matrix, they are kept without a comparison. The augmented system, with all columns of more than augmentedLength
	// entries kept, is analysed where the squares of the other lengths add up to more than augmentedShare for each entry.
	// Another set of kept columns has to save the fraction 1-keepGain of the operations. A pattern has at most maxPattern
	// entries.
	denseFactor     = 10
	denseLength     = 10
	denseShare      = 30
	augmentedShare  = 20
	augmentedLength = 1
	keepGain        = 0.7
	maxPattern      = 400_000_000

	// Steps. A step goes the fraction stepBack of the way to the boundary; one below minStep is no progress. The centring
	// parameter is at most maxCentring: .3 takes 5 to 15% fewer iterations than .1 on programs of many periods or
	// scenarios, and 1% fewer on Netlib. Values and prices of the first iterate are at least startLeast.
	stepBack    = 0.9995
	minStep     = 1e-8
	maxCentring = 0.3
	startLeast  = 1e-3

	// Corrections aim at steps longerStep times as long, and bring the products of pairs there within the factor spread of
	// their target. Each has to make the steps longer by the factor correctorGain, and none is made where these are at
	// least enoughStep. There are at most maxCorrectors; one at least takes 10% off the iterations on Netlib.
	longerStep    = 2.0
	spread        = 10.0
	correctorGain = 1.05
	enoughStep    = 0.95
	maxCorrectors = 4

	// Before a crossover the iterations go on beyond the tolerance, for a quarter of their number at most, until the
	// products of all pairs add up to the fraction nearProducts of the objective. After an iteration that takes them to
	// the fraction fastFall of what they were, fastProducts is enough. They end where the products grow, and where a
	// violation is above nearMost times the tolerance. A capacity expansion of 104,000 rows needs no iteration of the
	// simplex method after its crossover then, and 2,500 otherwise, for seven more iterations of this method. The numbers
	// were chosen on 18 models (docs/engines.md).
	nearProducts = 1e-12
	fastFall     = 1.0 / 300
	fastProducts = 1e-10
	nearMost     = 10

	// Ends. A gap of the tolerance divided by smallGap, relative in the scaled form, is small enough where the objective
	// is a small difference of large terms. The iterations end without an optimum where the violations are spoiledBy times
	// those of the best iterate, and after maxIterations.
	smallGap      = 1e3
	spoiledBy     = 1e3
	maxIterations = 300

	// Proofs that there is no optimum are looked for while tau is below the fraction proofTau of kappa, and hold to
	// proofTol relative to the contradiction. A model whose proof never becomes valid is given up below lastTau.
	proofTau = 1e-3
	proofTol = 1e-9
	lastTau  = 1e-14

	// A proof is reported if rows and bounds have to be relaxed by more than leastDistance times the primal tolerance
	// before it fails, in the units of the model. Models of at most exactEntries rows times columns need a proof that
	// holds in doubled precision.
	leastDistance = 10.0
	exactEntries  = 10_000

	// SolveAuto takes this method from autoSize rows plus columns on, where a factorisation takes at most autoFlops
	// operations for each of them: relaxations of network design (r14.5) need 45,000, and are three times slower so than
	// by the simplex method; those of network design with scenarios need 14,000, and are faster. Of the models between
	// 20,000 and 40,000 rows plus columns the simplex method is up to three times faster on osa-07 and pds-06.
	autoSize  = 40_000
	autoFlops = 2e4

	// Presolve must remove the fraction presolveGain of rows and columns, as for the simplex method. An iterate with
	// violations of at most nearTol is worth a crossover even where the iterations have stalled. A point without a basis
	// is an answer if its residuals on the given model are at most pointTol.
	presolveGain = 0.02
	nearTol      = 1e-4
	pointTol     = 1e-6
)
