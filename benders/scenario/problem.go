package scenario

import (
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/internal/parallel"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Problem is a program with scenarios that is ready to be solved. It is read-only and may be shared.
type Problem struct {
	name     string
	maximize bool // the program given is a maximisation: costs are negated

	scenarios *twostage.Scenarios      // the recourse, from which chunks take their views
	frame     *stoch.Program           // as given, without scenarios of probability 0; others may be without changes
	master    *lp.Model                // the first stage, minimised
	weight    []float64                // probability of each scenario
	shortcut  func() (Shortcut, error) // makes that of one chunk, nil for none
	export    *Export                  // of shortcuts, nil where they cannot be made in another process
	noCopy    bool                     // the master of a tree is without the mean scenario
	team      Team                     // has the chunks of runs, nil where they are in this process
	watch     func(begin bool)         // see WithWatch
}

// New checks a program and makes it ready, without its scenarios of probability 0. Integer columns of the recourse are
// refused.
func New(p *stoch.Program) (*Problem, error) {
	// A scenario of probability 0 adds nothing to the objective, and its recourse may be infeasible.
	return NewLazy(p.Possible().Lazy())
}

// NewLazy is New for a program whose scenarios are read one at a time, none of which has probability 0.
func NewLazy(l *stoch.Lazy) (*Problem, error) {
	s, err := twostage.NewLazyScenarios(l)
	if err != nil {
		return nil, prefixed(err)
	}

	// Everything after this is a minimisation: the master and the views have negated costs where need be.
	p := s.Frame()
	q := &Problem{
		name:      p.Name,
		maximize:  p.Core.Maximize,
		scenarios: s,
		frame:     p,
		master:    s.Master(),
	}
	for k := range p.Scenarios {
		q.weight = append(q.weight, p.Scenarios[k].Probability)
	}
	return q, nil
}

// probability is the sum of the probabilities of the scenarios, which is one up to the tolerance of stoch.Program.
func (p *Problem) probability() (total float64) {
	for _, w := range p.weight {
		total += w
	}
	return total
}

// Stochastic returns the program, without scenarios of probability 0. It must not be changed. Each call may make it
// anew, of the compact form in which a problem has its scenarios: where there are many, it takes much more memory.
func (p *Problem) Stochastic() *stoch.Program { return p.scenarios.Full() }

// Frame returns the program whose scenarios may be without their changes. It must not be changed.
func (p *Problem) Frame() *stoch.Program { return p.frame }

// masterCopy returns a copy of the first-stage model, as a minimisation, which the caller may change.
func (p *Problem) masterCopy() *lp.Model { return p.master.Clone() }

// Numbers of groups. None depends on the number of threads. The number of groups of a relaxation is a
// multiple of that of a tree, so that a group of a tree is one or more of these. A relaxation needs few rounds with
// many epigraphs; a tree has many linear programs, and those with few epigraphs are small.
const (
	ofRelaxation = 100 // epigraph columns of a relaxation
	maxTree      = 20  // epigraph columns of a tree, but see ofTree
)

// ofTree is the largest number of epigraphs of a tree. Where a shortcut of the family prices many scenarios, trees are
// small and separation is nearly all of their time: a separation then has to return all cuts that it has. On r08.4 with
// 1000 scenarios and a gap of 1% a tree took 27 s with 100 epigraphs and 60 with 20.
func (p *Problem) ofTree(aggregated bool) int {
	switch {
	case aggregated:
		return 1
	case p.shortcut != nil && len(p.weight) > ofRelaxation:
		return ofRelaxation
	}
	return maxTree
}

// chunks returns the scenarios of each chunk.
func (p *Problem) chunks() [][]int { return parallel.Parts(len(p.weight), ChunksOf(len(p.weight))) }

// Scenarios returns the recourse of the program, one scenario at a time. It must not be changed.
func (p *Problem) Scenarios() *twostage.Scenarios { return p.scenarios }

// Groups returns the scenarios of each epigraph of a tree.
func (p *Problem) Groups(aggregated bool) [][]int {
	return parallel.Parts(len(p.weight), p.ofTree(aggregated))
}

// Chunks returns the number of parts into which runs divide the scenarios.
func (p *Problem) Chunks() int { return ChunksOf(len(p.weight)) }

// WithWatch makes runs call watch where work of this process begins and ends that its threads share, and returns the
// problem: for measurements.
func (p *Problem) WithWatch(watch func(begin bool)) *Problem {
	p.watch = watch
	return p
}

// share has numbered jobs done by the threads of this process. They have no errors.
func (p *Problem) share(threads, jobs int, do func(k int)) {
	if p.watch != nil {
		p.watch(true)
		defer p.watch(false)
	}
	_ = parallel.Each(threads, jobs, func(k int) error {
		do(k)
		return nil
	})
}
