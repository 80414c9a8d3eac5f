package mps

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// twoColumns is the model of the solution files below, as the programs read it: a long name and a short one.
func twoColumns() *lp.Model {
	m := &lp.Model{}
	m.AddCol(lp.Col{Name: "a_very_long_column_name", Upper: 10})
	m.AddCol(lp.Col{Name: "y", Upper: 10, Integer: true})
	return m
}

// solFiles are the point (0.5, 3) as the programs write it: laid out as cbc 2.10.8, clp 1.17, HiGHS 1.15 and glpsol 5.0
// do.
var solFiles = map[string]string{
	"cbc":          "Optimal - objective value 1.00000000\n      0 a_very_long_column_name             0.5                       1\n      1 y                                3                       0\n",
	"cbc, rows":    "Stopped on time - objective value 1.0\n      0 row                       7                       0\n      1 y                         9                       0\n      0 a_very_long_column_name             0.5                       1\n**       1 y                                3                       0\n",
	"clp":          "Optimal - objective value 1.0\n      0 a_very_long_column_name 0.5 1\n      1 y 3 0\n",
	"highs":        "Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 1\n# Columns 2\na_very_long_column_name 0.5\ny 3\n# Rows 1\nrow 7\n\n# Dual solution values\nNone\n\n# Basis\nHiGHS_basis_file v2\nNone\n",
	"highs sparse": "Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 1\n# Columns -2\na_very_long_column_name 0.5 0\ny 3 1\n# Rows -1\nrow 7 0\n",
	"highs pretty": "Columns\n    Index Status        Lower        Upper       Primal         Dual  Name\n        0     BS            0          inf          0.5            0  a_very_long_column_name\n        1     LB            3           10            3            1  y\nRows\n    Index Status        Lower        Upper       Primal         Dual  Name\n        0     BS            7          inf            7            0  row\n\nModel status: Optimal\n",
	"highs mip":    "Columns\n    Index Status        Lower        Upper       Primal         Dual  Type        Name\n        0                   0          inf          0.5               Continuous  a_very_long_column_name\n        1                   0           10            3               Integer     y\nRows\n",
	"glpk bas":     "c Problem:    t\nc Rows:       1\nc\ns bas 1 2 f f 1\ni 1 b 7 0\nj 1 b 0.5 0\nj 2 l 3 1\ne o f\n",
	"glpk mip":     "c Problem:    t\ns mip 1 2 o 1\ni 1 7\nj 1 0.5\nj 2 3\ne o f\n",
	"glpk ipt":     "s ipt 1 2 o 1\ni 1 7 0\nj 1 0.5 1\nj 2 3 0\ne o f\n",
	"glpk report":  "Problem:    t\nRows:       1\nColumns:    2\nStatus:     OPTIMAL\n\n   No.   Row name   St   Activity     Lower bound   Upper bound    Marginal\n------ ------------ -- ------------- ------------- ------------- -------------\n     1 row          B              7             7               \n\n   No. Column name  St   Activity     Lower bound   Upper bound    Marginal\n------ ------------ -- ------------- ------------- ------------- -------------\n     1 a_very_long_column_name\n                    B            0.5             0            10 \n     2 y            NL             3             3            10         < eps\n\nEnd of output\n",
	"glpk integer": "Problem:    t\n   No. Column name       Activity     Lower bound   Upper bound\n------ ------------    ------------- ------------- -------------\n     1 a_very_long_column_name\n                                 0.5             0               \n     2 y            *              3             0               \n\n",
	"cplex":        "<?xml version = \"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<CPLEXSolution version=\"1.2\">\n <header problemName=\"t\" objectiveValue=\"1\"/>\n <linearConstraints>\n  <constraint name=\"row\" index=\"0\" slack=\"0\"/>\n </linearConstraints>\n <variables>\n  <variable name=\"a_very_long_column_name\" index=\"0\" value=\"0.5\"/>\n  <variable name=\"y\" index=\"1\" value=\"3\"/>\n </variables>\n</CPLEXSolution>\n",
	"gurobi":       "# Solution for model t\n# Objective value = 1\na_very_long_column_name 0.5\ny 3\n",
	"scip":         "solution status: optimal solution found\nobjective value:                                    1\na_very_long_column_name                           0.5 \t(obj:1)\ny                                                   3 \t(obj:0)\n",
}

// TestSolutionsOfOthers reads the point from every layout, as a solution and as a start, and from no layout where the
// file is cut off before the last column.
func TestSolutionsOfOthers(t *testing.T) {
	for name, text := range solFiles {
		x, err := ReadSol(strings.NewReader("\n"+text), name, twoColumns())
		if err != nil || fmt.Sprint(x) != "[0.5 3]" {
			t.Errorf("%s: %v, %v", name, x, err)
		}
		starts, err := ReadMST(strings.NewReader(strings.ReplaceAll(text, "\n", "\r\n")), name, twoColumns())
		if err != nil || len(starts) != 1 || fmt.Sprint(starts[0]) != "[0.5 3]" {
			t.Errorf("%s: %v, %v", name, starts, err)
		}
	}
	x, err := ReadMST(strings.NewReader("Optimal - objective value 1\n 1 y 3 0\n"), "t", twoColumns())
	if err != nil || !math.IsNaN(x[0][0]) || x[0][1] != 3 {
		t.Errorf("%v, %v", x, err)
	}
}

// TestMalformedSolutions names line and field of what is wrong.
func TestMalformedSolutions(t *testing.T) {
	const head = "Model status\nOptimal\n\n# Primal solution values\n"
	for text, want := range map[string]string{
		"Optimal - objective value 1\n 0 z 3 0\n":     `line 2: column name "z": no such column`,
		"Optimal - objective value 1\n y 3\n":         `line 2: line " y 3"`,
		"Optimal - objective value 1\n 0 y three 0\n": `line 2: value "three"`,
		head + "None\n":                                                 "line 5: the file has no point",
		head + "Feasible\n":                                             `the file ends before "# Columns"`,
		head + "Feasible\n# Columns two\n":                              `line 6: number of columns "two"`,
		head + "Feasible\n# Columns 3\n":                                `line 6: number of columns "3": the model has 2`,
		head + "Feasible\n# Columns 2\ny 3\n":                           "line 7: the file ends",
		head + "Feasible\n# Columns 2\ny 3\ny 3\n":                      `line 8: column name "y": the second value`,
		head + "Feasible\n# Columns -1\nnothing\n":                      `line 7: line ""`,
		"Columns\n Index Status Lower\n 0 0 1 1 z\n":                    `line 3: column number "0": the model has the column "a_very_long_column_name" there`,
		"Columns\n Index\n 5 0 1 1 z\n":                                 `line 3: column number "5": the model has 2 columns`,
		"Columns\n Index\n 1 BS 0 1\n":                                  `line 3: line`,
		"s bas 1 3 f f 1\n":                                             `line 1: number of columns "3": the model has 2`,
		"s mip 1 2 o 1\nj 2 3\ne o f\n":                                 `line 3: column name "a_very_long_column_name": the file gives it no value`,
		"s mip 1 2 o 1\nj 2 3\n":                                        `line 2: the file ends before "e o f"`,
		"s mip 1 2 o 1\nj 2\n":                                          `line 2: line "j 2"`,
		"s mip 1 2 o 1\nj 0 1\n":                                        `line 2: column number "0"`,
		"c Rows: 1\nj 1 1\n":                                            `line 2: line "j 1 1"`,
		"Problem: t\n":                                                  `the file ends before "No. Column name"`,
		"Problem: t\n   No. Column name\n---\n 2 z B 1\n":               `line 4: column number "2": the model has the column "y" there`,
		"Problem: t\n   No. Column name\n---\n 2 y *\n":                 `line 4: value "*"`,
		"Problem: t\n   No. Column name\n---\n 2 y 1\n 2 y 1\n":         `line 5: column name "y": the second value`,
		"what is this\n":                                                `line 1: line "what is this"`,
		"{\"status\": \"optimal\"}\n":                                   `line 1: column name "{\"status\":"`,
		"<CPLEXSolution><variable name='y' value='x'/></CPLEXSolution>": `line 1: value "x"`,
	} {
		if x, err := ReadSol(strings.NewReader(text), "t.sol", twoColumns()); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", text, x, err, want)
		}
	}
}

// FuzzSolutionsOfOthers reads a point of finite numbers or says where the file is malformed.
func FuzzSolutionsOfOthers(f *testing.F) {
	for _, text := range solFiles {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x, err := ReadSol(strings.NewReader(text), "fuzz", twoColumns())
		switch {
		case err == nil && (len(x) != 2 || math.IsNaN(x[0]+x[1]) || math.IsInf(x[0]+x[1], 0)):
			t.Fatalf("%q gave %v", text, x)
		case err != nil && strings.Contains(err.Error(), "\n"):
			t.Fatalf("%q gave the error %v", text, err)
		}
	})
}
