package scenario

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Problem is a program with scenarios that is ready to be solved. It is read-only and may be shared.
type Problem struct {
	Name     string
	Maximize bool // the program given is a maximisation: costs are negated

	scenarios *twostage.Scenarios
	program   *stoch.Program
	master    *lp.Model
	weight    []float64 // probability of each scenario
	shortcut  func() (Shortcut, error)
}

// New checks a program and makes it ready, without its scenarios of probability 0. Integer columns of the recourse are
// refused.
func New(p *stoch.Program) (*Problem, error) {
	p = p.Possible()
	s, err := twostage.NewScenarios(p)
	if err != nil {
		return nil, prefixed(err)
	}
	q := &Problem{Name: p.Name, Maximize: p.Core.Maximize, scenarios: s, program: p, master: s.Master()}
	for k := range p.Scenarios {
		q.weight = append(q.weight, p.Scenarios[k].Probability)
	}
	return q, nil
}

// Stochastic returns the program, without scenarios of probability 0. It must not be changed.
func (p *Problem) Stochastic() *stoch.Program { return p.program }

// Master returns a copy of the first-stage model, as a minimisation.
func (p *Problem) Master() *lp.Model { return p.master.Clone() }

// Sizes of chunks and of groups. Neither depends on the number of threads. The number of groups of a relaxation is a
// multiple of that of a tree, so that a group of a tree is one or more of these. A relaxation needs few rounds with
// many epigraphs; a tree has many linear programs, and those with few epigraphs are small.
const (
	maxChunks    = 64  // linear programs that are kept
	ofRelaxation = 100 // epigraph columns
	maxTree      = 20
)

// ofTree is the largest number of epigraphs of a tree. Where a shortcut of the family prices many scenarios, trees are
// small and separation is nearly all of their time: a separation then has to say all that it knows. On r08.4 with 1000
// scenarios and a gap of 1% a tree took 27 s with 100 epigraphs and 60 with 20.
func (p *Problem) ofTree(aggregated bool) int {
	switch {
	case aggregated:
		return 1
	case p.shortcut != nil && len(p.weight) > ofRelaxation:
		return ofRelaxation
	}
	return maxTree
}

// groups splits the scenarios into at most limit groups of neighbours, of nearly equal sizes.
func groups(n, limit int) [][]int {
	count := min(n, limit)
	out := make([][]int, count)
	for s := range n {
		g := s * count / n
		out[g] = append(out[g], s)
	}
	return out
}

// each calls do for every number below n, by so many goroutines at a time (0 for one a processor), and returns the
// error of the least number.
func each(threads, n int, do func(k int) error) error {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	if threads = min(threads, n); threads <= 1 {
		for k := range n {
			if err := do(k); err != nil {
				return err
			}
		}
		return nil
	}

	// Goroutines draw the next number until there is none.
	errs := make([]error, n)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range threads {
		wait.Go(func() {
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				errs[k] = do(k)
			}
		})
	}
	wait.Wait()

	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
