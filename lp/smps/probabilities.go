package smps

import (
	"fmt"
	"math"
	"slices"
)

// sumTolerance is how far from one probabilities may sum before there is a warning, absolute.
const sumTolerance = 1e-6

// finish checks the probabilities, once all realisations have inherited what they do not name.
func (s *stochParser) finish() error {
	p := s.p
	if len(p.Parts) == 0 && len(p.Scenarios) == 0 {
		return s.fail("", "", "nothing is random: there is no INDEP, BLOCKS or SCENARIOS section with data")
	}

	for k := range p.Parts {
		q := &p.Parts[k]
		if q.Law != nil {
			continue
		}

		// What a realisation does not name is as in the first one of its part.
		for i := range q.Outcomes {
			q.Outcomes[i].Changes = merge(q.Outcomes[0].Changes, q.Outcomes[i].Changes)
		}
		at := func(i int) *float64 { return &q.Outcomes[i].Probability }
		if err := s.normalise("of "+q.Name, len(q.Outcomes), at); err != nil {
			return err
		}

		// Outcomes that do not occur go once the others have inherited from the first one.
		n := len(q.Outcomes)
		q.Outcomes = slices.DeleteFunc(q.Outcomes, func(o Outcome) bool { return o.Probability == 0 })
		s.warnImpossible(n-len(q.Outcomes), "outcomes of "+q.Name)
	}
	if p.Scenarios == nil {
		return nil
	}

	// Scenarios inherit when the tree is made, which therefore leaves out those of probability 0.
	at := func(i int) *float64 { return &p.Scenarios[i].Probability }
	if err := s.normalise("of the scenarios", len(p.Scenarios), at); err != nil {
		return err
	}
	s.warnImpossible(p.impossible(), "scenarios")
	return nil
}

// warnImpossible warns of realisations that are left out, if there are any.
func (s *stochParser) warnImpossible(n int, of string) {
	if n > 0 {
		s.warnings = append(s.warnings, fmt.Sprintf("%s: %d %s with probability 0: left out", s.path, n, of))
	}
}

// normalise divides probabilities by their sum, with a warning if that is not one.
func (s *stochParser) normalise(of string, n int, at func(int) *float64) error {
	sum := 0.0
	for i := range n {
		sum += *at(i)
	}

	// Without a positive probability nothing can occur.
	if !(sum > 0) {
		return s.fail("", "", "the probabilities %s sum to %g", of, sum)
	}
	if math.Abs(sum-1) > sumTolerance {
		s.warnings = append(s.warnings,
			fmt.Sprintf("%s: the probabilities %s sum to %.9g: they are divided by it", s.path, of, sum))
	}

	// A small difference is rounding of the file, and goes without a warning.
	for i := range n {
		*at(i) /= sum
	}
	return nil
}
