package presolve

// Implication says that where the binary column Col is Value (0 or 1), column Then is at most Bound (if
// Upper is set) or at least Bound. Between two binary columns it is an edge of the conflict graph: "if x_a =
// 1 then x_b <= 0" forbids that both are 1.
type Implication struct {
	Col   int32
	Value uint8
	Upper bool
	Then  int32
	Bound float64
}

// Facts are consequences of the rows, bounds and integrality that single rows do not show; separators of
// implied bounds and of cliques start from them. They hold at every feasible point of the reduced model.
// Implications are grouped by Col and Value, zero before one; each bound is tighter than the column's own.
type Facts struct {
	Implications []Implication
}

// rename forgets what is known about column j, which stands for something else now.
func (f *Facts) rename(j int32) {
	keep := f.Implications[:0]
	for _, m := range f.Implications {
		if m.Col != j && m.Then != j {
			keep = append(keep, m)
		}
	}
	f.Implications = keep
}

// placed returns the facts by the columns of the reduced model.
func (f *Facts) placed(place []int32, p *problem) Facts {
	var out Facts
	for _, m := range f.Implications {
		if p.GoneCol[m.Col] || p.GoneCol[m.Then] {
			continue
		}
		if m.Upper && m.Bound >= p.Up[m.Then] || !m.Upper && m.Bound <= p.Lo[m.Then] {
			continue
		}
		m.Col, m.Then = place[m.Col], place[m.Then]
		out.Implications = append(out.Implications, m)
	}
	return out
}
