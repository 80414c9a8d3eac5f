package assess

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/proxybd/proxybd/benders/integer"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Costs are the costs of a design: the first stage's and the recourse's together.
type Costs struct {
	First       float64   // of the first stage alone
	Scenario    []float64 // of each scenario, NaN where it has no recourse, or the probability 0
	Probability []float64 // of each scenario
	Infeasible  int       // scenarios that occur and have no recourse
}

// RoundDesign returns the design with its integer columns rounded. The error of one that violates a bound, an
// integrality or a row of the first stage wraps ErrDesign and names it. Rows that only say that all scenarios have a
// recourse (stoch.Program.FirstImplied) are left out: how many have one is what an evaluation finds.
func RoundDesign(p *stoch.Program, y []float64) ([]float64, error) {
	s, err := twostage.NewScenarios(p.ContinuousRecourse())
	if err != nil {
		return nil, err
	}

	// The recourse plays no part: a design may be one of the program and have no recourse in some scenario.
	m := s.Master()
	for k := range m.Rows {
		if p.FirstImplied {
			m.Rows[k].Lower = -lp.Inf
			m.Rows[k].Upper = lp.Inf
		}
	}
	if y, err = m.Rounded(y); err != nil {
		return nil, fmt.Errorf("assess: %w: %w", ErrDesign, inner(err))
	}
	return y, nil
}

// Evaluate prices a design in every scenario, one linear program after the other, or one mixed-integer program where
// the recourse has integer columns. Scenarios of probability 0 do not occur: they are not priced, and need no recourse.
func Evaluate(ctx context.Context, p *stoch.Program, y []float64) (*Costs, error) {
	r, err := NewPricer(p)
	if err != nil {
		return nil, err
	}
	parts := make([][]float64, r.Ranges())
	for k := range parts {
		if parts[k], err = r.Price(ctx, y, k); err != nil {
			return nil, err
		}
	}
	return r.Costs(y, parts)
}

// Pricer prices designs by ranges of the scenarios of a program. The costs of a range depend on the range and the
// design alone, so that goroutines and processes may price ranges in any order. It may be used by several goroutines.
type Pricer struct {
	p    *stoch.Program
	s    *twostage.Scenarios // nil where the recourse has integer columns
	size int                 // scenarios of a range
}

// Scenarios of a range. Linear programs of a range follow each other from basis to basis; a mixed-integer program
// begins anew, and may take long.
const (
	linearRange  = 64
	integerRange = 1
)

// NewPricer checks a program and makes it ready.
func NewPricer(p *stoch.Program) (*Pricer, error) {
	if p.IntegerRecourse() {
		return &Pricer{p: p, size: integerRange}, nil
	}
	s, err := twostage.NewScenarios(p)
	if err != nil {
		return nil, err
	}
	return &Pricer{p: p, s: s, size: linearRange}, nil
}

// Ranges returns the number of ranges.
func (r *Pricer) Ranges() int { return (len(r.p.Scenarios) + r.size - 1) / r.size }

// Price returns the recourse costs of a design in the scenarios of range k, NaN for a scenario that has no recourse or
// the probability 0.
func (r *Pricer) Price(ctx context.Context, y []float64, k int) ([]float64, error) {
	if k < 0 || k >= r.Ranges() || len(y) != r.p.First {
		return nil, fmt.Errorf("assess: range %d of %d for a design of %d columns: the program has %d", k, r.Ranges(),
			len(y), r.p.First)
	}
	first := k * r.size
	end := min(first+r.size, len(r.p.Scenarios))
	costs := make([]float64, end-first)
	for s := range costs {
		costs[s] = math.NaN()
	}
	if r.s == nil {
		return costs, r.priceInteger(ctx, y, first, costs)
	}

	// A view minimises. The context is polled once for each scenario.
	view, err := r.s.View()
	if err != nil {
		return nil, err
	}
	sign := sense(r.p.Core.Maximize)
	for s := range costs {
		if r.p.Scenarios[first+s].Probability == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := view.Set(first + s); err != nil {
			return nil, err
		}
		q, feasible, err := view.Value(ctx, y)
		if err != nil {
			return nil, fmt.Errorf("assess: scenario %s: %w", r.p.ScenarioName(first+s), inner(err))
		}
		if feasible {
			costs[s] = sign * q
		}
	}
	return costs, nil
}

// priceInteger is Price for a program with integer recourse.
func (r *Pricer) priceInteger(ctx context.Context, y []float64, first int, costs []float64) error {
	err := integer.OutcomesOf(ctx, r.p, y, first, first+len(costs), func(s int, cost float64, x []float64) error {
		if x != nil {
			costs[s-first] = cost
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("assess: %w", inner(err))
	}
	return nil
}

// Costs returns the costs of a design from the recourse costs of all ranges, in their order.
func (r *Pricer) Costs(y []float64, parts [][]float64) (*Costs, error) {
	c := newCosts(r.p, y)
	recourse := slices.Concat(parts...)
	if len(recourse) != len(c.Scenario) {
		return nil, fmt.Errorf("assess: costs of %d scenarios: the program has %d", len(recourse), len(c.Scenario))
	}
	for s, q := range recourse {
		switch {
		case !math.IsNaN(q):
			c.Scenario[s] = c.First + q
		case c.Probability[s] > 0:
			c.Infeasible++
		}
	}
	return c, nil
}

// newCosts returns the costs of a design without those of the scenarios, which are NaN. Those of the first stage are
// the same in all scenarios, in the sense of the program.
func newCosts(p *stoch.Program, y []float64) *Costs {
	c := &Costs{First: p.Core.Offset}
	for j, v := range y {
		c.First += p.Core.Cols[j].Cost * v
	}
	for k := range p.Scenarios {
		c.Scenario = append(c.Scenario, math.NaN())
		c.Probability = append(c.Probability, p.Scenarios[k].Probability)
	}
	return c
}

// Mean returns the expectation, NaN where a scenario has no recourse.
func (c *Costs) Mean() float64 {
	// A scenario that does not occur is NaN, and left out; of one that occurs NaN makes the mean NaN.
	sum := 0.0
	for k, v := range c.Scenario {
		if c.Probability[k] > 0 {
			sum += c.Probability[k] * v
		}
	}
	return sum
}

// ordered returns the scenarios that occur from the best to the worst; maximize: high costs are good.
func (c *Costs) ordered(maximize bool) []int {
	// The others have no cost.
	var order []int
	for k, w := range c.Probability {
		if w > 0 {
			order = append(order, k)
		}
	}

	// The sort is stable, so that equal costs are in the order of the scenarios.
	slices.SortStableFunc(order, func(a, b int) int {
		if maximize {
			a, b = b, a
		}
		return cmp.Compare(c.Scenario[a], c.Scenario[b])
	})
	return order
}

// Tail returns the value at risk at level alpha, the least cost that is not exceeded with this probability, a scenario
// with that cost, and the conditional value at risk, the mean of the worst 1 - alpha. They are NaN and -1 where a
// scenario has no recourse.
func (c *Costs) Tail(alpha float64, maximize bool) (quantile float64, scenario int, conditional float64) {
	if c.Infeasible > 0 {
		return math.NaN(), -1, math.NaN()
	}

	// From the worst scenario to the best; at the level 1 the tail is the worst one.
	order := c.ordered(maximize)
	slices.Reverse(order)
	if alpha >= 1 {
		return c.Scenario[order[0]], order[0], c.Scenario[order[0]]
	}

	// From the worst scenario on, until the probabilities add up to 1 - alpha: the last one counts with a part of its own.
	// Where rounding leaves a rest behind the best scenario, that one is the quantile.
	left := 1 - alpha
	sum := 0.0
	for _, k := range order {
		scenario = k
		if c.Probability[k] >= left {
			sum += left * c.Scenario[k]
			break
		}
		left -= c.Probability[k]
		sum += c.Probability[k] * c.Scenario[k]
	}
	return c.Scenario[scenario], scenario, sum / (1 - alpha)
}

// Worst returns the scenario with the worst cost; a scenario without a recourse is the worst.
func (c *Costs) Worst(maximize bool) int {
	for k, v := range c.Scenario {
		if math.IsNaN(v) && c.Probability[k] > 0 {
			return k
		}
	}

	// All costs that count are known, so that they can be compared.
	order := c.ordered(maximize)
	return order[len(order)-1]
}

// Interval is a confidence interval of an expectation.
type Interval struct {
	Mean, Low, High float64
	Deviation       float64 // of a single value
	Count           int
	Level           float64 // of confidence
}

// Sample returns the confidence interval of independent values by Student's distribution. One value has no interval.
func Sample(values []float64, level float64) Interval {
	out := Interval{
		Count:     len(values),
		Level:     level,
		Mean:      math.NaN(),
		Low:       math.NaN(),
		High:      math.NaN(),
		Deviation: math.NaN(),
	}
	if len(values) == 0 {
		return out
	}
	out.Mean = stat.Mean(values, nil)
	if len(values) < 2 {
		return out
	}

	// The deviation is the estimate from the sample, with n - 1 degrees of freedom.
	out.Deviation = stat.StdDev(values, nil)
	half := out.half()
	out.Low = out.Mean - half
	out.High = out.Mean + half
	return out
}

// half returns half the length of the interval: the quantile times the standard error of the mean.
func (i Interval) half() float64 {
	return student(i.Count-1, i.Level) * i.Deviation / math.Sqrt(float64(i.Count))
}

// student returns the quantile of Student's distribution for a two-sided interval of this confidence.
func student(freedom int, level float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: float64(freedom)}.Quantile(0.5 + level/2)
}

// Equal reports whether all scenarios are equally likely, as those of a sample are.
func (c *Costs) Equal() bool {
	const rounding = 1e-9 // of probabilities in a file
	differs := func(p float64) bool { return math.Abs(p-c.Probability[0]) > rounding }
	return !slices.ContainsFunc(c.Probability, differs)
}
