package smps

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/lp"
)

// readTime reads the time file: the periods, and that of every row and column.
func readTime(path string, c *core) (periods []string, colPeriod, rowPeriod []int32, err error) {
	f, err := open(path)
	if err != nil {
		return nil, nil, nil, err
	}
	t := &timeParser{file: f, core: c}
	if err := t.parse(); err != nil {
		return nil, nil, nil, err
	}
	return t.periods, t.colPeriod, t.rowPeriod, nil
}

// timeParser reads a time file.
type timeParser struct {
	*file
	core *core
	// periods are the names of the periods, in order.
	periods []string
	// explicit says that sections ROWS and COLUMNS name the period of each row and column.
	explicit bool
	// firstCol and firstRow are the first column and row of each period, where the file is not explicit.
	firstCol, firstRow []int32
	// colPeriod and rowPeriod are the period of each column and row, -1 where it is not known yet.
	colPeriod, rowPeriod []int32
}

// parse reads the file to ENDATA (Gassmann and Schweitzer 2001).
func (t *timeParser) parse() error {
	t.colPeriod = slices.Repeat([]int32{-1}, len(t.core.Model.Cols))
	t.rowPeriod = slices.Repeat([]int32{-1}, len(t.core.Model.Rows))

	section := ""
	for fields, header := range t.lines {
		// A line that starts with a blank is data of the section above.
		if !header {
			if err := t.data(section, fields); err != nil {
				return err
			}
			continue
		}

		// The explicit form has sections of its own for rows and columns.
		section = strings.ToUpper(fields[0])
		switch section {
		case "TIME", "NAME":
		case "ENDATA":
			return t.finish()
		case "PERIODS":
			t.explicit = len(fields) > 1 && strings.EqualFold(fields[1], "EXPLICIT")
		case "ROWS", "COLUMNS":
			if !t.explicit {
				return t.fail("section", fields[0], "only PERIODS EXPLICIT has it")
			}
		default:
			return t.fail("section", fields[0], "unknown")
		}
	}
	return t.fail("", "", "the file ends without ENDATA: it is truncated")
}

// data handles a line of a section.
func (t *timeParser) data(section string, fields []string) error {
	// A line of PERIODS is a name alone in the explicit form.
	switch {
	case section == "PERIODS" && t.explicit:
		if len(fields) != 1 {
			return t.fail("", "", "expected the name of a period, found %d fields", len(fields))
		}
		return t.addPeriod(fields[0])
	case section == "PERIODS":
		return t.implicit(fields)
	case section == "ROWS":
		return t.assign(fields, "row", t.core.rows, t.rowPeriod)
	case section == "COLUMNS":
		return t.assign(fields, "column", t.core.cols, t.colPeriod)
	}
	return t.fail("", "", "data outside any section")
}

// addPeriod adds a period behind those before.
func (t *timeParser) addPeriod(name string) error {
	if slices.Contains(t.periods, name) {
		return t.fail("period", name, "the second period of this name")
	}

	// The order of the lines is that of time.
	t.periods = append(t.periods, name)
	return nil
}

// implicit reads the first column, the first row and the name of a period.
func (t *timeParser) implicit(fields []string) error {
	if len(fields) != 3 {
		return t.fail("", "", "expected a column, a row and a period, found %d fields", len(fields))
	}
	j, ok := t.core.cols[fields[0]]
	if !ok {
		return t.fail("column", fields[0], "not in the core file")
	}

	// The objective is no row of the model. It may only stand at the beginning.
	i, ok := t.core.rows[fields[1]]
	if !ok {
		if fields[1] != t.core.Model.Objective || len(t.periods) > 0 {
			return t.fail("row", fields[1], "not in the core file, nor the objective of the first period")
		}
		i = 0
	}

	// A period without rows begins at the row where the next one begins.
	if k := len(t.firstCol) - 1; k >= 0 && (j <= t.firstCol[k] || i < t.firstRow[k]) {
		return t.fail("period", fields[2], "it begins before the one above: columns and rows must be in the order of the "+
			"core")
	}
	t.firstCol = append(t.firstCol, j)
	t.firstRow = append(t.firstRow, i)
	return t.addPeriod(fields[2])
}

// assign reads the period of a row or a column.
func (t *timeParser) assign(fields []string, what string, index map[string]int32, to []int32) error {
	if len(fields) != 2 {
		return t.fail("", "", "expected a %s and a period, found %d fields", what, len(fields))
	}
	k, ok := index[fields[0]]
	if !ok {
		// The objective may be listed among the rows. It belongs to all periods.
		if fields[0] == t.core.Model.Objective {
			return nil
		}
		return t.fail(what, fields[0], "not in the core file")
	}

	// A row or column that is named twice has the last period.
	p, err := periodOf(t.file, t.periods, fields[1])
	to[k] = p
	return err
}

// finish gives every row and column its period and checks that no row needs a column of a later one.
func (t *timeParser) finish() error {
	if len(t.periods) < 2 {
		return t.fail("", "", "%d periods: a stochastic program has at least two", len(t.periods))
	}
	if !t.explicit {
		spread(t.colPeriod, t.firstCol)
		spread(t.rowPeriod, t.firstRow)
	}

	// In the explicit form a row or column may be missing.
	m := t.core.Model
	if j := slices.Index(t.colPeriod, -1); j >= 0 {
		return t.fail("column", m.ColName(lp.Var(j)), "it has no period")
	}
	if i := slices.Index(t.rowPeriod, -1); i >= 0 {
		return t.fail("row", m.RowName(lp.Con(i)), "it has no period")
	}

	// Decisions do not depend on later ones.
	for j := range m.Cols {
		index, _ := t.core.matrix.Vec(j)
		for _, i := range index {
			if t.rowPeriod[i] < t.colPeriod[j] {
				return t.fail("row", m.RowName(lp.Con(i)), "of period %s has the column %s of the later period %s",
					t.periods[t.rowPeriod[i]], m.ColName(lp.Var(j)), t.periods[t.colPeriod[j]])
			}
		}
	}
	return nil
}

// spread fills the periods by their first positions. What comes before the first one belongs to it.
func spread(to, first []int32) {
	p := int32(0)
	for k := range to {
		for int(p)+1 < len(first) && int32(k) >= first[p+1] {
			p++
		}
		to[k] = p
	}
}

// periodOf returns the index of a period by its name.
func periodOf(f *file, periods []string, name string) (int32, error) {
	if p := slices.Index(periods, name); p >= 0 {
		return int32(p), nil
	}

	// The names that there are help to find a misspelt one.
	return 0, f.fail("period", name, "not in the time file, which has %s", list(periods))
}

// list joins names for a message, the first few of many.
func list(names []string) string {
	const maxNames = 6

	// A program may have hundreds of periods.
	if len(names) > maxNames {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), len(names)-maxNames)
	}
	return strings.Join(names, ", ")
}
