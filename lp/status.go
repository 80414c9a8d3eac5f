package lp

// Status says why a solver stopped. The zero value is NotSolved. Limits and cancellation are
// statuses, never errors; PointStatus says whether a point or a ray comes with it.
type Status uint8

const (
	NotSolved      Status = iota
	Optimal               // proven, to the tolerances and the gap asked for
	Infeasible            // proven: no point satisfies the rows and bounds
	Unbounded             // a feasible point and a ray along which the objective improves without bound
	TimeLimit             // the wall-clock limit
	IterationLimit        // simplex iterations, or rounds of an outer loop
	NodeLimit             // branch-and-bound nodes
	WorkLimit             // the deterministic work counter
	MemoryLimit           // the memory limit
	ObjectiveLimit        // the bound passed the cut-off that was asked for
	Interrupted           // the context was cancelled
	FixedPoint            // a proxy run ended with no violated cut; no gap is proven
	Stalled               // a tree ended by its own rule: no better point for many nodes; no gap is proven
)

var statusNames = [...]string{"not_solved", "optimal", "infeasible", "unbounded", "time_limit", "iteration_limit",
	"node_limit", "work_limit", "memory_limit", "objective_limit", "interrupted", "fixed_point", "stalled"}

// String returns the name that the command line's JSON uses, such as "time_limit".
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return "unknown"
}

// Limited reports whether the solver stopped early: at a limit, or because it was cancelled. FixedPoint and Stalled are
// ends of their own.
func (s Status) Limited() bool { return s >= TimeLimit && s <= Interrupted }

// PointStatus says what a primal or dual vector is.
type PointStatus uint8

const (
	NoPoint         PointStatus = iota
	FeasiblePoint               // satisfies its constraints to tolerance
	InfeasiblePoint             // the last iterate, not feasible
	RayPoint                    // a certificate: a primal ray, or a Farkas ray
)

var pointNames = [...]string{"none", "feasible", "infeasible", "ray"}

// String returns "none", "feasible", "infeasible" or "ray".
func (s PointStatus) String() string {
	if int(s) < len(pointNames) {
		return pointNames[s]
	}
	return "unknown"
}
