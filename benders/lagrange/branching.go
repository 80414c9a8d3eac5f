package lagrange

import "github.com/proxybd/proxybd/benders"

// Largest branches on the column that the average point opens most, and opens it first.
type Largest struct{}

// Choose implements Rule.
func (Largest) Choose(v *Volume, known *Columns) (column int, first State) {
	column = -1
	for j, state := range known.State {
		if state == Undecided && (column < 0 || v.Average[j] > v.Average[column]) {
			column = j
		}
	}
	return column, Open
}

// Learn implements Rule.
func (Largest) Learn(int, State, float64) {}

// PseudoCosts branch on the column whose two branches promise to raise the bound most, by what they have done before
// (Benichou et al. 1971), and first where the average point is. What a column has not been tried for is taken from its
// cost.
type PseudoCosts struct {
	*benders.PseudoCosts
	cost []float64 // of each column
}

// NewPseudoCosts returns the rule for columns of the given costs.
func NewPseudoCosts(cost []float64) *PseudoCosts {
	return &PseudoCosts{benders.NewPseudoCosts(len(cost)), cost}
}

// Choose implements Rule.
func (p *PseudoCosts) Choose(v *Volume, known *Columns) (column int, first State) {
	column, score := -1, -1.0
	room := known.UB - v.Bound
	for j, state := range known.State {
		if state != Undecided {
			continue
		}

		// The product of both gains, so that a column that helps in one branch alone counts little.
		product := p.promise(j, Closed, v.Average[j], room) * p.promise(j, Open, 1-v.Average[j], room)
		if product > score {
			column, score = j, product
		}
	}
	if column >= 0 && v.Average[column] < 0.5 {
		return column, Closed
	}
	return column, Open
}

// promise is what a branch that moves the column by a share is expected to gain.
func (p *PseudoCosts) promise(j int, to State, share, room float64) float64 {
	const prior = 2 // gains that the guess counts as
	guess := min(room, (share+1e-3)*p.cost[j])
	return max(1e-3*room, p.Mean(j, int(to-Closed), guess, prior))
}

// Learn implements Rule.
func (p *PseudoCosts) Learn(column int, to State, gain float64) {
	p.Add(column, int(to-Closed), gain)
}
