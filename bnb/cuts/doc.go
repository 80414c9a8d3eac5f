// Package cuts separates cutting planes for mixed-integer programs: given the optimum of a linear
// relaxation, it looks for rows that every point of the program satisfies and that optimum does not.
package cuts
