// Package benders solves two-stage mixed-integer programs
//
//	min f'y + Q(y)   s.t.  y in Y (integer),   Q(y) = min { q'x : B x >= b - A y, G x >= g, x >= 0 }
//
// by Benders decomposition. A certificate is a dual-feasible vector of the recourse problem; a cut is what it implies
// in master space: theta_k >= alpha + beta'y (optimality) or 0 >= alpha + beta'y (feasibility), where theta_k is the
// master's variable for part k of Q(y), such as the cost of a client or a scenario; with one part it stands for all of
// Q(y). A Separator makes cuts, exactly or by a certified proxy; a driver (OuterLoop, BranchAndCut) calls either kind
// in the same way. The paper is "The Proxy Benders Decomposition" (Guan, Er Raqabi, Tanneau, Van Hentenryck); section
// numbers refer to it.
//
// A Result is as its Status says, which Result.Settle sets from the Reason why the run ended and from what is proven:
//
//	status          | objective     | bound          | design        | gap
//	not_solved      | cost, or NaN  | proven, or not | found, or nil | open: the numbers failed, or nothing ran
//	optimal         | cost          | proven         | found         | at most the one asked for, or 1e-5 more (cuts)
//	infeasible      | NaN           | +Inf, or open  | nil           | +Inf
//	unbounded       | NaN           | -Inf           | nil           | +Inf
//	time_limit      | cost, or NaN  | proven         | found, or nil | open
//	iteration_limit | cost, or NaN  | proven         | found, or nil | open
//	node_limit      | cost, or NaN  | proven         | found, or nil | open
//	work_limit      | cost, or NaN  | proven         | found, or nil | open
//	memory_limit    | cost, or NaN  | proven         | found, or nil | open
//	objective_limit | cost, or NaN  | proven         | found, or nil | open
//	interrupted     | cost, or NaN  | proven         | found, or nil | open
//	fixed_point     | cost, or NaN  | proven         | found, or nil | open: predictions have no violated cut left, or the prices of the method dual are best
//	stalled         | cost, or NaN  | proven         | found, or nil | open: no better design for long, or the method start
//
// The cost is that of the design with its exact recourse, and an open gap is +Inf without a design. Where the bound at
// a limit proves the design to the gap that was asked for the status is optimal.
package benders
