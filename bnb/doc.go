// Package bnb solves mixed-integer programs by branch and cut over one persistent simplex, with
// hooks for lazy constraints, user cuts and heuristics inside the tree.
//
// # Problem form
//
// The model is an lp.Model: minimise or maximise offset + c'x over rows L <= A x <= U and column bounds,
// some columns integer. Constraints that it leaves out come from Hooks.Lazy. Inside, everything is
// a minimisation; results and hooks speak the model's own sense.
//
// # Algorithm
//
// Solve presolves the model as far as the hooks allow (package bnb/presolve; see Hooks), searches the reduced model,
// and takes every point back to the given one, where it is verified. Solve tries the MIP starts, runs a cut loop at
// the root (cuts of the user hook; where there is no user hook, those of package bnb/cuts), and then takes nodes from
// a queue: best estimate first, every tenth time best bound (every other time while no better points come), plunging
// from parent to child while that pays. At a node it propagates bounds, solves the LP warm from the parent's basis,
// fixes by reduced costs, separates (with package bnb/cuts at every tenth node, where many columns are flows:
// continuous columns bounded by 0-1 columns with a fixed cost), and either finds an integral point, or runs heuristics
// and branches by reliability pseudo-costs. Where the integer columns are in sets with one column that is 1, and a row
// orders each set, such as the times at which a job may start, it branches on the sets. It does so with the special
// ordered sets that the model leaves to branching (lp.Branched), whose other implications it branches on where the LP
// point violates them. A node is plain data: bound changes against its parent, a basis, a bound, an estimate.
//
// The dual proof of a node LP that is infeasible or cut off becomes a row that propagation uses in the rest of the
// tree. Conflict analysis (analysis.go) derives from such a proof, and from a failure of propagation, a set of bounds
// that no better point satisfies, by the reasons of the bounds, also in probes and dives. Where most integer
// columns end up fixed for the whole tree, what is left of the model is presolved and searched again.
//
// A candidate becomes the incumbent only after check: integer columns rounded, the caller's rows and
// bounds verified, all cuts of the pool verified, and the lazy hook called. Where rounding moves the
// point, the continuous columns are optimised again for the rounded one.
//
// # Symmetries
//
// Before the root is branched on, permutations of the columns that leave the problem as it is are looked for (package
// bnb/symmetry). Of points that they map to each other each node keeps those that are lexicographically largest in the
// columns branched on: orbits.go says why that is valid. Hooks that may treat such columns differently end it; see
// Hooks.Symmetric. With presolve, and without hooks that steer the search, rows break symmetries of continuous
// columns before the search (breaking.go).
//
// # What is proven
//
// A node is dropped only if its LP is infeasible or its bound reaches the cutoff, and both are
// recomputed from the duals in the units of the model before they count: the Farkas inequality, or the
// Lagrangian bound, which holds whatever the duals are. An LP that a limit or a numerical failure
// ended informs no decision. A node that can be neither solved nor branched on stays in the bound, and
// Solve then returns ErrNumerical. Bounds that hold only for points better than the incumbent never
// enter the reported bound as anything better than the incumbent.
//
// # Determinism
//
// Equal input gives equal runs, bit for bit, unless a wall-clock limit or a cancellation ends one.
// Nothing is decided by time or by the order of a map.
//
// # Threads
//
// With Options.Threads of 2 or more the tree is shared out, after the first nodes, among that number of workers. Each
// has an LP of its own and works for a round, which is measured in work, not in time; then it exchanges points, bounds,
// pseudo-costs, cuts and open nodes with the others, whoever has done less work first. So the search is the same on
// every run; another number of threads is another search. At the root separators have as many threads, and linear
// programs two, with which their answers are the same as with one. Hooks are called from the goroutine of Solve, one at
// a time and in a fixed order.
//
// # Literature
//
// Achterberg, Koch, Martin 2005 (reliability branching); Achterberg 2007, thesis (plunging, dives,
// pseudo-cost estimates); Beale and Tomlin 1970 (special ordered sets); Marchand and Wolsey 2001 (complemented
// mixed-integer rounding); Danna, Rothberg, Le Pape 2005 (RINS); Berthold 2014 (RENS); Hendel 2022 (neighbourhoods by
// what pays); Savelsbergh 1994 (bound propagation); Witzig, Berthold, Heinz 2021 (dual proofs of infeasible nodes);
// Achterberg 2007, Discrete Optimization 4 (conflict analysis).
package bnb
