// Package cuts separates cutting planes for mixed-integer programs: given the optimum of a linear
// relaxation, it looks for rows that every point of the program satisfies and that optimum does not.
//
// A Generator has eight separators: Gomory mixed-integer cuts from tableau rows, mixed-integer rounding of
// aggregated rows with variable bounds, lifted flow covers of the same rows, the two of rows added up over cut sets of
// a network, the variable bounds that long rows imply, lifted covers of knapsack rows, the hulls of short rows over
// integer columns, and cliques. Their work is counted and limited by the caller, so that results do not depend on a
// clock.
//
// Each pays somewhere, by TestAblation of package bnb: rounding nearly everywhere; implied bounds and covers on fixed
// charges (khb05250; fiber, ran10x10b), but covers not on assignments; cut sets where flows have far to go (mc11);
// cliques on rows over two columns, as the edges of a graph, not where the rows are large cliques already; Gomory cuts
// on p0548 and p2756, not on most others; hulls on general integers (qnet1_o, gesa3, lseu).
package cuts
