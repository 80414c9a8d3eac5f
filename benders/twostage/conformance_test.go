package twostage

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/conformance"
	"github.com/proxybd/proxybd/benders/proxy"
)

// fixture makes a fixture of a two-stage problem; block chooses the predicted rows, nil for the default.
func fixture(t testing.TB, p *Problem, o CompletionOptions) (*conformance.Fixture, error) {
	exact := func() *Exact {
		e, err := NewExact(p, DefaultExactOptions())
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	problem, err := exact().problem(context.Background())
	if err != nil {
		return nil, err
	}
	certifier := func() *Certifier {
		c, err := NewCertifier(p, o)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := certifier()
	f := &conformance.Fixture{
		Problem: func() *benders.Problem {
			b := *problem
			b.Recourse = exact().Recourse
			return &b
		},
		Compact:   p.Compact,
		Exact:     func() benders.Separator { return exact() },
		Certifier: func() proxy.Certifier { return certifier() },
		Check:     p.Check,
		Predict: func(rng *rand.Rand, y []float64) []float64 {
			lambda := make([]float64, len(c.rows))
			dual := map[int32]float64{}
			for _, q := range exact().pieces {
				if _, err := q.recourse.solve(context.Background(), y); err != nil {
					t.Fatal(err)
				}
				for k, i := range q.c.rows {
					if d := q.recourse.dual(); d != nil {
						dual[i] = d[k]
					}
				}
			}
			for k, i := range c.rows {
				if lambda[k] = dual[i] * (0.4 + rng.Float64()); rng.IntN(3) == 0 {
					lambda[k] += rng.NormFloat64()
				}
			}
			return lambda
		},
		Value: func(dst, prediction, y []float64) (float64, error) {
			if dst == nil {
				dst = make([]float64, len(prediction))
			}
			return c.Supergradient(context.Background(), dst, prediction, y)
		},
	}
	for _, i := range c.rows {
		f.Predicted = append(f.Predicted, int(i))
	}
	return f, nil
}

// TestConformance runs the suite on random programs with every choice of the predicted block.
func TestConformance(t *testing.T) {
	var total conformance.Count
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 52))
		m := randomModel(rng)
		p, err := New(m, firstOf(m), Options{Single: seed%3 == 0})
		if errors.Is(err, ErrProblem) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		o := CompletionOptions{Feasibility: seed%2 == 0}
		switch seed % 4 {
		case 1:
			o.Predicted = func(int) bool { return true }
		case 2:
			o.Predicted = func(row int) bool { return row%2 == 0 }
		case 3:
			linked := linkedRows(p)
			o.Predicted = func(row int) bool { return !linked[row] }
		}
		f, err := fixture(t, p, o)
		if errors.Is(err, ErrUnbounded) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		f.Name = fmt.Sprintf("seed %d", seed)
		conformance.Run(t, f, seed, &total)
	}
	t.Logf("%+v", total)
	if total.Cuts < 2000 || total.Projected < 50 || total.Smooth < 50 || total.Strongest < 50 || total.Infeasible < 50 {
		t.Errorf("%+v: the suite had little to look at", total)
	}
}

func linkedRows(p *Problem) []bool {
	out := make([]bool, len(p.Compact.Rows))
	for k := range p.parts {
		for _, t := range p.parts[k].link {
			out[p.parts[k].rows[t]] = true
		}
	}
	return out
}
