package nl

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

// Solution is what a .sol file says.
type Solution struct {
	Message string
	Code    int       // of AMPL: 0 solved, 200 infeasible, 300 unbounded, 400 and 401 a limit, 500 a failure
	X       []float64 // of the columns of the file, nil for none
	Dual    []float64 // of its rows, nil for none

	// Where columns and rows are in the basis, nil for no basis.
	ColBasis, RowBasis []BasisStatus
}

// Codes of Solution.Code.
const (
	Solved       = 0
	Infeasible   = 200
	Unbounded    = 300
	Limit        = 400 // with a point
	LimitNoPoint = 401
	Failure      = 500
)

// BasisStatus is a value of the suffix sstatus.
type BasisStatus int

// The values of AMPL's table for sstatus.
const (
	Basic   BasisStatus = 1
	Free    BasisStatus = 2 // not in the basis, and without a bound to be at
	AtLower BasisStatus = 3
	AtUpper BasisStatus = 4
)

// WriteSol writes the .sol file that answers a problem: message, options, duals, values, the code, and as a suffix
// sstatus where the basis has columns and rows.
func WriteSol(w io.Writer, p *Problem, s *Solution) error {
	b := bufio.NewWriter(w)

	// An empty line ends the message, which therefore must not contain one.
	fmt.Fprintf(b, "%s\n\nOptions\n%d\n", s.Message, len(p.Options))
	for _, v := range p.Options {
		fmt.Fprintln(b, v)
	}
	if p.Tolerance != "" {
		fmt.Fprintln(b, p.Tolerance)
	}
	rows, columns := p.rows(), len(p.Model.Cols)-hidden(p.Model)
	fmt.Fprintf(b, "%d\n%d\n%d\n%d\n", rows, min(rows, len(s.Dual)), columns, min(columns, len(s.X)))
	write := func(list []float64, n int) {
		for _, v := range list[:min(n, len(list))] {
			fmt.Fprintln(b, strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	write(s.Dual, rows)
	write(s.X, columns)
	fmt.Fprintf(b, "objno %d %d\n", max(p.Objective-1, 0), s.Code)
	writeBasis(b, 0, s.ColBasis, columns)
	writeBasis(b, 1, s.RowBasis, rows)
	if err := b.Flush(); err != nil {
		return fmt.Errorf("nl: %w", err)
	}
	return nil
}

// writeBasis writes the suffix sstatus of columns (kind 0) or rows (kind 1). The list may go on with hidden ones.
func writeBasis(b *bufio.Writer, kind int, list []BasisStatus, n int) {
	const name = "sstatus"
	if len(list) < n || n == 0 {
		return
	}

	// The length counts the zero byte that ends a name in C; there is no table of the values.
	fmt.Fprintf(b, "suffix %d %d %d 0 0\n%s\n", kind, n, len(name)+1, name)
	for k, v := range list[:n] {
		fmt.Fprintln(b, k, int(v))
	}
}
