package bnb

import "time"

// Part is a component of the solver in the statistics.
type Part uint8

const (
	PartNodes         Part = iota // node relaxations, the queue, checks of points
	PartPresolve                  // reductions before the search and at restarts
	PartLP                        // all LP solves, whatever they serve
	PartPropagation               // at nodes
	PartConflicts                 // learning from infeasible nodes
	PartSymmetry                  // finding symmetries, and reductions by them at nodes
	PartCuts                      // separation by this package
	PartStrong                    // strong branching
	PartStarts                    // Options.Start
	PartRounding                  // rounding heuristics
	PartJump                      // feasibility jump
	PartDives                     // diving heuristics
	PartNeighbourhood             // searches of neighbourhoods by a sub-MIP
	PartLazy                      // Hooks.Lazy
	PartUser                      // Hooks.User
	PartHeuristic                 // Hooks.Heuristic
	PartBranch                    // Hooks.Branch
	Parts                         // their number
)

var partNames = [Parts]string{"nodes", "presolve", "lp", "propagation", "conflicts", "symmetry", "cuts",
	"strong_branching", "starts", "rounding", "jump", "dives", "neighbourhoods", "lazy_hook", "user_hook",
	"heuristic_hook", "branch_hook"}

// String returns a name such as "strong_branching".
func (p Part) String() string {
	if p < Parts {
		return partNames[p]
	}
	return "unknown"
}

// PartStatistics is what one component did. The Time of all parts adds up to the time of the search,
// with several threads to that of all of them.
type PartStatistics struct {
	Calls        int
	Time         time.Duration // without the LPs solved on its behalf, which count in PartLP
	LPTime       time.Duration // of those LPs
	LPIterations int           // of those LPs
	Found        int           // incumbents that it produced
}

// clock splits the elapsed time by part; a part that is entered suspends the one around it.
type clock struct {
	began time.Time
	since time.Duration // after began: a difference of monotonic readings costs half of time.Now
	now   Part
	stats [Parts]PartStatistics
}

// start begins the time of the search at t.
func (c *clock) start(t time.Time) {
	c.began = t
	c.since = 0
}

// presolved counts the time that went before the search was set up.
func (c *clock) presolved(spent time.Duration) {
	// The clock begins after the time of presolve.
	c.stats[PartPresolve] = PartStatistics{Calls: 1, Time: spent}
	c.since += spent
}

// enter switches to a part and returns the one to go back to.
func (c *clock) enter(p Part) (back Part) {
	// The new part suspends the one around it, whose time ends here.
	c.stats[p].Calls++
	back = c.now
	c.leave(p)
	return back
}

// leave goes back to the part that enter returned.
func (c *clock) leave(back Part) {
	// The time since the last change belongs to the part that was current.
	t := time.Since(c.began)
	c.stats[c.now].Time += t - c.since
	c.now = back
	c.since = t
}

// leaveLP ends a part LP, with that number of iterations, that served the part back.
func (c *clock) leaveLP(back Part, iterations int) {
	// What the LP has taken is its own time, and counts once more for the part that needed it.
	before := c.stats[PartLP].Time
	c.leave(back)
	if back != PartLP {
		c.stats[back].LPTime += c.stats[PartLP].Time - before
		c.stats[back].LPIterations += iterations
	}
	c.stats[PartLP].LPIterations += iterations
}

// suspend ends the time of a worker that waits for the others, resume begins it again.
func (c *clock) suspend() { c.leave(c.now) }
func (c *clock) resume()  { c.since = time.Since(c.began) }

// join adds the parts of a worker.
func (c *clock) join(parts *[Parts]PartStatistics) {
	for k := range parts {
		c.stats[k].add(&parts[k])
	}
}

// add adds what another search has spent on the part.
func (a *PartStatistics) add(b *PartStatistics) {
	a.Calls += b.Calls
	a.Time += b.Time
	a.LPTime += b.LPTime
	a.LPIterations += b.LPIterations
	a.Found += b.Found
}

// found counts an incumbent for the current part.
func (c *clock) found() { c.stats[c.now].Found++ }

// include moves the LP time of a nested search, which ran inside the current part, to where it belongs.
func (c *clock) include(nested *[Parts]PartStatistics) {
	// The LPs of the nested search are part of the time of the current part: they move to the part of the LP.
	lps := &nested[PartLP]
	here := &c.stats[c.now]
	here.Time -= lps.Time
	here.LPTime += lps.Time
	here.LPIterations += lps.LPIterations

	all := &c.stats[PartLP]
	all.Time += lps.Time
	all.Calls += lps.Calls
	all.LPIterations += lps.LPIterations
}

// merge adds the parts of a nested search that took elapsed and did the work of this one.
func (c *clock) merge(elapsed time.Duration, nested *[Parts]PartStatistics) {
	// The elapsed time was counted for the current part, and belongs to the parts of the nested search.
	c.leave(c.now)
	c.stats[c.now].Time -= elapsed
	c.join(nested)
}

// stop returns the totals.
func (c *clock) stop() (time.Duration, [Parts]PartStatistics) {
	c.leave(PartNodes)
	return c.since, c.stats
}
