package mps

import (
	"cmp"
	"strconv"

	"github.com/proxybd/proxybd/lp"
)

// names are the names that a file gives to rows and columns: those of the model, except where free MPS
// cannot carry one or two are equal.
type names struct {
	// objective is the name of the objective, which is a row of MPS files; no other row has it.
	objective string
	// rows and cols are the names by index.
	rows, cols []string
}

// Names returns the names that Write gives to the objective, the rows and the columns.
func Names(m *lp.Model) (objective string, rows, cols []string) {
	n := namesFor(m)
	return n.objective, n.rows, n.cols
}

// namesFor returns the names for MPS.
func namesFor(m *lp.Model) names { return namesWith(m, writable) }

// namesWith chooses the names; writable returns a name with what a format cannot carry replaced.
func namesWith(m *lp.Model, writable func(string) string) names {
	// The objective is a row of the file. It comes last, so that rows keep their names.
	rows := make([]string, len(m.Rows)+1)
	for i := range m.Rows {
		rows[i] = m.RowName(lp.Con(i))
	}
	rows[len(m.Rows)] = cmp.Or(m.Objective, "OBJ")
	distinct(rows, writable)
	return names{objective: rows[len(m.Rows)], rows: rows[:len(m.Rows)], cols: columnNames(m, writable)}
}

// columnNames chooses the names of the columns.
func columnNames(m *lp.Model, writable func(string) string) []string {
	cols := make([]string, len(m.Cols))
	for j := range cols {
		cols[j] = m.ColName(lp.Var(j))
	}

	// Hidden columns have names too: files may have them.
	distinct(cols, writable)
	return cols
}

// distinct makes every name writable and all of them different, and changes as few as possible: the first owner of
// a writable name keeps it; others get a writable name, and a number where that clashes. The list x, x, "a b", a_b
// becomes x, x_2, a_b_2, a_b.
func distinct(list []string, writable func(string) string) {
	// owner has the index of the entry that keeps a name as it is.
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

		// The name itself comes first, then with the numbers from 2 on, until no other entry has it.
		base := writable(s)
		s = base
		_, taken := owner[s]
		for n := 2; taken; n++ {
			s = base + "_" + strconv.Itoa(n)
			_, taken = owner[s]
		}
		owner[s] = i
		list[i] = s
	}
}

// writable returns the name with an underscore for every blank. The word 'MARKER' would begin a group of integer
// columns.
func writable(s string) string {
	if s == "'MARKER'" {
		return "_MARKER_"
	}
	return replace(s, func(c byte) bool { return blank(c) || c == '\n' })
}

// replace returns the name with an underscore for every byte that is bad.
func replace(s string, bad func(c byte) bool) string {
	var out []byte // nil while no byte is bad, so that most names are not copied
	for i := range len(s) {
		if !bad(s[i]) {
			continue
		}
		if out == nil {
			out = []byte(s)
		}
		out[i] = '_'
	}
	if out == nil {
		return s
	}
	return string(out)
}
