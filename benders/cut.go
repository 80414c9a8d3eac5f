package benders

import (
	"context"
	"math"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/internal/outward"
)

// Kind distinguishes the two kinds of cut.
type Kind uint8

const (
	Optimality  Kind = iota // theta_Theta >= Alpha + Beta'y
	Feasibility             // 0 >= Alpha + Beta'y
)

// Certificate is the dual-feasible vector behind a cut. Families have their own; it holds enough to
// rebuild the cut in exact arithmetic.
type Certificate interface {
	// Kind says which cone the vector lies in.
	Kind() Kind
	// Vector returns the predicted block of the dual as float64, the data from which the cut is
	// completed. It must not be changed.
	Vector() []float64
}

// Multipliers is a certificate that is all multipliers of a kind, in the order of the family.
type Multipliers struct {
	Of     Kind
	Values []float64
}

// Kind implements Certificate.
func (m *Multipliers) Kind() Kind { return m.Of }

// Vector implements Certificate.
func (m *Multipliers) Vector() []float64 { return m.Values }

// AllEpigraphs as Cut.Theta means the sum over all epigraph columns: an aggregated cut.
const AllEpigraphs = -1

// Cut is a valid inequality in master space: see Kind. Index and Beta list the nonzero slopes. The
// coefficients are rounded outward, so that the inequality is implied by the certificate in exact
// arithmetic for every y in [0,1]^n (package internal/outward).
type Cut struct {
	Kind        Kind
	Theta       int // epigraph index of an optimality cut, or AllEpigraphs
	Alpha       float64
	Index       []int32
	Beta        []float64
	Certificate Certificate
}

// Value returns Alpha + Beta'y.
func (c *Cut) Value(y []float64) float64 {
	v := c.Alpha
	for k, j := range c.Index {
		v += c.Beta[k] * y[j]
	}
	return v
}

// ValueDown returns a lower bound on the exact Value.
func (c *Cut) ValueDown(y []float64) float64 {
	var d outward.Dot
	d.Add(c.Alpha, 1)
	for k, j := range c.Index {
		d.Add(c.Beta[k], y[j])
	}
	low, _ := d.Interval()
	return low
}

// Scale returns what a violation of the cut at y is held against, t being the value of its epigraphs: the epigraphs or
// one, or the side, but not more of that than Size. A large side alone is no reason to allow more: the cut may be a
// small difference.
func (c *Cut) Scale(y []float64, t float64) float64 {
	return max(1, math.Abs(t), min(math.Abs(c.Alpha), c.Size(y)))
}

// Size returns the least scale in which a violation at y is larger than the rounding of a linear program in the largest
// term and in the largest slope.
func (c *Cut) Size(y []float64) float64 {
	const (
		rounding = 1e-3 // of the largest term: below it a violation may be rounding
		enforced = 0.05 // of the largest slope: a linear program enforces a row to a tolerance of its scaled row
	)
	term, slope := math.Abs(c.Alpha), 0.0
	for k, j := range c.Index {
		b := math.Abs(c.Beta[k])
		slope, term = max(slope, b), max(term, b*math.Abs(y[j]))
	}
	return max(rounding*term, enforced*slope)
}

// At returns the side of an optimality cut at the epigraph values theta: that of its epigraph, or the sum of all. For a
// feasibility cut it is 0.
func (c *Cut) At(theta []float64) (side float64) {
	switch {
	case c.Kind == Feasibility:
		return 0
	case c.Theta != AllEpigraphs:
		return theta[c.Theta]
	}
	return sumFrom(0, theta)
}

// sumFrom adds numbers to a first one, in their order.
func sumFrom(first float64, list []float64) float64 {
	for _, v := range list {
		first += v
	}
	return first
}

// Violated reports whether (y, theta) violates the cut by more than eps, relative to its scale there. Scale is at least
// max(1, |t|), which is compared first since it is cheaper.
func (c *Cut) Violated(y, theta []float64, eps float64) bool {
	t := c.At(theta)
	v := c.Value(y) - t
	return v > eps*max(1, math.Abs(t)) && v > eps*c.Scale(y, t)
}

// Row returns the cut as a row of a master with the given number of columns before its epigraphs: theta_k - beta'y >=
// alpha, or -beta'y >= alpha.
func (c *Cut) Row(columns, epigraphs int) bnb.Cut {
	// An optimality cut has its slopes and one entry for each epigraph that it bounds.
	first, last := c.Theta, c.Theta
	switch {
	case c.Kind == Feasibility:
		first, last = 0, -1
	case c.Theta == AllEpigraphs:
		first, last = 0, epigraphs-1
	}
	size := len(c.Index) + last - first + 1
	r := bnb.Cut{
		Lower: c.Alpha,
		Upper: math.Inf(1),
		Index: make([]int32, 0, size),
		Value: make([]float64, 0, size),
	}
	for k, j := range c.Index {
		r.Index = append(r.Index, j)
		r.Value = append(r.Value, -c.Beta[k])
	}

	// The epigraphs of the cut have coefficients of one.
	for k := first; k <= last; k++ {
		r.Index = append(r.Index, int32(columns+k))
		r.Value = append(r.Value, 1)
	}
	return r
}

// Point is where a separator makes cuts. It is read-only.
type Point struct {
	Y       []float64 // where to separate
	Theta   []float64 // the master's epigraph values there, one an epigraph
	Integer bool      // Y is a design of the master, not a fractional point
	From    []float64 // the master's point that cuts have to cut off, nil for Y
}

// Target returns the point of the master that cuts have to cut off.
func (p *Point) Target() []float64 {
	if p.From != nil {
		return p.From
	}
	return p.Y
}

// Separation is a separator's answer at a point.
type Separation struct {
	Cuts []Cut // valid cuts; the driver keeps those that are violated

	// Value is the certified lower bound on Q(Y) (its sum over the epigraphs). Exact says that it is Q(Y)
	// itself, up to the outward rounding. Infeasible says that a feasibility cut proves that Y has no recourse.
	Value      float64
	Exact      bool
	Infeasible bool

	// Projected counts predictions that were not finite and had to be projected (0 for an exact one).
	Projected int

	Source Source // what made the cuts
	Times  Times  // what the call took, in its parts
	Uses   Uses   // of a Hybrid: which of its separators gave the answer
}

// Separator makes cuts. Separate must be deterministic; it is called from one goroutine.
type Separator interface {
	Separate(ctx context.Context, p Point) (Separation, error)
	// Source says what its cuts come from.
	Source() Source
}
