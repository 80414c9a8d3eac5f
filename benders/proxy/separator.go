// Package proxy replaces the exact solve of a recourse problem by a certified prediction: a network
// predicts a block of the dual, a family's certifier projects and completes it, and the cuts are valid
// for any prediction (paper, sections 2.1 and 4.2). Training maximises the certified value by its
// supergradient, which needs no labels (section 4.1), unless a family defines another loss: that of
// mcndp is the distance to prices which supergradient steps have found before training.
package proxy

import (
	"context"
	"fmt"
	"time"

	"github.com/proxybd/proxybd/benders"
)

// Predictor predicts the free block of the dual of one instance's recourse at a point. Prediction has
// one entry a predicted multiplier and is overwritten; its entries may be anything, NaN and infinities
// included.
type Predictor interface {
	Predict(y, prediction []float64) error
}

// Certifier is the projection and completion of one instance. The validity of cuts depends on nothing
// else.
type Certifier interface {
	// Dim returns the number of predicted multipliers.
	Dim() int

	// Project maps the prediction, in place, to the nearest vector that can be completed, and returns
	// how many entries were not finite. Those are projected too, never passed on.
	Project(prediction []float64) (notFinite int)

	// Complete completes a projected prediction in the strongest way and returns the valid cuts and the
	// certified value at the point, a lower bound on the recourse cost. It may keep the slice.
	Complete(projected []float64, p benders.Point) (benders.Separation, error)
}

// Separator makes certified cuts from predictions. It implements benders.Separator.
//
// A prediction that is not finite never reaches a cut: the certifier projects it, and the number of
// such entries is reported in Separation.Projected and in the result of a run.
type Separator struct {
	predictor Predictor
	certifier Certifier
}

// NewSeparator returns a separator for the instance that both arguments were made for.
func NewSeparator(p Predictor, c Certifier) *Separator {
	return &Separator{predictor: p, certifier: c}
}

// Source implements benders.Separator.
func (s *Separator) Source() benders.Source { return benders.FromProxy }

// Separate predicts, projects and completes at p.Y.
func (s *Separator) Separate(_ context.Context, p benders.Point) (benders.Separation, error) {
	// Predict.
	start := time.Now()
	lambda := make([]float64, s.certifier.Dim())
	if err := s.predictor.Predict(p.Y, lambda); err != nil {
		return benders.Separation{}, fmt.Errorf("proxy: prediction: %w", err)
	}

	// Project and complete. Cuts are valid from here on, whatever was predicted.
	predicted := time.Now()
	projected := s.certifier.Project(lambda)
	out, err := s.certifier.Complete(lambda, p)
	out.Projected = projected
	out.Times = benders.Times{Prediction: predicted.Sub(start), Completion: time.Since(predicted)}
	return out, err
}
