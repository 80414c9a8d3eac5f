package mps

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/lp"
)

// BasisStyle is a layout of basis files.
type BasisStyle uint8

const (
	// BasisMPS is .bas as MPS has it, which CLP, CBC, Gurobi, CPLEX and proxybd read: a line for every column that is
	// not at its lower bound.
	BasisMPS BasisStyle = iota
	// BasisHiGHS is the basis file of HiGHS: a line for every column and every row.
	BasisHiGHS
	// BasisGLPK is the solution file that glpsol writes with --write and reads with --ini.
	BasisGLPK
)

// basisStyles are the names of the layouts.
var basisStyles = []string{BasisMPS: "mps", BasisHiGHS: "highs", BasisGLPK: "glpk"}

// String returns mps, highs or glpk.
func (s BasisStyle) String() string { return basisStyles[s] }

// Set is the inverse of String.
func (s *BasisStyle) Set(name string) error { return setStyle(s, basisStyles, name) }

// setStyle sets a layout by its name.
func setStyle[S ~uint8](s *S, names []string, name string) error {
	// All kinds of styles have three names.
	k := slices.Index(names, name)
	if k < 0 {
		return fmt.Errorf("none of %s, %s and %s", names[0], names[1], names[2])
	}
	*s = S(k)
	return nil
}

// Type is what a flag of this kind calls its values.
func (s *BasisStyle) Type() string { return strings.Join(basisStyles, "|") }

// WriteBasisStyle writes a basis in a layout; WriteBasis is that of BasisMPS. HiGHS takes names from the model file,
// and has those that Write gives them. GLPK goes by the numbers of rows and columns; the activities in its file are
// zero, since glpsol computes them from the basis.
func WriteBasisStyle(w io.Writer, m *lp.Model, b *Basis, style BasisStyle) error {
	if style == BasisMPS {
		return WriteBasis(w, m, b)
	}
	if err := b.check(m); err != nil {
		return err
	}

	out := bufio.NewWriter(w)
	if style == BasisHiGHS {
		writeHighsBasis(out, m, b)
		return flush(out)
	}

	// The rows that GLPK leaves out must be basic, or its basis would have too many columns.
	rows := glpkRows(m)
	basic := countBasic(b.Cols)
	for _, i := range rows {
		basic += countBasic(b.Rows[i : i+1])
	}
	if basic != len(rows) {
		return fmt.Errorf("mps: %w: a free row is not basic, and GLPK has none", ErrBasis)
	}
	writeGLPKBasis(out, m, b)
	return flush(out)
}

// check reports a basis that does not fit the model.
func (b *Basis) check(m *lp.Model) error {
	if len(b.Cols) != len(m.Cols) || len(b.Rows) != len(m.Rows) {
		return fmt.Errorf("mps: %w: %d columns and %d rows, the model has %d and %d", ErrBasis, len(b.Cols), len(b.Rows),
			len(m.Cols), len(m.Rows))
	}

	// Both parts may fit and the basis still have too many variables or too few.
	if n := b.basic(); n != len(b.Rows) {
		return fmt.Errorf("mps: %w: %d basic variables for %d rows", ErrBasis, n, len(b.Rows))
	}
	return nil
}

// basic counts the basic variables.
func (b *Basis) basic() int { return countBasic(b.Cols) + countBasic(b.Rows) }

// countBasic counts the basic variables of a part of a basis.
func countBasic(list []VarStatus) (n int) {
	for _, v := range list {
		if v == Basic {
			n++
		}
	}
	return n
}

// Statuses of HiGHS (HighsBasisStatus), by their numbers.
const (
	// highsLower is nonbasic at the lower bound; a fixed variable has this status too.
	highsLower = "0"
	// highsBasic is basic.
	highsBasic = "1"
	// highsUpper is nonbasic at the upper bound.
	highsUpper = "2"
	// highsZero is nonbasic at zero: a free variable.
	highsZero = "3"
	// highsNonbasic is nonbasic where the bounds leave no choice, or HiGHS chooses.
	highsNonbasic = "4"
)

// highsStatuses translates the statuses of HiGHS. A free variable at zero is AtLower here.
var highsStatuses = map[string]VarStatus{
	highsLower:    AtLower,
	highsZero:     AtLower,
	highsBasic:    Basic,
	highsUpper:    AtUpper,
	highsNonbasic: AtLower,
}

// writeHighsBasis writes version 2 of the format: a line of a name and a status for every column and row.
func writeHighsBasis(w *bufio.Writer, m *lp.Model, b *Basis) {
	put := func(name string, v VarStatus, lower, upper float64) {
		code := [...]string{AtLower: highsLower, AtUpper: highsUpper, Basic: highsBasic}[v]
		if v == AtLower && unbounded(lower, upper) {
			code = highsZero
		}
		fmt.Fprintf(w, "%s %s\n", name, code)
	}

	// The columns come first, then the rows, each part behind its number.
	names := namesFor(m)
	fmt.Fprintf(w, "HiGHS_basis_file v2\nValid\n# Columns %d\n", len(b.Cols))
	for j, v := range b.Cols {
		put(names.cols[j], v, m.Cols[j].Lower, m.Cols[j].Upper)
	}
	fmt.Fprintf(w, "# Rows %d\n", len(b.Rows))
	for i, v := range b.Rows {
		put(names.rows[i], v, m.Rows[i].Lower, m.Rows[i].Upper)
	}
}

// unbounded reports whether neither side is a bound in files.
func unbounded(lower, upper float64) bool { return lower <= -infinite && upper >= infinite }

// glpkRows are the rows that GLPK keeps of a model: it has none of the free ones.
func glpkRows(m *lp.Model) (list []int) {
	for i, r := range m.Rows {
		if !unbounded(r.Lower, r.Upper) {
			list = append(list, i)
		}
	}
	return list
}

// writeGLPKBasis writes a solution of glpsol with the statuses alone: b basic, l and u at a bound, f free, s fixed.
func writeGLPKBasis(w *bufio.Writer, m *lp.Model, b *Basis) {
	put := func(kind byte, k int, v VarStatus, lower, upper float64) {
		code := [...]byte{AtLower: 'l', AtUpper: 'u', Basic: 'b'}[v]
		// A fixed variable is s whichever bound it is at, and a variable without a lower bound is f, since GLPK checks
		// that the status fits the bounds.
		switch {
		case v == Basic:
		case clip(lower) == clip(upper):
			code = 's'
		case v == AtLower && lower <= -infinite:
			code = 'f'
		}
		fmt.Fprintf(w, "%c %d %c 0 0\n", kind, k+1, code)
	}

	// The line of the solution has the numbers of rows and columns and both statuses undefined.
	rows := glpkRows(m)
	fmt.Fprintf(w, "c Problem:    %s\nc Rows:       %d\nc Columns:    %d\n", writable(m.Name), len(rows), len(b.Cols))
	fmt.Fprintf(w, "s bas %d %d u u 0\n", len(rows), len(b.Cols))
	for k, i := range rows {
		put('i', k, b.Rows[i], m.Rows[i].Lower, m.Rows[i].Upper)
	}
	for j, v := range b.Cols {
		put('j', j, v, m.Cols[j].Lower, m.Cols[j].Upper)
	}
	w.WriteString("e o f\n")
}

// basisStyleOf returns the layout of a basis file, which its first line that is not blank shows.
func basisStyleOf(data []byte) BasisStyle {
	line, _, _ := bytes.Cut(bytes.TrimLeft(data, " \t\r\n"), []byte{'\n'})

	// The word HiGHS begins its file. A file of glpsol begins with comments, or with the line of the solution
	// itself.
	switch {
	case bytes.HasPrefix(line, []byte("HiGHS")):
		return BasisHiGHS
	case bytes.HasPrefix(line, []byte("c ")), bytes.HasPrefix(line, []byte("s bas ")):
		return BasisGLPK
	}
	return BasisMPS
}

// words returns the next line that is not blank, cut at blanks; nil at the end of the file.
func (p *basisParser) words() []string {
	for line, ok := p.scan.take(); ok; line, ok = p.scan.take() {
		if w := strings.Fields(string(line)); len(w) > 0 {
			return w
		}
	}
	return nil
}

// highs reads a basis of HiGHS. Version 2 has a name and a status a line, version 1 the statuses in order.
func (p *basisParser) highs() *Error {
	// The first line ends in the version, the second one says whether there is a basis.
	head := p.words()
	version := head[len(head)-1]
	if version != "v1" && version != "v2" {
		return p.fail("version", []byte(version), "neither v1 nor v2")
	}
	if state := p.words(); len(state) != 1 || state[0] != "Valid" {
		return p.fail("", nil, "the file has no valid basis")
	}

	// The columns come first, then the rows.
	bad := p.highsPart(version, "Columns", p.cols, p.basis.Cols, func(j int) (lower, upper float64) {
		return p.model.Cols[j].Lower, p.model.Cols[j].Upper
	})
	if bad == nil {
		bad = p.highsPart(version, "Rows", p.rows, p.basis.Rows, func(i int) (lower, upper float64) {
			return p.model.Rows[i].Lower, p.model.Rows[i].Upper
		})
	}
	return bad
}

// highsPart reads the statuses of the columns or of the rows into list; index has their names.
func (p *basisParser) highsPart(version, title string, index map[string]int, list []VarStatus,
	bounds func(int) (lower, upper float64)) *Error {
	// The heading "# Columns 12" must have the number of the model.
	w := p.words()
	if len(w) != 3 || w[0] != "#" || w[1] != title {
		return p.fail("", nil, fmt.Sprintf("expected # %s and their number", title))
	}
	if bad := p.count(w[2], strings.ToLower(title), len(list), ""); bad != nil {
		return bad
	}

	// In version 1 entry k is the k-th of the part; in version 2 its name gives the place.
	seen := make([]bool, len(list))
	var left []string // the fields of the line that are not read yet
	for k := range list {
		if len(left) == 0 {
			if left = p.words(); left == nil {
				return p.fail("", nil, "the file is truncated")
			}
		}

		// A line of version 1 has many statuses, one of version 2 a name, which may hold blanks, and its status.
		code := left[0]
		if version == "v1" {
			left = left[1:]
		} else {
			code = left[len(left)-1]
			name := strings.Join(left[:len(left)-1], " ")
			at, ok := index[name]
			if !ok || seen[at] {
				return p.fail("name", []byte(name), "no name of the "+strings.ToLower(title)+", or one that came before")
			}
			k = at
			left = nil
		}
		seen[k] = true

		// A nonbasic variable whose status leaves the side open is at the bound that it has.
		v, ok := highsStatuses[code]
		if !ok {
			return p.fail("status", []byte(code), "none of 0 to 4")
		}
		if lower, upper := bounds(k); code == highsNonbasic && lower <= -infinite && upper < infinite {
			v = AtUpper
		}
		list[k] = v
	}
	return nil
}

// count checks a number of rows or columns that the file states. more says which of them count.
func (p *basisParser) count(text, what string, want int, more string) *Error {
	if n, err := strconv.Atoi(text); err != nil || n != want {
		return p.fail("number of "+what, []byte(text), fmt.Sprintf("the model has %d%s", want, more))
	}
	return nil
}

// glpkPart is what glpk reads about the rows or the columns.
type glpkPart struct {
	// what a number of the part is called in errors: row number or column number.
	what string
	// list has the statuses that were read, by the number in the file less 1.
	list []VarStatus
	// seen marks those of the list that a line has given.
	seen []bool
}

// glpkStatuses translates the statuses of GLPK. Free and fixed variables (f and s) are AtLower here.
var glpkStatuses = map[string]VarStatus{"b": Basic, "l": AtLower, "f": AtLower, "s": AtLower, "u": AtUpper}

// glpk reads the basis of a solution that glpsol wrote with --write: a line "s bas rows columns ...", lines "i number
// status ..." of rows and "j number status ..." of columns, and "e o f".
func (p *basisParser) glpk() *Error {
	place := glpkRows(p.model) // of the rows of the file; the others are basic
	rows := &glpkPart{"row number", make([]VarStatus, len(place)), make([]bool, len(place))}
	parts := map[string]*glpkPart{"i": rows, "j": {"column number", p.basis.Cols, p.set}}
	left := len(place) + len(p.basis.Cols)

	for begun := false; ; {
		w := p.words()
		if w == nil {
			return p.fail("", nil, "the file ends without e o f: it is truncated")
		}
		part := parts[w[0]]
		var bad *Error
		switch {
		// A comment.
		case w[0] == "c":
		// The end of the file, "e o f".
		case w[0] == "e":
			if left > 0 {
				return p.fail("", nil, fmt.Sprintf("%d rows and columns have no status", left))
			}
			for k, i := range place {
				p.basis.Rows[i] = rows.list[k]
			}
			return nil

		// The line of the solution, with the numbers of rows and columns.
		case w[0] == "s" && len(w) >= 4:
			if w[1] != "bas" {
				return p.fail("kind", []byte(w[1]), "not that of a basic solution, bas")
			}
			if bad = p.count(w[2], "rows", len(place), " that are not free"); bad == nil {
				bad = p.count(w[3], "columns", len(p.basis.Cols), "")
			}
			begun = true

		// A row or a column. Its status follows its number; values behind the status do not matter.
		case begun && part != nil && len(w) >= 3:
			bad = p.glpkStatus(part, w)
			left--
		default:
			return p.fail("line", []byte(strings.Join(w, " ")), "expected i or j, a number and a status")
		}
		if bad != nil {
			return bad
		}
	}
}

// glpkStatus reads the status of one row or column.
func (p *basisParser) glpkStatus(part *glpkPart, w []string) *Error {
	k, err := strconv.Atoi(w[1])
	k-- // files count from 1
	inRange := err == nil && k >= 0 && k < len(part.list)
	if !inRange || part.seen[k] {
		return p.fail(part.what, []byte(w[1]), fmt.Sprintf("none of 1 to %d, or a second time", len(part.list)))
	}
	part.seen[k] = true

	// Only the status counts: activities and duals follow from the basis.
	status, ok := glpkStatuses[w[2]]
	if !ok {
		return p.fail("status", []byte(w[2]), "none of b, l, u, f and s")
	}
	part.list[k] = status
	return nil
}
