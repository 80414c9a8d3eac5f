package scenfolder

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/internal/unpack"
	"github.com/proxybd/proxybd/lp"
)

// ReadPartition reads a partition of the rows of a model into blocks, the .dec file of SCIP and GCG:
//
//	NBLOCKS
//	2
//	BLOCK 1
//	row
//	row
//	BLOCK 2
//	row
//	MASTERCONSS
//	row
//
// It returns the names of the columns of the first stage: those with a row of the master or with rows of several
// blocks, and those without a row. The others are the recourse, which falls apart into the blocks once the first stage
// is fixed. A row that is not listed is one of the master. The keywords PRESOLVED and CONSDEFAULTMASTER, each with a
// number below it, change nothing here.
func ReadPartition(path string, m *lp.Model) (first []string, err error) {
	block, err := rowBlocks(path, m)
	if err != nil {
		return nil, err
	}

	// A column is of a block where all of its rows are.
	const (
		nowhere = -2
		shared  = -1
	)
	a, err := m.Matrix()
	if err != nil {
		return nil, fmt.Errorf("scenfolder: %w", err)
	}
	recourse := 0
	for j := range m.Cols {
		index, value := a.Vec(j)
		of := nowhere
		for k, i := range index {
			at := block[i]
			switch {
			case value[k] == 0:
			case of == nowhere:
				of = at
			case of != at:
				of = shared
			}
		}
		if of >= 0 {
			recourse++
		} else {
			first = append(first, m.ColName(lp.Var(j)))
		}
	}
	if recourse == 0 {
		return nil, fmt.Errorf("scenfolder: %s: %w: every column is in a row of the master or in several blocks, so that no "+
			"recourse is left", path, ErrFolder)
	}
	return first, nil
}

// rowBlocks returns the block of each row of a model, -1 for the master.
func rowBlocks(path string, m *lp.Model) ([]int, error) {
	text, err := unpack.File(path)
	if err != nil {
		return nil, fmt.Errorf("scenfolder: %w", err)
	}
	at := make(map[string]int, len(m.Rows))
	block := make([]int, len(m.Rows))
	for i := range m.Rows {
		at[m.RowName(lp.Con(i))] = i
		block[i] = -1
	}

	// A section holds rows; a number stands below some keywords.
	const (
		before = iota // a section
		number
		rows
	)
	state := before
	current := -1
	want := -1 // blocks that are announced
	seen := make(map[int]bool)
	listed := make(map[int]int) // the line of each row
	keyword := ""
	for k, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '\\' {
			continue
		}
		fail := func(format string, args ...any) error {
			return fmt.Errorf("scenfolder: %s:%d: %w: %s", path, k+1, ErrFolder, fmt.Sprintf(format, args...))
		}
		words := strings.Fields(line)
		key := strings.ToUpper(words[0])

		// Where a line stands says whether it is a keyword or a row, which may have any name without blanks.
		switch {
		case state == number:
			v, err := strconv.Atoi(line)
			if err != nil || v < 0 {
				return nil, fail("%q is no number, which stands below %s", line, keyword)
			}
			if keyword == "NBLOCKS" {
				want = v
			}
			state = before
		case len(words) == 1 && (key == "PRESOLVED" || key == "NBLOCKS" || key == "CONSDEFAULTMASTER"):
			state = number
			keyword = key
		case len(words) == 2 && key == "BLOCK":
			v, err := strconv.Atoi(words[1])
			if err != nil || seen[v] || v < 0 {
				return nil, fail("%q is no number of a new block", words[1])
			}
			seen[v] = true
			current = v
			state = rows
		case len(words) == 1 && key == "MASTERCONSS":
			current = -1
			state = rows
		case state == rows && len(words) == 1:
			i, known := at[words[0]]
			if !known {
				return nil, fail("the model has no row %q", words[0])
			}
			if other, twice := listed[i]; twice {
				return nil, fail("the row %s is listed in line %d already", words[0], other)
			}
			listed[i] = k + 1
			block[i] = current
		default:
			return nil, fail("%q is not expected here: sections are NBLOCKS, BLOCK with a number, and MASTERCONSS", line)
		}
	}
	if want >= 0 && want != len(seen) || len(seen) == 0 {
		return nil, fmt.Errorf("scenfolder: %s: %w: %d blocks, and NBLOCKS %d", path, ErrFolder, len(seen), want)
	}
	return block, nil
}
