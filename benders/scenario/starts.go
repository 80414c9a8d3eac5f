package scenario

// starts says where linear programs begin, where certificates are shared. A basis that is optimal for a scenario is
// dual feasible for all, so the one behind the best certificate of a scenario at a point is a good place to begin, and
// where it is optimal there is nothing left to do: that is bunching (Birge and Louveaux, Introduction to Stochastic
// Programming, 5.4), with the product of the pool in place of products with the inverses of bases. A scenario whose
// own last certificate is still its best one goes on from its own last basis, since with degenerate bases many have
// the same certificate. Where scenarios that follow each other are alike it is better to go on from one to the next;
// which is better is measured, in pivots, as the run goes.
type starts struct {
	own   []ownBasis // of each scenario; nil where that is too much to keep
	on    trial      // of going on from one scenario to the next
	jump  trial      // of beginning at the basis of a certificate
	waves int        // of chunks so far
}

// ownBasis is the last basis of a scenario, with the certificate that it gave.
type ownBasis struct {
	of    int // number of the certificate
	basis *namedBasis
}

// trial is the cost of a way to begin: the number of linear programs and of their pivots.
type trial struct{ programs, pivots int }

// newStarts returns the starts of a run that has solved no linear program yet.
func newStarts(p *Problem) *starts {
	// A basis has a byte for each column and row.
	s := &starts{}
	if m := p.frame.Core; len(p.weight)*(len(m.Cols)+len(m.Rows)) <= params.maxStartBytes {
		s.own = make([]ownBasis, len(p.weight))
	}
	return s
}

// choose sets in which way the chunks of a wave begin; first is the number of the first chunk.
func (t *starts) choose(list []*chunk, first int) {
	if t == nil {
		return
	}

	// The way with fewer pivots a linear program, compared by products; without a trial of both, the bases.
	untried := t.on.programs == 0 || t.jump.programs == 0
	jumps := untried || t.jump.pivots*t.on.programs <= t.on.pivots*t.jump.programs

	// Now and then a chunk begins in the other way, so that its cost stays known.
	for k, c := range list {
		c.jumps = jumps != ((first+k+t.waves)%params.exploreEvery == 0)
	}
	t.waves++
}

// of returns the basis at which a scenario begins, after the pool was priced at the point; nil where it goes on from
// the scenario before.
func (t *starts) of(p *pool, s int) *namedBasis {
	// The scenario's own basis comes first, where it gave the certificate that is its best one here.
	best := p.duals[p.by[s]]
	if t.own != nil && t.own[s].of == best.number {
		return t.own[s].basis
	}
	return best.basis
}

// note keeps the basis with which the linear program of a scenario ended.
func (t *starts) note(s int, of *pooled, basis *namedBasis) {
	if of == nil || basis == nil {
		return
	}
	if of.basis == nil {
		of.basis = basis
	}

	// The scenario's own basis is kept too, since several bases may give the same certificate.
	if t.own != nil {
		t.own[s] = ownBasis{of.number, basis}
	}
}

// learn counts what the linear programs of a chunk have cost.
func (t *starts) learn(jumped bool, programs, pivots int) {
	q := &t.on
	if jumped {
		q = &t.jump
	}
	q.programs += programs
	q.pivots += pivots

	// What is long ago counts less and less.
	if q.programs > params.trialMemory {
		q.programs /= 2
		q.pivots /= 2
	}
}
