package interior

// Internal constants, in the scaled form unless said otherwise.
const (
	// Linear systems. shift is added to the diagonal of the normal equations, keptPivot to that of kept columns, and
	// freePivot is the D of free columns. A solve is refined until its residual is at most refineTo relative to the
	// right-hand side, at most refineMost times, and while a step takes it below the fraction refineGain.
	shift         = 1e-20
	relativeShift = 1e-12
	relativePivot = 1e-14
	conjugateFrom = 1e2
	conjugateMost = 20
	keptPivot     = 1e-10
	freePivot     = 1e-8
	refineTo      = 1e-11
	refineMost    = 5
	refineGain    = 0.5

	// Kept columns. A column is dense if it has more than denseFactor times the entries of 99 columns in 100, at least
	// denseLength of them; where the squares of the lengths of these add up to more than denseShare for each entry of the
	// matrix, they are kept without a comparison. The augmented system, with all columns of more than augmentedLength entries kept, is analysed
	// where the squares of the lengths add up to more than augmentedShare for each entry. Another set of kept columns has
	// to save the fraction 1-keepGain of the operations. A pattern has at most maxPattern entries.
	denseFactor     = 10
	denseLength     = 10
	denseShare      = 30
	augmentedShare  = 20
	augmentedLength = 1
	keepGain        = 0.7
	maxPattern      = 400_000_000

	// Steps. A step goes the fraction stepBack of the way to the boundary. The centring parameter is at most maxCentring.
	// The iterations end where the violations are spoiledBy times those of the best iterate.
	// Corrections bring products of pairs within the factor spread of their target; each has to make the step longer by
	// the factor correctorGain.
	stepBack      = 0.9995
	maxCentring   = 0.1
	spread        = 10.0
	correctorGain = 1.05
	longerStep    = 2.0
	enoughStep    = 0.95
	minStep       = 1e-8
	maxCorrectors = 4
	maxIterations = 300
	startLeast    = 1e-3
	spoiledBy     = 1e3

	// Proofs that there is no optimum are looked for while tau is below the fraction proofTau of kappa, and hold to
	// proofTol relative to the contradiction.
	proofTau = 1e-3
	proofTol = 1e-9
	lastTau  = 1e-14

	// Presolve must remove the fraction presolveGain of rows and columns, as for the simplex method. An iterate with
	// violations of at most nearTol is worth a crossover even where the iterations have stalled. A point without a basis
	// is an answer if its residuals on the given model are at most pointTol.
	presolveGain  = 0.02
	exactEntries  = 10_000
	leastDistance = 10.0
	nearTol       = 1e-4
	pointTol      = 1e-6
)
