// Package mps reads and writes linear and mixed-integer models as MPS and LP files, solutions and MIP starts as .sol
// and .mst files, and bases. Solutions and bases of CBC, CLP, HiGHS and GLPK are read too, and solutions of CPLEX,
// Gurobi and SCIP; which layout a file has its first line says. Every file may be packed by gzip, bzip2 or zstd.
//
// # How a file is read
//
// A file is read into memory, and its first lines show the format (read.go). The scanner cuts MPS into lines and fields
// (scan.go), the parser goes through the sections (parser.go; columns.go, sides.go, bounds.go and logic.go have one
// each), and finish turns types, right-hand sides and ranges into the two sides of rows. LP files are cut into tokens
// (lplex.go) and parsed by recursive descent (lpread.go, lpsections.go, lplogic.go; lprange.go joins the two rows of a
// range). Solutions are points that lines fill (sol.go, solothers.go, mst.go), and bases are those of the slacks that
// lines change (basis.go, basisothers.go).
//
// What a reader had to interpret is a warning, one a kind with the number of places (warning.go); what it cannot read
// is an *Error with file, line and field (error.go). Numbers are read correctly rounded and written as the shortest
// decimals that give the same float64 (number.go), so that a model that is written and read again is the same.
//
// # MPS
//
// Fixed and free MPS are distinguished by reading: a file is read as free MPS (fields separated by blanks) and,
// where that fails, once more by the fixed columns 2-3, 5-12, 15-22, 25-36, 40-47 and 50-61, in which
// names may hold blanks. The sections NAME, OBJSENSE, OBJNAME (argument on the same line or on the next), ROWS,
// COLUMNS, RHS, RANGES, BOUNDS, SOS, INDICATORS and ENDATA are known; quadratic and other sections are refused.
//
// # Sets, semi-continuous columns and indicators
//
// Special ordered sets (section SOS of MPS and LP files), semi-continuous and semi-integer columns (bound types SC and
// SI; section Semi-continuous) and indicator constraints (section INDICATORS; "b = 1 -> row") become rows and
// hidden columns, or are left to branching, as lp.Model.Impose says: points that are written leave hidden columns out,
// and in points that are read they follow from the other columns. Models are written with rows and columns for them
// where the columns have the bounds that this needs, in the file or by its rows, else in the sections above.
//
//   - A set begins with "S1 name" or "S2 name"; the word SOS before the name and a priority behind it are passed over.
//     Its columns follow, a line each, in the order of their weights, or of the file where none has a weight.
//   - A semi-continuous column is 0 or within its bounds. The value of SC is the upper one; it may be missing, but not
//     0, which some readers take for none. Where the bounds hold 0 it is an ordinary column.
//   - Indicators are 0-1 columns. Only implications are read: no equivalences.
//
// # Conventions where readers differ
//
//   - The first N row (or the one that OBJNAME names) is the objective; other N rows become free rows.
//   - A right-hand side v on the objective row gives the offset -v.
//   - A range R on an E row with right-hand side b gives [b, b+R] for R >= 0 and [b+R, b] for R < 0; on an L row
//     [b-|R|, b]; on a G row [b, b+|R|].
//   - A negative UP or UI bound on a column whose lower bound is still the default 0 frees the lower bound, as for
//     CPLEX and Gurobi, with a warning: HiGHS, SCIP and GLPK keep 0. LP files keep 0. MI leaves the upper bound alone.
//     Otherwise the last bound of a side counts, with a warning.
//   - A column with a bound BV is 0 or 1 besides: its other bounds are intersected with [0, 1], in whatever order they
//     stand. SCIP does the same where BV comes last. Bounds outside [0, 1] give a warning, and an empty intersection an
//     infeasible model. The same holds for the section Binaries of LP files, as SCIP and CBC read it.
//   - Integer columns without any bound are in [0, 1], with a warning; any entry in BOUNDS, PL among them, makes
//     the default upper bound +Inf.
//   - Bounds of 1e30 and beyond are infinite; so are right-hand sides of L and G rows on their open side.
//   - Only the first right-hand-side, range and bound set of a file counts; the set's name may be left out.
//   - Coefficients that are zero are not stored; a second coefficient in the same place is an error, and so are a
//     second right-hand side and a second range of a row with another value.
//   - A line that begins with * is a comment, and so is the rest of a line from a field on that begins with a dollar
//     sign and is not the name of a row or column. GLPK writes such comments.
//   - Lazy constraints (LAZYCONS; "lazy constraints" of LP files) are rows like others. So are user cuts (USERCUTS;
//     "user cuts"), with a warning: they tighten the relaxation, and each must hold at every feasible integer point.
//   - In LP files names may hold [ ] / and | behind their first character, and labels may be numbers. Columns and
//     constants may stand on both sides of a constraint with one relation.
//   - The comment *SENSE:Maximize, which PuLP writes, gives a warning and is no sense.
//   - Carriage returns end the lines of a file without line feeds.
//   - What follows ENDATA is ignored with a warning; a file without ENDATA is truncated, which is an error.
package mps
