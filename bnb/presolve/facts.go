package presolve

// Implication is a bound that holds if the binary column Col has the value Value (0 or 1): then column Then is at most
// Bound, if Upper is set, or otherwise at least Bound. Between two binary columns it is an edge of the conflict graph:
// "if x_a = 1 then x_b <= 0" excludes that both are 1.
type Implication struct {
	Col   int32
	Value uint8
	Upper bool
	Then  int32
	Bound float64
}

// Facts are consequences of the rows, bounds and integrality that are not evident from single rows; the separators of
// implied bounds and of cliques use them. They hold at every feasible point of the reduced model. Implications are
// grouped by Col and Value, zero before one; each bound is tighter than that of the column.
type Facts struct {
	Implications []Implication
}

// rename drops the implications of column j, whose values have a new meaning.
func (f *Facts) rename(j int32) {
	// The list is shortened in place.
	keep := f.Implications[:0]
	for _, m := range f.Implications {
		if m.Col != j && m.Then != j {
			keep = append(keep, m)
		}
	}
	f.Implications = keep
}

// placed returns the facts in columns of the reduced model, where place has the index of each column, without those
// that the bounds of the columns imply.
func (f *Facts) placed(place []int32, p *problem) Facts {
	var out Facts
	for _, m := range f.Implications {
		// An implication about a column that is gone means nothing in the reduced model.
		if p.GoneCol[m.Col] || p.GoneCol[m.Then] {
			continue
		}

		// Later reductions may have made the bounds as tight as the implication.
		implied := m.Bound <= p.Lo[m.Then]
		if m.Upper {
			implied = m.Bound >= p.Up[m.Then]
		}
		if implied {
			continue
		}

		m.Col = place[m.Col]
		m.Then = place[m.Then]
		out.Implications = append(out.Implications, m)
	}
	return out
}
