package mps

import (
	"strconv"

	"github.com/proxybd/proxybd/lp"
)

// names are the names that a file gives to rows and columns: those of the model, except where free MPS
// cannot carry one or two are equal.
type names struct {
	objective  string
	rows, cols []string
}

// Names returns the names that Write gives to the objective, the rows and the columns.
func Names(m *lp.Model) (objective string, rows, cols []string) {
	n := namesFor(m)
	return n.objective, n.rows, n.cols
}

func namesFor(m *lp.Model) names { return namesWith(m, writable) }

// namesWith chooses the names; writable returns a name with what a format cannot carry replaced.
func namesWith(m *lp.Model, writable func(string) string) names {
	rowNames := make([]string, len(m.Rows)+1)
	for i := range m.Rows {
		rowNames[i] = m.RowName(lp.Con(i))
	}
	objectiveName := m.Objective
	if objectiveName == "" {
		objectiveName = "OBJ"
	}
	rowNames[len(m.Rows)] = objectiveName
	distinct(rowNames, writable)
	colNames := make([]string, len(m.Cols))
	for j := range m.Cols {
		colNames[j] = m.ColName(lp.Var(j))
	}
	distinct(colNames, writable)
	return names{objective: rowNames[len(m.Rows)], rows: rowNames[:len(m.Rows)], cols: colNames}
}

// distinct makes every name writable and all of them different, changing as few as it can: the first owner of
// a writable name keeps it; others get a writable name, and a number where that clashes.
func distinct(list []string, writable func(string) string) {
	owner := make(map[string]int, len(list))
	for i, s := range list {
		if _, taken := owner[s]; !taken && writable(s) == s {
			owner[s] = i
		}
	}
	for i, s := range list {
		if k, ok := owner[s]; ok && k == i {
			continue
		}
		base := writable(s)
		s = base
		for n := 2; ; n++ {
			if _, taken := owner[s]; !taken {
				break
			}
			s = base + "_" + strconv.Itoa(n)
		}
		owner[s] = i
		list[i] = s
	}
}

// writable returns the name with an underscore for every blank.
func writable(s string) string {
	if s == "'MARKER'" {
		return "_MARKER_"
	}
	out := []byte(nil)
	for i := range len(s) {
		if blank(s[i]) || s[i] == '\n' {
			if out == nil {
				out = []byte(s)
			}
			out[i] = '_'
		}
	}
	if out == nil {
		return s
	}
	return string(out)
}
