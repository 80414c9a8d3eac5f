// Package ordering orders the rows and columns of sparse symmetric matrices, so that their elimination makes few new
// entries. A matrix is given by its graph: a vertex for each row, and an edge between i and j if the entry (i, j) may
// be nonzero. An ordering is a permutation, whose element k is the vertex that is eliminated as number k.
//
// MinimumDegree is greedy: it eliminates a vertex of least approximate degree. NestedDissection finds a small set of
// vertices whose removal splits the graph in two, orders it last, and does the same with both parts.
//
// All results are deterministic.
package ordering
