package lp

// Status says why a solver stopped. The zero value is NotSolved. Limits and cancellation are
// statuses, never errors; PointStatus says whether a point or a ray comes with it.
type Status uint8

const (
	// NotSolved: no solver has run, or it ended with an error.
	NotSolved Status = iota
	// Optimal: proven, to the tolerances and the gap asked for.
	Optimal
	// Infeasible: proven that no point satisfies the rows and bounds.
	Infeasible
	// Unbounded: there is a feasible point and a ray along which the objective improves without bound.
	Unbounded
	// TimeLimit: the wall-clock limit was reached. Two runs may stop at different points.
	TimeLimit
	// IterationLimit: the limit on simplex iterations, or on rounds of an outer loop.
	IterationLimit
	// NodeLimit: the limit on branch-and-bound nodes.
	NodeLimit
	// WorkLimit: the limit of the deterministic work counter. Two runs stop at the same point.
	WorkLimit
	// MemoryLimit: the limit on memory.
	MemoryLimit
	// ObjectiveLimit: the bound passed the cut-off that was asked for.
	ObjectiveLimit
	// Interrupted: the context was cancelled.
	Interrupted
	// FixedPoint: a proxy run ended with no violated cut, or dual decomposition with the best multipliers; no gap is
	// proven.
	FixedPoint
	// Stalled: a tree ended by its own rule, after many nodes without a better point; no gap is proven.
	Stalled
)

// statusNames are the names of the statuses.
var statusNames = [...]string{"not_solved", "optimal", "infeasible", "unbounded", "time_limit", "iteration_limit",
	"node_limit", "work_limit", "memory_limit", "objective_limit", "interrupted", "fixed_point", "stalled"}

// String returns the name that the command line's JSON uses, such as "time_limit".
func (s Status) String() string { return nameOf(statusNames[:], int(s)) }

// nameOf returns the name of a status, or "unknown".
func nameOf(names []string, k int) string {
	if k < len(names) {
		return names[k]
	}
	return "unknown"
}

// Limited reports whether the solver stopped early: at a limit, or because it was cancelled. FixedPoint and Stalled are
// ends of their own.
func (s Status) Limited() bool { return s >= TimeLimit && s <= Interrupted }

// PointStatus says what a primal or dual vector is.
type PointStatus uint8

const (
	// NoPoint: there is no vector.
	NoPoint PointStatus = iota
	// FeasiblePoint: the vector satisfies its constraints to tolerance.
	FeasiblePoint
	// InfeasiblePoint: the vector is the last iterate, which is not feasible.
	InfeasiblePoint
	// RayPoint: the vector is a certificate, a primal ray of an unbounded model or a Farkas ray of an infeasible one.
	RayPoint
)

// pointNames are the names of the kinds of points.
var pointNames = [...]string{"none", "feasible", "infeasible", "ray"}

// String returns "none", "feasible", "infeasible" or "ray".
func (s PointStatus) String() string { return nameOf(pointNames[:], int(s)) }
