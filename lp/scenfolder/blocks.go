package scenfolder

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/internal/unpack"
	"github.com/proxybd/proxybd/lp"
)

// IsBlocks reports whether a path has the ending of SCIP's Benders files.
func IsBlocks(path string) bool { return strings.HasSuffix(strings.ToLower(unpack.Plain(path)), ".bd") }

// ReadBlocks reads SCIP's Benders file, which names the files of a master and of its subproblems:
//
//	MASTER
//	master.lp
//	SUBPROBLEMS 2
//	first.lp
//	second.mps
//
// It returns the whole model and the names of the master's columns. A column of a subproblem that the master has too
// is the master's; all others are the subproblem's own, named with its number where the name is taken. The objective
// is the sum of all. Bounds of a column in several files apply together. warn is called with what the readers of the
// models had to interpret; it may be nil.
func ReadBlocks(path string, warn func(line string)) (*lp.Model, []string, error) {
	names, err := blockFiles(path)
	if err != nil {
		return nil, nil, err
	}
	whole := &lp.Model{Name: unpack.Stem(path)}
	at := make(map[string]lp.Var)
	var first []string
	var files models
	for k, name := range names {
		file := filepath.Join(filepath.Dir(path), name)
		m, err := files.read(file)
		if err != nil {
			return nil, nil, err
		}
		if k == 0 {
			whole.Maximize = m.Maximize
		} else if m.Maximize != whole.Maximize {
			return nil, nil, fmt.Errorf("scenfolder: %s: %w: the sense of the objective is not that of the master", file,
				ErrFolder)
		}
		if err := join(whole, m, k, at); err != nil {
			return nil, nil, err
		}

		// The columns so far are those of the master, which later files share.
		if k == 0 {
			for j := range whole.Cols {
				name := whole.ColName(lp.Var(j))
				first = append(first, name)
				at[name] = lp.Var(j)
			}
		}
	}
	files.pass(warn)
	return whole, first, nil
}

// join adds the rows and columns of file k to the whole model; shared are the columns of the master by name.
func join(whole, m *lp.Model, k int, shared map[string]lp.Var) error {
	a, err := m.Matrix()
	if err != nil {
		return fmt.Errorf("scenfolder: %w", err)
	}

	// A column that the master has is that one; others are new, under a name of their own.
	taken := colNames(whole)
	col := make([]lp.Var, len(m.Cols))
	for j, c := range m.Cols {
		name := m.ColName(lp.Var(j))
		if own, ok := shared[name]; ok {
			of := &whole.Cols[own]
			of.Cost += c.Cost
			of.Lower = max(of.Lower, c.Lower)
			of.Upper = min(of.Upper, c.Upper)
			of.Integer = of.Integer || c.Integer
			col[j] = own
			continue
		}
		c.Name = take(taken, name, "_"+strconv.Itoa(k))
		col[j] = whole.AddCol(c)
	}
	whole.Offset += m.Offset

	// The rows follow, by the columns of the whole model.
	byRow := a.Transpose()
	for i, r := range m.Rows {
		index, value := byRow.Vec(i)
		own := make([]int32, len(index))
		for e, j := range index {
			own[e] = int32(col[j])
		}
		r.Name = m.RowName(lp.Con(i))
		if k > 0 {
			r.Name += "_" + strconv.Itoa(k)
		}
		whole.AddRow(r, own, value)
	}
	return nil
}

// blockFiles returns the files that a Benders file names, that of the master first.
func blockFiles(path string) ([]string, error) {
	text, err := unpack.File(path)
	if err != nil {
		return nil, fmt.Errorf("scenfolder: %w", err)
	}

	// The words MASTER and SUBPROBLEMS begin a list of files each, of one file and of as many as are announced.
	var names []string
	section := ""
	want := -1
	for k, line := range strings.Split(string(text), "\n") {
		fail := func(format string, args ...any) error {
			return fmt.Errorf("scenfolder: %s:%d: %w: %s", path, k+1, ErrFolder, fmt.Sprintf(format, args...))
		}

		// A line is a word of the layout, or a file where one is expected.
		words := strings.Fields(line)
		full := section == "" || section == "MASTER" && len(names) == 1
		switch {
		case len(words) == 0 || words[0][0] == '*':
		case strings.EqualFold(words[0], "MASTER") && section == "":
			section = "MASTER"
		case strings.EqualFold(words[0], "SUBPROBLEMS") && section == "MASTER" && len(names) == 1:
			section = "SUBPROBLEMS"
			if len(words) > 1 {
				if want, err = strconv.Atoi(words[1]); err != nil {
					return nil, fail("%q is no number of subproblems", words[1])
				}
			}
		case full || len(words) != 1:
			return nil, fail("%q is not expected here: it is MASTER, a file, SUBPROBLEMS, and its files",
				strings.TrimSpace(line))
		default:
			names = append(names, words[0])
		}
	}

	// There is a master and a subproblem at least, and the number of subproblems is the announced one, if there is one.
	if len(names) < 2 || want >= 0 && want != len(names)-1 {
		return nil, fmt.Errorf("scenfolder: %s: %w: %d files of subproblems are named, and %d announced", path, ErrFolder,
			max(0, len(names)-1), max(want, 1))
	}
	return names, nil
}
