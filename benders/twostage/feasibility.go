package twostage

import (
	"context"
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

// completeFeasibility projects the predicted multipliers of every component to a feasibility certificate with
// multipliers of absolute sum at most one, completes them in the strongest way at y and returns the cuts of those that
// are not trivial there.
func (c *Certifier) completeFeasibility(ctx context.Context, prediction, y []float64) ([]benders.Cut, error) {
	var cuts []benders.Cut
	for _, q := range c.pieces {
		lambda, status, err := c.slice(ctx, q, prediction, y)
		if err != nil {
			return nil, err
		}
		if lambda == nil { // a prediction of zero is a trivial certificate
			continue
		}

		// Where the other rows alone contradict each other, their ray is the certificate.
		if status == lp.Infeasible {
			lambda = q.ray()
		}

		// A cut that cannot be certified is dropped and counted.
		cut, err := q.certify.feasibilityCut(lambda)
		if err != nil {
			c.dropped++
			continue
		}
		cuts = append(cuts, cut)
	}
	return cuts, nil
}

// slice returns the multipliers of all rows of a component, the projected prediction with its strongest completion at
// y, nil where there is nothing to project, and the status of the completion, whose primal solution is left in q.x.
func (c *Certifier) slice(ctx context.Context, q *completion, prediction, y []float64) ([]float64, lp.Status, error) {
	if q.sum(prediction) == 0 && len(q.predicted) > 0 {
		return nil, lp.NotSolved, nil
	}

	// The prediction in the size in which it is projected, with zero for the other rows.
	lambda := make([]float64, len(q.c.rows))
	scale := q.scale(prediction)
	for t, i := range q.predicted {
		lambda[i] = prediction[q.offset+t] / scale
	}

	// The nearest certificate, then its strongest completion at y.
	if err := q.project(ctx, lambda); err != nil {
		return nil, lp.NotSolved, err
	}
	status, err := q.solve(ctx, benders.Feasibility, lambda, y)
	return lambda, status, err
}

// scale is what a prediction is divided by before it is projected. An absolute sum of more than 1 is scaled down to it:
// the nearest multipliers of that sum, by absolute differences, would be vertices, and lose most of the rows.
func (q *completion) scale(prediction []float64) float64 {
	if q.opt.V1 || q.opt.Normalisation == Box {
		return 1
	}
	return max(1, q.sum(prediction))
}

// sum is the absolute sum of the predicted multipliers of a component.
func (q *completion) sum(prediction []float64) (sum float64) {
	for _, v := range prediction[q.offset:][:len(q.predicted)] {
		sum += math.Abs(v)
	}
	return sum
}

// project maps the predicted multipliers of a component to the nearest ones of a certificate.
func (q *completion) project(ctx context.Context, lambda []float64) error {
	if q.opt.V1 {
		return q.ontoV1(ctx, lambda)
	}
	return q.moveToNearest(ctx, benders.Feasibility, lambda)
}

// ontoV1 projects the predicted multipliers of a component, in the sense of least squares, onto V1(B) = {lambda >= 0 :
// B'lambda <= 0, sum lambda <= 1}, read for rows and columns with ranges (section 3.2); the others become 0. Under Box
// every multiplier is at most 1 in place of their sum.
func (q *completion) ontoV1(ctx context.Context, lambda []float64) (err error) {
	if q.v1 == nil {
		v1 := newPolytope(q.certify, benders.Feasibility, q.predicted, false, q.opt.Normalisation)
		if q.v1, err = newEuclidean(v1, q.predicted); err != nil {
			return err
		}
	}
	return q.v1.project(ctx, lambda)
}

// FeasibilitySupergradient returns what the feasibility certificate of a prediction is worth at y, the separation value
// of the slice, less half the squared distance of the prediction to it, and fills dst with the slope: the residual d(y)
// - B x of the predicted rows (section 4.1), and what draws the prediction back. A component whose other rows have no
// solution at y counts nothing.
func (c *Certifier) FeasibilitySupergradient(ctx context.Context, dst, prediction, y []float64) (float64, error) {
	total := 0.0
	for _, q := range c.pieces {
		clear(dst[q.offset:][:len(q.predicted)])

		// The certificate is the projection with its completion.
		lambda, status, err := c.slice(ctx, q, prediction, y)
		if err != nil {
			return 0, err
		}
		if lambda == nil { // the completion of none, for the slope
			lambda = make([]float64, len(q.c.rows))
			if status, err = q.solve(ctx, benders.Feasibility, lambda, y); err != nil {
				return 0, err
			}
		}
		if status != lp.Optimal {
			continue
		}

		// Its value and slope, if all bounds that it prices are finite.
		value := c.p.dualValue(benders.Feasibility, q.c, lambda, y)
		if !isFinite(value) {
			continue
		}
		q.residual(dst, lambda, y)
		total += value - q.penaliseDistance(dst, prediction, lambda)
	}
	return total, nil
}

// penaliseDistance adds to the slope in dst what draws a prediction to its projection lambda, and returns half the
// squared distance. A prediction that was scaled down gains nothing from a greater size.
func (q *completion) penaliseDistance(dst, prediction, lambda []float64) (lost float64) {
	sum := q.scale(prediction)
	along := 0.0 // product of the slope and the scaled prediction
	g := dst[q.offset:][:len(q.predicted)]
	for t, i := range q.predicted {
		v := prediction[q.offset+t] / sum
		d := v - lambda[i]
		lost += d * d / 2
		g[t] -= d
		along += g[t] * v
	}

	// A prediction p that was scaled to p/|p|_1 is the same whatever its size is: the part of the slope along p is taken
	// off.
	if sum > 1 {
		for t := range g {
			g[t] = (g[t] - along*math.Copysign(1, prediction[q.offset+t])) / sum
		}
	}
	return lost
}
