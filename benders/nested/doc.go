// Package nested solves programs of several periods (stoch.Multistage) by nested decomposition,
//
//	V(n, z) = min { c_n'x + sum over arcs (n, m) of p_nm V(m, z') : L_n <= A_n z + B_n x <= U_n, l_n <= x <= u_n },
//
// n a node of a period, z its state: what earlier periods chose and rows of this period or of a later one need; z'
// is the state of the next period, a part of (z, x). The value of the program is V of the only node of the first
// period.
//
// # How it works
//
// The future of a node is the sum over its arcs. Cuts bound it from below, theta >= alpha + beta'z' (Birge,
// Operations Research 33, 1985). Nodes with the same arcs have the same future and share its cuts, whatever led to
// them: where the periods are independent there is one set of cuts a period, and the tree is never built (Pereira
// and Pinto, Mathematical Programming 52, 1991). Nodes that differ in sides, bounds and costs alone share a linear
// program, too, which goes from one to the other by the dual simplex method.
//
// Passes follow paths that are drawn by the probabilities, and cut the futures on them on the way back: one path at
// first, and up to eight together later. Now and then a
// complete pass follows the decisions of the cuts over all paths: each future at each state is followed once, so that
// paths that come to the same state are one. What it adds up to is the cost of a policy, an upper bound that is no
// estimate; the value of the first period's program is the lower bound.
//
// Where the paths come to too many states for that, a complete pass is given up after as many linear programs as
// were solved before it, and probes take its place: paths that go where the bounds of the futures are farthest
// apart (Baucke, Downward and Zakeri, 2017). They bound futures from above, too, by the convex hull of the states
// that they come to (Philpott, de Matos and Finardi, Operations Research 61, 2013): V(mean of states) is at most
// the mean of the upper bounds there. Outside of the hull the rows bound how steep a future is: the effect of a column
// of the state on a row costs nothing on a side without a limit, and else no more than the columns that are in no other
// row and can make up for it.
//
// # Threads and processes
//
// Nodes are solved in batches: those that follow a future at a state, the next nodes of several paths, all nodes of a
// period in a complete pass. A linear program solves its nodes in their order, and cuts are added between batches, so
// that what it answers depends on what it was asked and on nothing else: the result is the same bit for bit for any
// number of Options.Threads, and where the linear programs are in other processes (Options.Team, Worker).
//
// # What is proven
//
// Signs are those of a minimisation; a maximisation is solved as that of its negative. A future has no part in a
// program until it has a cut: before, its epigraph column is fixed at zero, the decision is only a state to cut at,
// and no cut is made from it. The multipliers of a program are made a cut as by Neumaier and Shcherbina: sums
// are formed in doubled precision and rounded outward, so that a cut holds in exact arithmetic for every state, for
// columns within bounds that are their own or implied by rows, or within 2^20 of zero where there are none. A state
// that is infeasible by as little as the tolerance of the rows that led to it may differ by that. Feasibility cuts are
// made of Farkas rays, alpha + beta'z <= 0, with slopes below 1.
//
// Columns are continuous. A program that has no least cost by the cuts of its future gets cuts along its ray; where
// those leave it unbounded the error wraps ErrUnsuited, for the whole program may be unbounded, or infeasible
// elsewhere.
package nested
