package ufl

import (
	"math"

	"github.com/proxybd/proxybd/benders"
)

// units scale an instance whose costs are so small or so large that the absolute tolerances of linear
// programming would decide, by a power of two, which is exact. Everything that a run reports is scaled
// back; cuts that a recorder sees are in the units of the run.
type units struct{ exponent int } // a cost c of the instance is c / 2^exponent in the run

// unitsOf keeps the units of an instance with a design whose known cost is between 1 and 2^40, and brings
// others to about 2^10.
func unitsOf(known float64) units {
	if known == 0 || known >= 1 && known <= 1<<40 {
		return units{}
	}
	return units{math.Ilogb(known) - 10}
}

func (u units) back(v float64) float64 { return math.Ldexp(v, u.exponent) }

func (u units) scale(in *Instance) *Instance {
	if u.exponent == 0 {
		return in
	}
	out := in.Clone()
	for _, costs := range [][]float64{out.Fixed, out.Cost} {
		for k, c := range costs {
			costs[k] = math.Ldexp(c, -u.exponent)
		}
	}
	return out
}

// options wraps the callbacks, so that they are told of costs in the units of the instance.
func (u units) options(o SolveOptions) SolveOptions {
	if u.exponent == 0 {
		return o
	}
	if told := o.Benders.Progress; told != nil {
		o.Benders.Progress = func(p benders.Progress) {
			p.Objective, p.Bound, p.TrueCost = u.back(p.Objective), u.back(p.Bound), u.back(p.TrueCost)
			told(p)
		}
	}
	if told := o.Tree.Progress; told != nil {
		o.Tree.Progress = func(p TreeProgress) {
			p.Incumbent, p.Bound = u.back(p.Incumbent), u.back(p.Bound)
			told(p)
		}
	}
	if told := o.Prepared; told != nil {
		o.Prepared = func(p Prepared) {
			p.Design.Cost, p.Bound, p.Fixing.UB = u.back(p.Design.Cost), u.back(p.Bound), u.back(p.Fixing.UB)
			p.Tree.Design.Cost, p.Tree.Bound = u.back(p.Tree.Design.Cost), u.back(p.Tree.Bound)
			told(p)
		}
	}
	if told := o.Ended; told != nil {
		o.Ended = func(p benders.Phase) { told(u.phase(p)) }
	}
	return o
}

func (u units) phase(p benders.Phase) benders.Phase {
	p.Objective, p.Bound = u.back(p.Objective), u.back(p.Bound)
	return p
}

func (u units) result(r *benders.Result) {
	for k, p := range r.Phases {
		r.Phases[k] = u.phase(p)
	}
	r.Objective, r.Bound, r.Terminal = u.back(r.Objective), u.back(r.Bound), u.back(r.Terminal)
}
