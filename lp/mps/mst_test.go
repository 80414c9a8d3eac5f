package mps

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// cplexStart is a file with two starts in the XML style.
const cplexStart = `<?xml version = "1.0" encoding="UTF-8" standalone="yes"?>
<CPLEXSolutions version="1.2">
 <CPLEXSolution version="1.2">
  <header problemName="t" solutionName="m1" solutionIndex="0" MIPStartEffortLevel="0"/>
  <variables>
   <variable name="X" index="0" value="1"/>
   <variable name="Y&amp;Z" index="1" value="2.5"/>
  </variables>
 </CPLEXSolution>
 <CPLEXSolution version="1.2"><variables><variable name="X" value="3"/></variables></CPLEXSolution>
</CPLEXSolutions>
`

func startModel() *lp.Model {
	m := &lp.Model{Name: "t"}
	m.AddCol(lp.Col{Name: "X", Integer: true})
	m.AddCol(lp.Col{Name: "Y&Z"})
	return m
}

func TestReadMST(t *testing.T) {
	starts, err := ReadMST(strings.NewReader("\n "+cplexStart), "t.mst", startModel())
	if err != nil || len(starts) != 2 || starts[0][0] != 1 || starts[0][1] != 2.5 || starts[1][0] != 3 || !math.IsNaN(starts[1][1]) {
		t.Errorf("XML: %v, %v", starts, err)
	}
	starts, err = ReadMST(strings.NewReader("# a comment\nX 4\n"), "t.mst", startModel())
	if err != nil || len(starts) != 1 || starts[0][0] != 4 || !math.IsNaN(starts[0][1]) {
		t.Errorf("lines: %v, %v", starts, err)
	}
	for text, want := range map[string]string{
		"Q 1":  `line 1: column name "Q"`,
		"<a/>": "no CPLEXSolution",
		"<CPLEXSolution>\n<variable name='X'/></CPLEXSolution>":                       "line 2: variable",
		"<CPLEXSolution><variable name='X' value='1e400'/></CPLEXSolution>":           `value "1e400"`,
		"<CPLEXSolution>\n<variable name='Q' value='1'/></CPLEXSolution>":             `line 2: column name "Q"`,
		"<variable name='X' value='1'/>":                                              "not inside",
		"<CPLEXSolution><variable name='X' value='1'/><variable name='X' value='1'/>": "second value",
		"<CPLEXSolution>": "not well-formed",
	} {
		if _, err := ReadMST(strings.NewReader(text), "t.mst", startModel()); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestWriteMST(t *testing.T) {
	m, _ := read(t, wrap("BOUNDS\n BV Y\n"))
	var file bytes.Buffer
	if err := WriteMST(&file, m, []float64{1.5, 1}); err != nil || file.String() != "# MIP start of T\nY 1\n" {
		t.Errorf("%q, %v", file.String(), err)
	}
	starts, err := ReadMST(&file, "t.mst", m)
	if err != nil || !math.IsNaN(starts[0][0]) || starts[0][1] != 1 {
		t.Errorf("read back %v, %v", starts, err)
	}
	if err := WriteMST(&file, m, []float64{1}); err == nil {
		t.Error("a short start was written")
	}
}

func FuzzReadMST(f *testing.F) {
	f.Add("X 1\n")
	f.Add(cplexStart)
	f.Fuzz(func(t *testing.T, text string) {
		starts, err := ReadMST(strings.NewReader(text), "fuzz", startModel())
		if err != nil {
			if !errors.Is(err, ErrFormat) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q gave the error %v", text, err)
			}
			return
		}
		for _, x := range starts {
			if len(x) != 2 || math.IsInf(x[0]+x[1], 0) {
				t.Fatalf("%q gave %v", text, x)
			}
		}
	})
}
