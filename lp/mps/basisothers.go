package mps

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/lp"
)

// BasisStyle is a layout of basis files.
type BasisStyle uint8

const (
	BasisMPS   BasisStyle = iota // .bas as MPS has it: CLP, CBC, Gurobi, CPLEX and we
	BasisHiGHS                   // HiGHS
	BasisGLPK                    // GLPK: the solution file that glpsol writes with --write and reads with --ini
)

// basisStyles are the names of the layouts.
var basisStyles = [...]string{BasisMPS: "mps", BasisHiGHS: "highs", BasisGLPK: "glpk"}

// String returns mps, highs or glpk.
func (s BasisStyle) String() string { return basisStyles[s] }

// Set is the inverse of String.
func (s *BasisStyle) Set(name string) error {
	for k, n := range basisStyles {
		if n == name {
			*s = BasisStyle(k)
			return nil
		}
	}
	return fmt.Errorf("none of mps, highs and glpk")
}

// Type is what a flag of this kind calls its values.
func (s *BasisStyle) Type() string { return "mps|highs|glpk" }

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
	switch {
	case style == BasisHiGHS:
		writeHighsBasis(out, m, b)
	case b.basic()-len(b.Rows)+len(glpkRows(m)) != b.basicOf(glpkRows(m)):
		return fmt.Errorf("mps: %w: a free row is not basic, and GLPK has none", ErrBasis)
	default:
		writeGLPKBasis(out, m, b)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("mps: %w", err)
	}
	return nil
}

// check reports a basis that does not fit the model.
func (b *Basis) check(m *lp.Model) error {
	if len(b.Cols) != len(m.Cols) || len(b.Rows) != len(m.Rows) {
		return fmt.Errorf("mps: %w: %d columns and %d rows, the model has %d and %d", ErrBasis, len(b.Cols), len(b.Rows),
			len(m.Cols), len(m.Rows))
	}
	switch n := b.basic(); {
	case n > len(b.Rows):
		return fmt.Errorf("mps: %w: more basic variables than rows", ErrBasis)
	case n < len(b.Rows):
		return fmt.Errorf("mps: %w: fewer basic variables than rows", ErrBasis)
	}
	return nil
}

// basic counts the basic variables.
func (b *Basis) basic() (n int) {
	for _, list := range [][]VarStatus{b.Cols, b.Rows} {
		for _, v := range list {
			if v == Basic {
				n++
			}
		}
	}
	return n
}

// basicOf counts the basic variables among the columns and some of the rows.
func (b *Basis) basicOf(rows []int) (n int) {
	for _, v := range b.Cols {
		if v == Basic {
			n++
		}
	}
	for _, i := range rows {
		if b.Rows[i] == Basic {
			n++
		}
	}
	return n
}

// Statuses of HiGHS; nonbasic is where the bounds leave no choice, or HiGHS chooses.
const (
	highsLower    = '0'
	highsBasic    = '1'
	highsUpper    = '2'
	highsZero     = '3'
	highsNonbasic = '4'
)

func writeHighsBasis(w *bufio.Writer, m *lp.Model, b *Basis) {
	names := namesFor(m)
	fmt.Fprintf(w, "HiGHS_basis_file v2\nValid\n# Columns %d\n", len(b.Cols))
	put := func(name string, v VarStatus, lower, upper float64) {
		code := map[VarStatus]byte{AtLower: highsLower, AtUpper: highsUpper, Basic: highsBasic}[v]
		if v == AtLower && math.IsInf(clip(lower), -1) && math.IsInf(clip(upper), 1) {
			code = highsZero
		}
		fmt.Fprintf(w, "%s %c\n", name, code)
	}
	for j, v := range b.Cols {
		put(names.cols[j], v, m.Cols[j].Lower, m.Cols[j].Upper)
	}
	fmt.Fprintf(w, "# Rows %d\n", len(b.Rows))
	for i, v := range b.Rows {
		put(names.rows[i], v, m.Rows[i].Lower, m.Rows[i].Upper)
	}
}

// glpkRows are the rows that GLPK keeps of a model: it has none of the free ones.
func glpkRows(m *lp.Model) (list []int) {
	for i := range m.Rows {
		if !math.IsInf(clip(m.Rows[i].Lower), -1) || !math.IsInf(clip(m.Rows[i].Upper), 1) {
			list = append(list, i)
		}
	}
	return list
}

func writeGLPKBasis(w *bufio.Writer, m *lp.Model, b *Basis) {
	rows := len(glpkRows(m))
	fmt.Fprintf(w, "c Problem:    %s\nc Rows:       %d\nc Columns:    %d\ns bas %d %d u u 0\n", writable(m.Name), rows,
		len(b.Cols),
		rows, len(b.Cols))
	put := func(kind byte, k int, v VarStatus, lower, upper float64) {
		code := map[VarStatus]byte{AtLower: 'l', AtUpper: 'u', Basic: 'b'}[v]
		switch lower, upper := clip(lower), clip(upper); {
		case v == Basic:
		case lower == upper:
			code = 's'
		case v == AtLower && math.IsInf(lower, -1):
			code = 'f'
		}
		fmt.Fprintf(w, "%c %d %c 0 0\n", kind, k+1, code)
	}
	for k, i := range glpkRows(m) {
		put('i', k, b.Rows[i], m.Rows[i].Lower, m.Rows[i].Upper)
	}
	for j, v := range b.Cols {
		put('j', j, v, m.Cols[j].Lower, m.Cols[j].Upper)
	}
	w.WriteString("e o f\n")
}

// basisStyleOf tells the layout of a basis file from its first line that is not blank.
func basisStyleOf(data []byte) BasisStyle {
	line, _, _ := bytes.Cut(bytes.TrimLeft(data, " \t\r\n"), []byte{'\n'})
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
	for len(p.scan.data) > 0 {
		line, rest, _ := bytes.Cut(p.scan.data, []byte{'\n'})
		p.scan.data = rest
		p.scan.line++
		if w := strings.Fields(string(line)); len(w) > 0 {
			return w
		}
	}
	return nil
}

// highs reads a basis of HiGHS. Version 2 has a name and a status a line, version 1 the statuses in order.
func (p *basisParser) highs() *Error {
	head := p.words()
	version := head[len(head)-1]
	if version != "v1" && version != "v2" {
		return p.fail("version", []byte(version), "neither v1 nor v2")
	}
	if state := p.words(); len(state) != 1 || state[0] != "Valid" {
		return p.fail("", nil, "the file has no valid basis")
	}
	for _, part := range []struct {
		title string
		index map[string]int
		list  []VarStatus
		sides func(k int) (lower, upper float64)
	}{
		{"Columns", p.cols, p.basis.Cols, func(k int) (float64, float64) {
			return p.model.Cols[k].Lower,
				p.model.Cols[k].Upper
		}},
		{"Rows", p.rows, p.basis.Rows, func(k int) (float64, float64) {
			return p.model.Rows[k].Lower,
				p.model.Rows[k].Upper
		}},
	} {
		w := p.words()
		if len(w) != 3 || w[0] != "#" || w[1] != part.title {
			return p.fail("", nil, fmt.Sprintf("expected # %s and their number", part.title))
		}
		if n, err := strconv.Atoi(w[2]); err != nil || n != len(part.list) {
			return p.fail("number of "+strings.ToLower(part.title), []byte(w[2]),
				fmt.Sprintf("the model has %d", len(part.list)))
		}
		seen := make([]bool, len(part.list))
		var queue []string
		for k := range part.list {
			if len(queue) == 0 {
				if queue = p.words(); queue == nil {
					return p.fail("", nil, "the file is truncated")
				}
			}
			code := queue[len(queue)-1]
			if version == "v1" {
				code, queue = queue[0], queue[1:]
			} else {
				name := strings.Join(queue[:len(queue)-1], " ")
				at, ok := part.index[name]
				if !ok || seen[at] {
					return p.fail("name", []byte(name), "no name of the "+strings.ToLower(part.title)+", or one that came before")
				}
				k, queue = at, nil
			}
			seen[k] = true
			v, ok := highsStatus(code, part.sides, k)
			if !ok {
				return p.fail("status", []byte(code), "none of 0 to 4")
			}
			part.list[k] = v
		}
	}
	return nil
}

func highsStatus(code string, sides func(int) (float64, float64), k int) (VarStatus, bool) {
	if len(code) != 1 {
		return 0, false
	}
	switch code[0] {
	case highsLower, highsZero:
		return AtLower, true
	case highsBasic:
		return Basic, true
	case highsUpper:
		return AtUpper, true
	case highsNonbasic:
		if lower, upper := sides(k); math.IsInf(clip(lower), -1) && !math.IsInf(clip(upper), 1) {
			return AtUpper, true
		}
		return AtLower, true
	}
	return 0, false
}

// glpk reads the basis of a solution that glpsol wrote with --write.
func (p *basisParser) glpk() *Error {
	place := glpkRows(p.model) // of the rows of the file; the others are basic
	lists := map[string][]VarStatus{"i": make([]VarStatus, len(place)), "j": p.basis.Cols}
	seen := map[string][]bool{"i": make([]bool, len(place)), "j": make([]bool, len(p.basis.Cols))}
	what := map[string]string{"i": "row number", "j": "column number"}
	left, begun := len(place)+len(p.basis.Cols), false
	for {
		w := p.words()
		switch {
		case w == nil:
			return p.fail("", nil, "the file ends without e o f: it is truncated")
		case w[0] == "c":
		case w[0] == "e":
			if left > 0 {
				return p.fail("", nil, fmt.Sprintf("%d rows and columns have no status", left))
			}
			for k, i := range place {
				p.basis.Rows[i] = lists["i"][k]
			}
			return nil
		case w[0] == "s" && len(w) >= 4:
			if w[1] != "bas" {
				return p.fail("kind", []byte(w[1]), "not that of a basic solution, bas")
			}
			for k, list := range [][]VarStatus{lists["i"], lists["j"]} {
				if n, err := strconv.Atoi(w[2+k]); err != nil || n != len(list) {
					return p.fail("number of "+[]string{"rows", "columns"}[k], []byte(w[2+k]),
						fmt.Sprintf("the model has %d", len(list))+[]string{" that are not free", ""}[k])
				}
			}
			begun = true
		case begun && lists[w[0]] != nil && len(w) >= 3:
			list := lists[w[0]]
			k, err := strconv.Atoi(w[1])
			if k--; err != nil || k < 0 || k >= len(list) || seen[w[0]][k] {
				return p.fail(what[w[0]], []byte(w[1]), fmt.Sprintf("none of 1 to %d, or a second time", len(list)))
			}
			code := strings.Index("lufsb", w[2])
			if len(w[2]) != 1 || code < 0 {
				return p.fail("status", []byte(w[2]), "none of b, l, u, f and s")
			}
			list[k] = [...]VarStatus{AtLower, AtUpper, AtLower, AtLower, Basic}[code]
			seen[w[0]][k] = true
			left--
		default:
			return p.fail("line", []byte(strings.Join(w, " ")), "expected i or j, a number and a status")
		}
	}
}
