package benders

import (
	"context"
	"time"
)

// Source is what cuts come from, as logs and results name it.
type Source string

const (
	FromExact      Source = "exact"      // the exact dual
	FromAggregated Source = "aggregated" // the exact dual, one cut on the sum
	FromProxy      Source = "proxy"      // certified predictions
	FromHybrid     Source = "hybrid"     // predictions, and the exact dual where these cut nothing off
	FromKnown      Source = "known"      // cuts of an earlier run
	FromCutSets    Source = "cut sets"   // inequalities of the family, in addition to those of the recourse
)

// Proves reports whether a separator of this source accepts a design only with its exact recourse cost.
func (s Source) Proves() bool { return s == FromExact || s == FromAggregated || s == FromHybrid }

// Times splits the time of a separation.
type Times struct {
	Prediction time.Duration // the network
	Completion time.Duration // projection, completion and cut assembly
	Exact      time.Duration // the exact dual
}

func (t *Times) add(o Times) {
	t.Prediction += o.Prediction
	t.Completion += o.Completion
	t.Exact += o.Exact
}

// Step is called before the separator of a chain. It returns cuts that are added to those of the separator, or a final
// answer, after which nothing else is called.
type Step func(ctx context.Context, p Point) (s Separation, final bool, err error)

// Chain returns a separator that calls the steps in their order and then a separator, which may be a chain. The source
// of the chain is that of the separator; an answer has the source of whatever made it.
func Chain(last Separator, steps ...Step) Separator { return &chain{last, steps} }

type chain struct {
	last  Separator
	steps []Step
}

// Source implements Separator.
func (c *chain) Source() Source { return c.last.Source() }

// Separate implements Separator.
func (c *chain) Separate(ctx context.Context, p Point) (Separation, error) {
	var cuts []Cut // of the steps so far
	for _, step := range c.steps {
		s, final, err := step(ctx, p)

		// A final answer has the cuts of the steps before it too.
		if err != nil || final {
			s.Cuts = append(s.Cuts, cuts...)
			return s, err
		}
		cuts = append(cuts, s.Cuts...)
	}

	// No step was final: value and exactness are those of the separator.
	s, err := ask(ctx, c.last, p)
	s.Cuts = append(s.Cuts, cuts...)
	return s, err
}

// ask calls a separator. An answer that does not say so itself has the source of the separator, and one of an exact
// separator the time of the call.
func ask(ctx context.Context, sep Separator, p Point) (Separation, error) {
	began := time.Now()
	s, err := sep.Separate(ctx, p)
	if s.Source == "" {
		s.Source = sep.Source()
	}
	if s.Source.Proves() && s.Times == (Times{}) {
		s.Times.Exact = time.Since(began)
	}
	return s, err
}
