// Package smps reads and writes stochastic programs in the SMPS format (Birge et al. 1987; Gassmann and Schweitzer
// 2001): a core file, which is a model in MPS of one realisation, a time file, which says to which period rows and
// columns belong, and a stoch file, which says what is random.
//
// # Time files
//
// PERIODS, with nothing, LP, IP, a number or IMPLICIT after it, lists for every period its first column and its first
// row in the order of the core; the objective stands for the first row of the first period. PERIODS EXPLICIT lists
// names alone, and sections ROWS and COLUMNS name the period of each.
//
// # Stoch files
//
// INDEP DISCRETE (independent numbers), UNIFORM (left and right end), NORMAL (mean and variance), LOGNORMAL (mean and
// variance of the logarithm), GAMMA (scale and shape) and BETA (the two shapes, on [0, 1]); BLOCKS DISCRETE
// (independent vectors; what a realisation does not name is as in the first one of its block); SCENARIOS DISCRETE (a
// tree; what a scenario does not name is as in its parent). REPLACE (the default), ADD and MULTIPLY say how a value
// acts on the one of the core. A place is a column and a row, a right-hand side set and a row, a column and the
// objective, or a type of bound, a bound set and a column. CHANCE, ICC, NODES and every other section are refused by
// name.
//
// # From files to programs
//
// ReadFiles reads the three files, each with what the ones before it have said: core.go finds the rows and columns of
// the core file by their names, whose types and ranges package mps hands out with the model; time.go gives rows and
// columns their periods; stoch.go collects the random parts, or the scenarios, and probabilities.go makes their
// probabilities sum to one. The Program that comes out has the distribution as the file states it (program.go). It
// becomes one that solvers take in two ways:
//
//   - TwoStage (twostage.go) enumerates or draws a tree of scenarios (tree.go), and makes of everything below a node of
//     the second period one recourse, whose nodes are copies of rows and columns weighted by their probabilities.
//   - Multistage (multistage.go) keeps the periods, and makes one node of all that have the same future, with no tree.
//
// Write (write.go) goes the other way for programs of two stages.
//
// # Conventions
//
// Files may be packed; names hold no blanks. Probabilities that do not sum to one within 1e-6 are divided by their
// sum, with a warning. What has the probability 0 is left out, with a warning: realisations that do not occur need not
// be feasible. Others may inherit from them.
// Probabilities that are all 0 are refused.
package smps
