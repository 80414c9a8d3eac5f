package scenario

import "github.com/proxybd/proxybd/simplex"

// starts says where linear programs begin, where certificates are shared. A basis that is optimal for a scenario is
// dual feasible for all, so the one behind the best certificate of a scenario at a point is a good place to begin, and
// where it is optimal there is nothing left to do: that is bunching (Birge and Louveaux, Introduction to Stochastic
// Programming, 5.4), with the product of the pool in place of products with the inverses of bases. A scenario whose
// own last certificate is still its best one goes on from its own last basis, since with degenerate bases many have
// the same certificate. Where scenarios that follow each other are alike it is better to go on from one to the next;
// which is better is measured, in pivots, as the run goes.
type starts struct {
	own   []behind // of each scenario; nil where that is too much to keep
	tried [2]trial // going on, and beginning at the basis of a certificate
	waves int
}

// behind is a certificate of a scenario with the basis that it is of.
type behind struct {
	of    int // number of the certificate
	basis *simplex.Basis
}

// trial is what a way to begin has cost.
type trial struct{ programs, pivots int }

func newStarts(p *Problem) *starts {
	s := &starts{}
	if m := p.program.Core; len(p.weight)*(len(m.Cols)+len(m.Rows)) <= params.maxStartBytes {
		s.own = make([]behind, len(p.weight))
	}
	return s
}

// choose sets in which way the chunks of a wave begin, of which the first one has this number.
func (t *starts) choose(list []*chunk, first int) {
	if t == nil {
		return
	}
	on, jump := t.tried[0], t.tried[1]
	jumps := on.programs == 0 || jump.programs == 0 || jump.pivots*on.programs <= on.pivots*jump.programs
	for k, c := range list {
		c.jumps = jumps != ((first+k+t.waves)%params.exploreEvery == 0)
	}
	t.waves++
}

// of returns the basis at which a scenario begins, after the pool was asked at the point; nil where it goes on.
func (t *starts) of(p *pool, s int) *simplex.Basis {
	best := p.duals[p.by[s]]
	if t.own != nil && t.own[s].of == best.number {
		return t.own[s].basis
	}
	return best.basis
}

// note keeps the basis with which the linear program of a scenario ended.
func (t *starts) note(s int, of *pooled, basis *simplex.Basis) {
	if of == nil || basis == nil {
		return
	}
	if of.basis == nil {
		of.basis = basis
	}
	if t.own != nil {
		t.own[s] = behind{of.number, basis}
	}
}

// learn counts what the programs of a chunk have cost.
func (t *starts) learn(jumped bool, programs, pivots int) {
	k := 0
	if jumped {
		k = 1
	}
	q := &t.tried[k]
	if q.programs += programs; q.programs > params.trialMemory {
		q.programs, q.pivots = q.programs/2, (q.pivots+pivots)/2
		return
	}
	q.pivots += pivots
}
