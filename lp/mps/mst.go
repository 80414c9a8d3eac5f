package mps

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/proxybd/proxybd/lp"
)

// WriteMST writes a MIP start: comment lines, then a line "name value" for every integer column, hidden ones apart,
// whose value in x is not NaN, with the names that WriteSol gives them.
func WriteMST(w io.Writer, m *lp.Model, x []float64) error {
	if len(x) != len(m.Cols) {
		return fmt.Errorf("mps: a start of %d values for a model with %d columns", len(x), len(m.Cols))
	}

	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# MIP start of %s\n", writable(m.Name))
	for j, name := range pointNames(m) {
		// Continuous columns follow from the integer ones.
		if c := &m.Cols[j]; c.Integer && !c.Hidden && !math.IsNaN(x[j]) {
			fmt.Fprintf(out, "%s %s\n", name, formatNumber(x[j]))
		}
	}
	return flush(out)
}

// formatNumber returns the shortest decimal that gives the same float64, without the sign of a negative zero.
func formatNumber(v float64) string { return strconv.FormatFloat(v+0, 'g', -1, 64) }

// ReadMST reads the MIP starts of a file for the model, in any layout that ReadSol takes. In the XML of CPLEX every
// CPLEXSolution is a start, given by the attributes name and value of the elements variable; other layouts make one
// start. Columns that a start leaves out are NaN, hidden ones only where they do not follow from the others. The name
// stands for the file in errors.
func ReadMST(r io.Reader, name string, m *lp.Model) ([][]float64, error) {
	data, err := readAll(r, name)
	if err != nil {
		return nil, err
	}
	return readPoints(data, name, m, math.NaN())
}

// readXML reads the elements variable of every CPLEXSolution; missing is the value of columns that it leaves out.
func readXML(r io.Reader, name string, m *lp.Model, missing float64) ([][]float64, error) {
	dec := xml.NewDecoder(r)
	// p is the start that the elements variable belong to: that of the last CPLEXSolution.
	var starts [][]float64
	var p *point
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}

		// An error names the line where the decoder is.
		line, _ := dec.InputPos()
		if err != nil {
			return nil, &Error{File: name, Line: line, Msg: "not well-formed XML"}
		}
		e, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}

		// Other elements, such as the header and the constraints, say nothing of the columns.
		switch e.Name.Local {
		case "CPLEXSolution":
			p = newPoint(nil, name, m, missing)
			starts = append(starts, p.x)
		case "variable":
			if p == nil {
				return nil, &Error{File: name, Line: line, Field: "variable", Msg: "not inside a CPLEXSolution"}
			}
			p.scan.line = line
			if err := p.element(e); err != nil {
				return nil, err
			}
		}
	}

	// An empty file of the right kind has no start either.
	if starts == nil {
		return nil, &Error{File: name, Msg: "no CPLEXSolution in the file"}
	}
	return starts, nil
}

// element takes one variable of the XML style.
func (p *point) element(e xml.StartElement) error {
	var name, value *string
	for k := range e.Attr {
		switch a := &e.Attr[k]; a.Name.Local {
		case "name":
			name = &a.Value
		case "value":
			value = &a.Value
		}
	}

	// Other attributes, such as the reduced cost, do not matter.
	if name == nil || value == nil {
		return p.fail("variable", "", "expected the attributes name and value")
	}
	return p.assign(*name, *value)
}
