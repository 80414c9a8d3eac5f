// Package scenario solves two-stage programs with scenarios,
//
//	min f'y + sum_s p_s Q_s(y),   Q_s(y) = min { q_s'x : L_s <= T_s y + W_s x <= U_s, l_s <= x <= u_s },
//
// given as one skeleton and the differences of each scenario (package lp/stoch), by Benders decomposition that never
// builds a copy a scenario.
//
// # How it works
//
// The scenarios are in fixed chunks (engine.go). A chunk has one linear program of the skeleton that goes from scenario
// to scenario by their differences and stays warm. Chunks are solved by several goroutines, but what a chunk does
// depends on the points alone, and sums go by the number of the scenario, so that results are the same bit for bit for
// any number of threads.
//
// Where all scenarios share their dual-feasible set (stoch.Random.FixedDual), every certificate is one of all scenarios
// and goes into a pool (pool.go). A matrix product of its loads and the scenarios' differences prices all certificates
// in all scenarios; the best ones are a lower bound and make cuts, exact and rounded outward, without a linear program.
// A point that these cut off well enough is left at that, and chunks are solved in waves only until it is. A design
// whose lower bound is above the cheapest design's cost is not priced.
//
// Certificates that a scenario has no recourse have a pool of their own (rays.go): where one refutes a point, no linear
// program is solved there. Where there are many scenarios, the relaxation is first solved with one for every chunk
// (coarse.go): its certificates are in the pool, and its cheapest point is where that of all scenarios begins.
//
// A separator (separator.go) makes one cut for each group of scenarios from their certificates, which package
// twostage makes exact; the sum is rounded outward. Before the tree the linear relaxation of the whole program is
// solved by cuts (root.go), which is all that a program with a continuous first stage needs. The tree has fewer
// groups, and begins with combinations of the relaxation's cuts (merge.go).
package scenario
