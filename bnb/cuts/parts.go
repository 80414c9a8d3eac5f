package cuts

import "sync"

// Aggregations, which begin at many rows, are divided among threads. Each thread has a part: a generator of its own
// that reads the same model, LP rows and variable bounds, and has its own sums and cuts. What a part does depends on
// the number of parts and not on their speed, so that the cuts of a round are the same on every run. With the cut sets
// divided too, by their side, mc11 needed more than 20 nodes in four of seven permutations instead of one.

// newParts returns g and as many further parts as there are threads beyond the first.
func (g *Generator) newParts(threads int) []*Generator {
	parts := []*Generator{g}
	for len(parts) < threads {
		parts = append(parts, g.newPart())
	}
	return parts
}

// newPart returns a part of g for aggregations.
func (g *Generator) newPart() *Generator {
	v := *g.v
	return &Generator{
		m:     g.m,
		opt:   g.opt,
		v:     &v,
		vb:    g.vb,
		mir:   newMIR(&v, g.vb),
		agg:   newAggregation(len(g.m.Integer)),
		flows: g.flows,
		idle:  g.idle, // by row: a part changes those of the rows that it begins at
	}
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
	if len(g.parts) == 1 {
		do(g, 0)
		return
	}

	// g itself is the first part, whose budget ends where its share does.
	budget := g.v.budget
	before := g.v.work
	share := (budget - before) / len(g.parts)
	g.v.budget = before + share
	var others sync.WaitGroup
	for k, part := range g.parts[1:] {
		part.follow(g, share)
		others.Go(func() { do(part, k+1) })
	}
	do(g, 0)
	others.Wait()

	// The longest part decides how long all have taken.
	longest := g.v.work - before
	total := longest
	for _, part := range g.parts[1:] {
		longest = max(longest, part.v.work)
		total += part.v.work
		g.found = append(g.found, part.found...)
	}
	g.v.budget = budget
	g.v.work = before + total
	g.saved += total - longest
}

// Span returns how much of the work of the last call of Separate was done one thing after the other: all of it with one
// thread.
func (g *Generator) Span() int { return g.v.work - g.saved }
