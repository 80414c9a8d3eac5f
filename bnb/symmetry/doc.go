// Package symmetry finds formulation symmetries of a mixed-integer program: permutations of the columns for which some
// permutation of the rows maps the model to itself.
//
// # Definition
//
// The model is: minimise cost'x over rowLower <= A x <= rowUpper and lower <= x <= upper, some columns integer. A
// permutation p of the columns is a symmetry if there is a permutation q of the rows such that column p[j] has the
// cost, the bounds and the integrality of column j, row q[i] has the sides of row i, and A[q[i]][p[j]] = A[i][j], all
// of them equal as floats, without a tolerance. The symmetries are a group. They map feasible points to feasible points
// with the same objective.
//
// # Algorithm
//
// Rows and columns are the vertices of a bipartite graph whose edges are coloured by the coefficients, and whose
// vertices are coloured by costs, bounds and sides. Find refines an ordered partition of the vertices until it is
// equitable, individualises vertices until the partition is discrete, and then looks, from the last individualised
// vertex to the first, for automorphisms that fix the vertices before it and map it to another vertex of its cell. The
// partitions before and after the map are refined side by side; where they differ in singletons only, the map is
// complete: so sparse automorphisms of large graphs are found in time that depends on what they move. Vertices in one
// orbit of the automorphisms found so far are tried once. Every permutation that Find returns was verified on the model
// itself. A limit on the work, counted in edges, may end the search early: the permutations found by then generate a
// subgroup.
//
// # Literature
//
// McKay 1981, Practical graph isomorphism (individualisation and refinement); Darga, Sakallah, Markov 2008, Faster
// symmetry discovery using sparsity of symmetries (sparse automorphisms); Pfetsch, Rehn 2019, A computational
// comparison of symmetry handling methods for mixed integer programs.
package symmetry
