//go:build ablation

package main

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// run is a solve with its incumbents; what was not reached by the limit is at the limit.
type run struct {
	res         bnb.Result
	work, first float64 // in all, and at the first incumbent
	integral    float64
	at, values  []float64 // work and objective of the incumbents
}

func solve(m *lp.Model, off string, limit float64, root bool) (r run, err error) {
	opt := bnb.DefaultOptions()
	opt.MaxWork = limit
	if err := opt.Without(off); err != nil {
		return r, err
	}
	if root {
		opt.MaxNodes = 1
		if err := opt.Without("heuristics"); err != nil {
			return r, err
		}
	}
	res, err := bnb.Solve(context.Background(), m, opt, bnb.Hooks{Progress: func(p bnb.Progress) {
		if p.Incumbent {
			r.at, r.values = append(r.at, p.Work), append(r.values, p.Objective)
		}
	}})
	if err != nil {
		return r, fmt.Errorf("%s without %s: %w", m.Name, off, err)
	}
	r.res, r.work, r.first = res, limit, limit
	if r.solved() {
		r.work = math.Min(res.Work, limit)
	}
	if len(r.at) > 0 {
		r.first = math.Min(r.at[0], limit)
	}
	return r, nil
}

func (r *run) solved() bool {
	return r.res.Status == lp.Optimal || r.res.Status == lp.Infeasible
}

func (r *run) primalIntegral(best, limit float64) float64 {
	sum, at, gap := 0.0, 0.0, 1.0
	for k, w := range r.at {
		w = math.Min(w, limit)
		sum += gap * (w - at)
		at = w
		gap = 0
		if d := math.Abs(r.values[k] - best); d > 1e-9*math.Abs(best) {
			gap = math.Min(1, d/math.Max(math.Abs(r.values[k]), math.Abs(best)))
		}
	}
	if r.solved() {
		sum, gap = sum+gap*math.Max(0, r.work-at), 0
	}
	return (sum + gap*(limit-at)) / limit
}

// sums compares a configuration with the full solver.
type sums struct {
	pairs, solved, points  int
	work, first, integrals moments
}

// moments of a sample.
type moments struct{ n, sum, squares float64 }

func (m *moments) add(v float64) { m.n, m.sum, m.squares = m.n+1, m.sum+v, m.squares+v*v }

func (m *moments) mean() float64 { return m.sum / m.n }

// deviation is the standard error of the mean.
func (m *moments) deviation() float64 {
	return math.Sqrt(math.Max(0, m.squares/m.n-m.mean()*m.mean()) / math.Max(1, m.n-1))
}

func (s *sums) add(r, full *run) {
	const shift = 1e6
	s.pairs++
	if r.solved() {
		s.solved++
	}
	if r.res.X != nil {
		s.points++
	}
	s.work.add(math.Log((r.work + shift) / (full.work + shift)))
	s.first.add(math.Log((r.first + shift) / (full.first + shift)))
	s.integrals.add(r.integral - full.integral)
}

func (s *sums) String() string {
	percent := func(m *moments) string {
		return strconv.FormatFloat(100*math.Expm1(m.mean()), 'f', 1, 64) + "% ± " +
			strconv.FormatFloat(100*m.deviation(), 'f', 1, 64)
	}
	return "work " + percent(&s.work) + ", to the first incumbent " + percent(&s.first) + ", primal integral " +
		strconv.FormatFloat(s.integrals.mean(), 'f', 5, 64) + " ± " +
		strconv.FormatFloat(s.integrals.deviation(), 'f', 5, 64) +
		", solved " + strconv.Itoa(s.solved) + ", points " + strconv.Itoa(s.points) + " of " + strconv.Itoa(s.pairs)
}

func foundBy(res *bnb.Result) string {
	var list []string
	for k := range res.Parts {
		if n := res.Parts[k].Found; n > 0 {
			list = append(list, bnb.Part(k).String()+" "+strconv.Itoa(n))
		}
	}
	return strings.Join(list, ",")
}
