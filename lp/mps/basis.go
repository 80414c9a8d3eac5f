package mps

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/proxybd/proxybd/lp"
)

// VarStatus says where a variable of a basis is.
type VarStatus uint8

const (
	// AtLower is nonbasic at the lower bound, or at zero where there is none.
	AtLower VarStatus = iota
	// AtUpper is nonbasic at the upper bound.
	AtUpper
	// Basic is in the basis: its value follows from those of the nonbasic variables.
	Basic
)

// basisCodes are the codes of lines in a basis file of MPS, with the status that they give to the column. XU and XL
// also take a row out of the basis.
var basisCodes = map[string]VarStatus{"XU": Basic, "XL": Basic, "UL": AtUpper, "LL": AtLower, "BS": Basic}

// Basis is a simplex basis: a status for every column and for the activity of every row. As many of them are Basic as
// there are rows.
type Basis struct{ Cols, Rows []VarStatus }

// noRow stands where CLP and CBC look for a row in a line without one, since they skip lines of two fields.
const noRow = "_dummy_"

// ErrBasis is wrapped by the error of WriteBasis on a basis that does not fit the model.
var ErrBasis = errors.New("basis does not fit the model")

// WriteBasis writes a basis file (.bas) with the names that Write gives to rows and columns: XU and XL pair a basic
// column with a row at its upper or lower bound, UL is a column at its upper bound; all other columns are at their
// lower bound and all other rows basic.
func WriteBasis(w io.Writer, m *lp.Model, b *Basis) error {
	if err := b.check(m); err != nil {
		return err
	}

	// Columns at their lower bound and basic rows have no line.
	names := namesFor(m)
	out := &writer{w: bufio.NewWriter(w), m: m}
	out.line("NAME          " + writable(m.Name))
	row := 0
	for j, v := range b.Cols {
		switch v {
		case AtUpper:
			out.card("UL", names.cols[j], noRow)
		case Basic:
			// There are as many nonbasic rows as basic columns; which two make a pair has no meaning.
			for b.Rows[row] == Basic {
				row++
			}
			code := [...]string{AtLower: "XL", AtUpper: "XU"}[b.Rows[row]]
			out.card(code, names.cols[j], names.rows[row])
			row++
		}
	}
	out.line("ENDATA")
	return flush(out.w)
}

// ReadBasis reads a basis file for the model, packed or plain, in any layout that BasisStyle names, which its first
// line shows. In that of MPS a value may follow the names of a line, as CLP writes them after VALUES. The name stands
// for the file in errors.
func ReadBasis(r io.Reader, name string, m *lp.Model) (*Basis, error) {
	data, err := readAll(r, name)
	if err != nil {
		return nil, err
	}

	// Whatever the layout, as many variables are basic as the model has rows.
	p := newBasisParser(data, m)
	parse := [...]func() *Error{BasisMPS: p.parse, BasisHiGHS: p.highs, BasisGLPK: p.glpk}[basisStyleOf(data)]
	bad := parse()
	if n := p.basis.basic(); bad == nil && n != len(m.Rows) {
		bad = &Error{Msg: fmt.Sprintf("%d basic variables, the model has %d rows", n, len(m.Rows))}
	}
	if bad != nil {
		bad.File = name
		return nil, bad
	}
	return p.basis, nil
}

// basisParser reads one basis file, in any layout.
type basisParser struct {
	model *lp.Model
	scan  scanner
	// rows and cols give the index of a name, as Write gives names to the model.
	rows, cols map[string]int
	// basis is the result; it is complete once all lines have been read.
	basis *Basis
	// set marks the columns that a line has named: each may have one line.
	set []bool
}

// newBasisParser begins with the basis of the slacks, which lines change.
func newBasisParser(data []byte, m *lp.Model) *basisParser {
	names := namesFor(m)
	p := &basisParser{
		model: m,
		scan:  scanner{data: data},
		rows:  map[string]int{},
		cols:  map[string]int{},
		set:   make([]bool, len(m.Cols)),
		basis: &Basis{Cols: make([]VarStatus, len(m.Cols)), Rows: make([]VarStatus, len(m.Rows))},
	}

	// The zero value is AtLower: columns are at their lower bound, rows are basic.
	for i, s := range names.rows {
		p.rows[s] = i
		p.basis.Rows[i] = Basic
	}
	for j, s := range names.cols {
		p.cols[s] = j
	}
	return p
}

// fail makes an error at the current line; see failure.
func (p *basisParser) fail(what string, text []byte, msg string) *Error {
	return failure(p.scan.line, what, text, msg)
}

// parse reads the layout of MPS.
func (p *basisParser) parse() *Error {
	for {
		line := p.scan.next()
		if line == nil {
			return p.fail("", nil, "the file ends without ENDATA: it is truncated")
		}

		var tok [maxTokens][]byte
		n := split(line, &tok)

		// A line that starts in the first column is a section: only NAME and ENDATA are known.
		if !blank(line[0]) {
			switch string(tok[0]) {
			case "NAME":
				continue
			case "ENDATA":
				return nil
			}
			return p.fail("section", tok[0], "unknown")
		}
		if err := p.line(tok[:n]); err != nil {
			return err
		}
	}
}

// line reads XU or XL with a column and a row, or UL, LL or BS with a column.
func (p *basisParser) line(tok [][]byte) *Error {
	code := string(tok[0])
	status, ok := basisCodes[code]
	if !ok {
		return p.fail("status", tok[0], "none of XU, XL, UL, LL and BS")
	}

	// How many fields the line has, without a value: the code, a column, and a row or what stands for none.
	paired := code[0] == 'X'
	want := 2
	if paired || len(tok) > 2 && string(tok[2]) == noRow {
		want = 3
	}
	if len(tok) == want+1 {
		if _, ok := parseBound(tok[want]); !ok {
			return p.fail("value", tok[want], "not a number")
		}
	} else if len(tok) != want {
		return p.fail("", nil, fmt.Sprintf("%s takes %d names and perhaps a value, found %d fields", code, want-1,
			len(tok)-1))
	}

	// Each column has one status.
	j, ok := p.cols[string(tok[1])]
	if !ok {
		return p.fail("column name", tok[1], "no such column")
	}
	if p.set[j] {
		return p.fail("column name", tok[1], "the second status of this column")
	}
	p.set[j] = true
	p.basis.Cols[j] = status
	if !paired {
		return nil
	}

	// The column of a pair is basic instead of the row.
	i, ok := p.rows[string(tok[2])]
	if !ok {
		return p.fail("row name", tok[2], "no such row")
	}
	if p.basis.Rows[i] != Basic {
		return p.fail("row name", tok[2], "the second status of this row")
	}

	// The second letter of the code is the bound of the row.
	p.basis.Rows[i] = AtLower
	if code == "XU" {
		p.basis.Rows[i] = AtUpper
	}
	return nil
}
