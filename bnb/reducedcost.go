package bnb

import "math"

// rootFixing remembers the last LP of the root, so that every new incumbent can tighten the global
// bounds by its reduced costs.
type rootFixing struct {
	price, lower, upper []float64
	objective           float64
	known               bool
}

// record keeps the LP just solved at the root.
func (f *rootFixing) record(s *search) {
	f.price = append(f.price[:0], s.point.price...)
	f.lower = append(f.lower[:0], s.lp.lower...)
	f.upper = append(f.upper[:0], s.lp.upper...)
	f.objective, f.known = s.point.objective, true
}

// fixGlobally tightens bounds in the whole tree: a move away from the bound at the root that costs
// more than the distance to the incumbent cannot pay.
func (s *search) fixGlobally() {
	if !s.root.known {
		return
	}
	slack := s.inc.strict - s.root.objective
	for _, j := range s.p.ints {
		c, ok := priced(j, s.root.price[j], slack, s.root.lower[j], s.root.upper[j])
		if ok {
			s.dom.tightenGlobal(c)
		}
	}
}

// fixLocally does the same with the LP of the current node, for its subtree.
func (s *search) fixLocally() {
	slack := s.inc.strict - s.point.objective
	if math.IsInf(slack, 1) {
		return
	}
	for _, j := range s.p.ints {
		if s.dom.fixed(j) {
			continue
		}
		if c, ok := priced(j, s.point.price[j], slack, s.lp.lower[j], s.lp.upper[j]); ok {
			s.dom.tighten(c)
		}
	}
}

// priced returns the bound that the reduced cost d of an integer column leaves, where the LP had the
// bounds lower and upper and the objective may rise by slack.
func priced(j int32, d, slack, lower, upper float64) (change, bool) {
	if math.Abs(d) < 1e-7 || slack < 0 || math.IsInf(slack, 1) {
		return change{}, false
	}
	steps := math.Floor(slack/math.Abs(d) + fixingSlack)
	if d > 0 && lower+steps < upper {
		return change{j, true, lower + steps}, true
	}
	if d < 0 && upper-steps > lower {
		return change{j, false, upper - steps}, true
	}
	return change{}, false
}
