package twostage

import (
	"fmt"
	"path"

	"github.com/proxybd/proxybd/lp"
)

// Match returns the columns, in their order, whose names match one of the patterns, in the syntax of path.Match
// (* ? [a-z]); a plain name matches itself. A pattern without a match is an error that wraps ErrOptions.
func Match(m *lp.Model, patterns []string) ([]lp.Var, error) {
	chosen := make([]bool, len(m.Cols))
	plain := make(map[string]int, len(m.Cols))
	for j := range m.Cols {
		plain[m.ColName(lp.Var(j))] = j
	}

	for _, p := range patterns {
		// A pattern that is the name of a column is that column, even if it has the signs of a pattern.
		if j, ok := plain[p]; ok {
			chosen[j] = true
			continue
		}

		// Any other pattern selects all columns that it matches, and a misspelt one is an error.
		found := false
		for j := range m.Cols {
			ok, err := path.Match(p, m.ColName(lp.Var(j)))
			if err != nil {
				return nil, fmt.Errorf("twostage: %w: first-stage pattern %q: %w", ErrOptions, p, inner(err))
			}
			chosen[j] = chosen[j] || ok
			found = found || ok
		}
		if !found {
			return nil, fmt.Errorf("twostage: %w: no column is named %q", ErrOptions, p)
		}
	}

	// A column that several patterns match is listed once.
	var list []lp.Var
	for j, c := range chosen {
		if c {
			list = append(list, lp.Var(j))
		}
	}
	return list, nil
}
