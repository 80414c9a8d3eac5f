package cuts

import (
	"slices"
	"sync"
)

// Separators are divided among threads. Each thread has a part: a generator of its own that reads the same model, LP
// rows and variable bounds, and has its own sums and cuts. Aggregations, which begin at many rows, are divided by rows.
// Whether a candidate for a cut set or a Gomory cut is looked at depends on how many of the last ones have failed: some
// are looked at ahead, and the cuts of a round are the same as with one thread (see inOrder) unless its work is
// limited. What a part does depends on the number of parts and not on their speed, so that the cuts of a round are the
// same on every run.

// newParts returns g and as many further parts as there are threads beyond the first.
func (g *Generator) newParts(threads int) []*Generator {
	parts := []*Generator{g}
	for len(parts) < threads {
		parts = append(parts, g.newPart())
	}
	return parts
}

// newPart returns a part of g.
func (g *Generator) newPart() *Generator {
	v := *g.v
	part := &Generator{
		m:     g.m,
		opt:   g.opt,
		v:     &v,
		vb:    g.vb,
		mir:   newMIR(&v, g.vb),
		agg:   newAggregation(len(g.m.Integer)),
		flows: g.flows,
		idle:  g.idle, // by row: a part changes those of the rows that it begins at
	}
	if g.finder != nil {
		part.finder = newSetFinder(g.finder.n, &v, g.vb)
	}
	return part
}

// follow takes over the state of the round from g, with a budget of work, and begins without cuts.
func (part *Generator) follow(g *Generator, budget int) {
	// The rows of the LP and their activities are shared, which g has read in this round.
	*part.v = *g.v
	part.v.work = 0
	part.v.budget = budget

	part.rounds = g.rounds
	part.far = g.far
	part.foundFew = g.foundFew
	part.found = part.found[:0]
	part.mir.least = g.mir.least
	part.mir.covers = g.mir.covers
	part.mir.measured.reset()
}

// divide calls do for all parts at the same time, with the place of each. They share what is left of the work equally;
// the cuts that they find follow those of g in the order of their places.
func (g *Generator) divide(do func(part *Generator, place int)) {
	end := g.shareWork()
	g.each(do)
	end()
}

// shareWork gives each part an equal share of what is left of the work. The function that it returns adds up what they
// have done and found.
func (g *Generator) shareWork() (end func()) {
	if len(g.parts) == 1 {
		return func() {}
	}

	// g itself is the first part, whose budget ends where its share does.
	budget := g.v.budget
	share := (budget - g.v.work) / len(g.parts)
	g.v.budget = g.v.work + share
	for _, part := range g.parts[1:] {
		part.follow(g, share)
	}
	return func() {
		g.v.budget = budget
		for _, part := range g.parts[1:] {
			g.v.work += part.v.work
			g.found = append(g.found, part.found...)
		}
	}
}

// each calls do for all parts at the same time, between shareWork and its end.
func (g *Generator) each(do func(part *Generator, place int)) {
	before := make([]int, len(g.parts))
	for k, part := range g.parts {
		before[k] = part.v.work
	}
	var others sync.WaitGroup
	for k, part := range g.parts[1:] {
		others.Go(func() { do(part, k+1) })
	}
	do(g, 0)
	others.Wait()

	// The longest part decides how long all have taken.
	total, longest := 0, 0
	for k, part := range g.parts {
		work := part.v.work - before[k]
		total += work
		longest = max(longest, work)
	}
	g.saved += total - longest
}

// inOrder looks at the candidates 0 to n-1 in turn, each followed by accept, until that returns false or the work is
// done. Several parts look at those of a batch at the same time, after prepare for each of them, and then come the
// calls of accept: candidates after the last one that is accepted have cost work, and change nothing else.
func (g *Generator) inOrder(n int, prepare func(k int), look func(part *Generator, k int), accept func(k int) bool) {
	defer g.shareWork()()
	size := g.batch()
	for from := 0; from < n; from += size {
		// The work ends for all where the share of one part is used up.
		if slices.ContainsFunc(g.parts, func(part *Generator) bool { return part.v.spent() }) {
			return
		}
		to := min(n, from+size)
		for k := from; k < to; k++ {
			prepare(k)
		}

		// The candidates are dealt out by their numbers, so that it does not matter which part is faster.
		g.each(func(part *Generator, place int) {
			for k := from + place; k < to; k += len(g.parts) {
				look(part, k)
			}
		})
		for k := from; k < to; k++ {
			if !accept(k) {
				return
			}
		}
	}
}

// batch is the number of candidates of one batch of inOrder.
func (g *Generator) batch() int {
	if len(g.parts) == 1 {
		return 1
	}
	return batchOfPart * len(g.parts)
}

// take removes the last cut that was found and returns it.
func (g *Generator) take() *Cut {
	last := len(g.found) - 1
	c := g.found[last]
	g.found = g.found[:last]
	return &c
}

// Span returns how much of the work of the last call of Separate was done one thing after the other: all of it with one
// thread.
func (g *Generator) Span() int { return g.v.work - g.saved }
