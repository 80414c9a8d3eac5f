package scenario

// parameters are the numbers that separation and the relaxation go by.
type parameters struct {
	// Separation.
	smallWave    int     // chunks that are solved between two looks at whether the cuts are enough; see waveOf
	depthShare   float64 // part of the depth of the last exact cuts that is enough
	minViolation float64 // of a cut that counts, relative to its scale: more than any driver asks for

	// The mean scenario and the relaxation.
	marginCost  float64 // part of the mean scenario's recourse cost that a margin of its multipliers may cost
	maxSlackAge int     // rounds after which a slack cut leaves the relaxation, where the bound has risen

	// Where linear programs begin.
	maxStartBytes     int // bytes of the bases of scenarios
	basisChangePivots int // pivots that a change of basis costs
	exploreEvery      int // every exploreEvery-th chunk begins in the way that looks worse
	trialMemory       int // linear programs after which the cost of a way to begin counts half
}

var params = parameters{
	smallWave:    8,
	depthShare:   0.25,
	minViolation: 1e-5,

	marginCost:  0.02,
	maxSlackAge: 20,

	maxStartBytes:     1 << 28,
	basisChangePivots: 3,
	exploreEvery:      32,
	trialMemory:       500,
}
