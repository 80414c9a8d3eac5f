// Package fold reduces a linear program with symmetries, and turns solutions of the reduced program into solutions of
// the given one.
//
// Rows and columns are put into classes by colour refinement: two columns of a class have the same cost and bounds and
// the same coefficients in the rows of each class, however often, and rows likewise. Such a partition is equitable, and
// a linear program has then an optimal point with equal values, and optimal multipliers with equal values, on each
// class (Grohe, Kersting, Mladenov, Selman 2014, "Dimension reduction via colour refinement"): averaging any optimal
// pair over the classes gives one. The folded model has one column a class, which stands for the common value, and one
// row a class.
//
// With column classes J and row classes I, the coefficient of J in I is the sum of a_ij over j in J, the same for each
// row i of I; the cost of J is |J| times the common cost; bounds are the common ones. A value X_J becomes x_j = X_J, a
// multiplier Y_I becomes y_i = Y_I / |I|, and the reduced cost D_J becomes d_j = D_J / |J|. Feasibility and
// complementary slackness carry over, and so an optimal pair; a vertex does not: the point taken back lies inside a
// face of optima unless that is a single point.
package fold
