package benders

// PseudoCosts are the mean gains of the bound by branching on each column, down (side 0) and up (side 1) (Benichou et
// al., Mathematical Programming 1, 1971). A search that uses them decides whether gains are those of whole branches or
// per unit of change.
type PseudoCosts struct {
	sum   [2][]float64 // of the gains, by side and column
	count [2][]float64 // of these
}

// NewPseudoCosts returns pseudo-costs of n columns without any gains.
func NewPseudoCosts(n int) *PseudoCosts {
	return &PseudoCosts{sum: [2][]float64{make([]float64, n), make([]float64, n)},
		count: [2][]float64{make([]float64, n), make([]float64, n)}}
}

// Add adds the gain of a branch on column j.
func (p *PseudoCosts) Add(j, side int, gain float64) {
	p.sum[side][j] += gain
	p.count[side][j]++
}

// Count returns the number of gains of column j.
func (p *PseudoCosts) Count(j, side int) int { return int(p.count[side][j]) }

// Mean returns the mean of the gains of column j and of a guess, which counts as a number of gains.
func (p *PseudoCosts) Mean(j, side int, guess, number float64) float64 {
	return (p.sum[side][j] + number*guess) / (p.count[side][j] + number)
}
