package proxy_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
)

// fixed predicts the same vector everywhere.
type fixed struct {
	values []float64
	err    error
}

func (f fixed) Predict(_, prediction []float64) error {
	copy(prediction, f.values)
	return f.err
}

// box certifies Q(y) = max { lambda'(1 - y) : 0 <= lambda <= 1 }: its projection is onto the box.
type box struct{ dim int }

func (b box) Dim() int { return b.dim }

func (b box) Project(prediction []float64) (notFinite int) {
	for k, v := range prediction {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			notFinite++
		}
		if math.IsNaN(v) {
			v = 0
		}
		prediction[k] = min(1, max(0, v))
	}
	return notFinite
}

func (b box) Complete(projected []float64, p benders.Point) (benders.Separation, error) {
	c := benders.Cut{}
	for k, v := range projected {
		c.Alpha += v
		c.Index, c.Beta = append(c.Index, int32(k)), append(c.Beta, -v)
	}
	return benders.Separation{Cuts: []benders.Cut{c}, Value: c.Value(p.Y)}, nil
}

func TestSeparatorPredictsProjectsAndCompletes(t *testing.T) {
	s := proxy.NewSeparator(fixed{values: []float64{0.25, 7, -3, math.NaN(), math.Inf(1)}}, box{5})
	p := benders.Point{Y: []float64{0, 0.5, 0, 0, 1}, Theta: []float64{0}}
	got, err := s.Separate(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	// The prediction is projected to (0.25, 1, 0, 0, 1): a value of 0.25 + 0.5 + 0 at the point.
	if got.Projected != 2 || len(got.Cuts) != 1 || got.Cuts[0].Alpha != 2.25 || got.Value != 0.75 {
		t.Errorf("got %+v", got)
	}
	if got.Exact || got.Infeasible || s.Source() != benders.FromProxy {
		t.Errorf("a proxy claims too much: %+v", got)
	}
	if got.Times.Prediction < 0 || got.Times.Completion <= 0 || got.Times.Exact != 0 {
		t.Errorf("times %+v", got.Times)
	}
}

// TestSeparatorsDoNotShareCertificates separates twice; the first answer must not change.
func TestSeparatorsDoNotShareCertificates(t *testing.T) {
	values := []float64{0.5, 0.5}
	s := proxy.NewSeparator(fixed{values: values}, box{2})
	p := benders.Point{Y: []float64{0, 0}}
	first, err := s.Separate(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	alpha := first.Cuts[0].Alpha
	values[0] = 0.9
	if _, err := s.Separate(context.Background(), p); err != nil || first.Cuts[0].Alpha != alpha {
		t.Errorf("the first cut became %+v, %v", first.Cuts[0], err)
	}
}

func TestPredictionErrorsAreReported(t *testing.T) {
	boom := errors.New("boom")
	s := proxy.NewSeparator(fixed{values: []float64{1}, err: boom}, box{1})
	if _, err := s.Separate(context.Background(), benders.Point{Y: []float64{0}}); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
}
