package nested

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/smps"
	"github.com/proxybd/proxybd/lp/stoch"
	"github.com/proxybd/proxybd/simplex"
)

// draw makes a small program. Rows may have columns of any earlier period; numbers of all kinds are random, and known
// when they are needed or before. Few have slack columns, so that some programs are infeasible or unbounded.
func draw(rng *rand.Rand, listed bool) *smps.Program {
	periods := 2 + rng.IntN(3)
	m := &lp.Model{Name: "random", Maximize: rng.IntN(4) == 0, Offset: float64(rng.IntN(5))}
	p := &smps.Program{Name: m.Name, Core: m}
	sign := 1.0
	if m.Maximize {
		sign = -1
	}
	safe := rng.IntN(3) > 0 // costs and slack that keep it feasible and bounded
	for t := range periods {
		p.Periods = append(p.Periods, fmt.Sprint("T", t+1))
		for range 1 + rng.IntN(3) {
			c := lp.Col{Cost: sign * float64(rng.IntN(9)), Upper: lp.Inf}
			if !safe {
				c.Cost -= sign * float64(rng.IntN(3))
			}
			switch rng.IntN(5) {
			case 0:
				c.Lower, c.Upper = -float64(rng.IntN(5)), float64(1+rng.IntN(9))
			case 1:
				c.Upper = float64(1 + rng.IntN(9))
			case 2:
				if !safe {
					c.Lower = -lp.Inf
				}
			}
			m.AddCol(c)
			p.ColPeriod = append(p.ColPeriod, int32(t))
		}
		for range 1 + rng.IntN(2) {
			r := lp.Row{Lower: float64(rng.IntN(9) - 3), Upper: lp.Inf}
			switch rng.IntN(4) {
			case 0:
				r.Upper = r.Lower
			case 1:
				r.Lower, r.Upper = -lp.Inf, r.Lower+2
			case 2:
				r.Upper = r.Lower + float64(rng.IntN(4))
			}
			i := m.AddRow(r, nil, nil)
			p.RowPeriod = append(p.RowPeriod, int32(t))
			for j, of := range p.ColPeriod {
				if v := float64(rng.IntN(7) - 3); v != 0 && (int(of) == t || rng.IntN(2) == 0) {
					m.AddEntry(i, lp.Var(j), v)
				}
			}
			if safe {
				for _, v := range []float64{1, -1} {
					j := m.AddCol(lp.Col{Cost: sign * float64(10+rng.IntN(9)), Upper: lp.Inf})
					p.ColPeriod = append(p.ColPeriod, int32(t))
					m.AddEntry(i, j, v)
				}
			}
		}
	}
	if listed {
		list(rng, p)
	} else {
		for t := 1; t < periods; t++ {
			for range rng.IntN(3) {
				p.Parts = append(p.Parts, vector(rng, p, int32(t)))
			}
		}
		if p.Parts == nil {
			p.Parts = append(p.Parts, vector(rng, p, 1))
		}
	}
	return p
}

// vector draws a random vector of a period, whose numbers may be of later ones.
func vector(rng *rand.Rand, p *smps.Program, t int32) smps.Part {
	q := smps.Part{Name: "part", Period: t}
	count := 1 + rng.IntN(3)
	for range count {
		q.Outcomes = append(q.Outcomes, smps.Outcome{Probability: 1 / float64(count)})
	}
	for range 1 + rng.IntN(3) {
		of := t
		if rng.IntN(3) == 0 {
			of += int32(rng.IntN(len(p.Periods) - int(t)))
		}
		if list := change(rng, p, of); list != nil {
			for k := range q.Outcomes {
				q.Outcomes[k].Changes = append(q.Outcomes[k].Changes, list()...)
			}
		}
	}
	return q
}

// change chooses a number of a period and returns what draws it.
func change(rng *rand.Rand, p *smps.Program, t int32) func() []stoch.Change {
	pick := func(of []int32) int {
		for {
			if k := rng.IntN(len(of)); of[k] == t {
				return k
			}
		}
	}
	i, j := lp.Con(pick(p.RowPeriod)), lp.Var(pick(p.ColPeriod))
	row, col := p.Core.Rows[i], p.Core.Cols[j]
	switch rng.IntN(5) {
	case 0:
		return func() []stoch.Change { return []stoch.Change{stoch.SetCost(j, col.Cost+float64(rng.IntN(3)))} }
	case 1:
		if math.IsInf(col.Upper, 1) {
			return nil
		}
		return func() []stoch.Change { return []stoch.Change{stoch.SetColUpper(j, col.Upper-float64(rng.IntN(3)))} }
	case 2:
		k := lp.Var(rng.IntN(len(p.ColPeriod)))
		if p.ColPeriod[k] > t {
			return nil
		}
		return func() []stoch.Change { return []stoch.Change{stoch.SetEntry(i, k, float64(rng.IntN(5)-2))} }
	}
	return func() (out []stoch.Change) {
		by := float64(rng.IntN(9) - 4)
		if !math.IsInf(row.Lower, -1) {
			out = append(out, stoch.SetRowLower(i, row.Lower+by))
		}
		if !math.IsInf(row.Upper, 1) {
			out = append(out, stoch.SetRowUpper(i, row.Upper+by))
		}
		return out
	}
}

// list draws a tree of scenarios.
func list(rng *rand.Rand, p *smps.Program) {
	count := 2 + rng.IntN(6)
	for s := range count {
		one := smps.Scenario{Name: fmt.Sprint("S", s+1), Parent: -1, Probability: 1 / float64(count)}
		if s > 0 {
			one.Parent, one.Branch = int32(rng.IntN(s)), int32(1+rng.IntN(len(p.Periods)-1))
		}
		for t := max(one.Branch, 1); int(t) < len(p.Periods); t++ {
			if draw := change(rng, p, t); draw != nil {
				one.Changes = append(one.Changes, draw()...)
			}
		}
		p.Scenarios = append(p.Scenarios, one)
	}
}

// extensive is the deterministic equivalent of a program, node by node of its tree.
func extensive(p *stoch.Multistage) *lp.Model {
	m := &lp.Model{Maximize: p.Core.Maximize, Offset: p.Core.Offset}
	a, err := p.Core.Matrix()
	if err != nil {
		panic(err)
	}
	var add func(n int32, weight float64, at map[int32]lp.Var)
	add = func(n int32, weight float64, at map[int32]lp.Var) {
		node := &p.Nodes[n]
		cols, rows := append([]lp.Col(nil), p.Core.Cols...), append([]lp.Row(nil), p.Core.Rows...)
		entry := map[[2]int32]float64{}
		for j := range cols {
			index, value := a.Vec(j)
			for k, i := range index {
				entry[[2]int32{i, int32(j)}] = value[k]
			}
		}
		for _, c := range node.Changes {
			switch c.Kind {
			case stoch.Cost:
				cols[c.Col].Cost = c.Value
			case stoch.ColLower:
				cols[c.Col].Lower = c.Value
			case stoch.ColUpper:
				cols[c.Col].Upper = c.Value
			case stoch.RowLower:
				rows[c.Row].Lower = c.Value
			case stoch.RowUpper:
				rows[c.Row].Upper = c.Value
			case stoch.Entry:
				entry[[2]int32{int32(c.Row), int32(c.Col)}] = c.Value
			}
		}
		own := map[int32]lp.Var{}
		for j, v := range at {
			own[j] = v
		}
		for j := range cols {
			if p.ColPeriod[j] == node.Period {
				cols[j].Cost *= weight
				own[int32(j)] = m.AddCol(cols[j])
			}
		}
		for i := range rows {
			if p.RowPeriod[i] == node.Period {
				r := m.AddRow(rows[i], nil, nil)
				for j := range cols {
					if v := entry[[2]int32{int32(i), int32(j)}]; v != 0 {
						m.AddEntry(r, own[int32(j)], v)
					}
				}
			}
		}
		for _, arc := range node.Arcs {
			add(arc.To, weight*arc.Probability, own)
		}
	}
	add(0, 1, nil)
	return m
}

// truth solves a model, whose bounds may cross.
func truth(t *testing.T, m *lp.Model) (lp.Status, float64) {
	for _, c := range m.Cols {
		if c.Lower > c.Upper {
			return lp.Infeasible, math.NaN()
		}
	}
	s, err := simplex.Solve(context.Background(), m, simplex.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	return s.Status, s.Objective
}

// TestAgainstExtensive solves random programs beside their deterministic equivalents.
func TestAgainstExtensive(t *testing.T) {
	seen, rough := map[lp.Status]int{}, 0
	for seed := range uint64(2500) {
		rng := rand.New(rand.NewPCG(seed, 11))
		p := draw(rng, seed%2 == 1)
		m, err := p.Multistage(smps.DefaultOptions())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		status, value := truth(t, extensive(m))
		if two, err := p.TwoStage(smps.DefaultOptions()); err == nil && seed%2 == 0 {
			whole, err := two.Extensive()
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			s, v := truth(t, whole)
			if s != status || s == lp.Optimal && math.Abs(v-value) > 1e-6*max(1, math.Abs(v)) {
				t.Fatalf("seed %d: the graph has %v %g, two stages have %v %g", seed, status, value, s, v)
			}
		}
		seen[status]++
		o := DefaultOptions()
		o.Gap, o.Parts = 1e-9, int(seed/2%4)
		r, err := Solve(context.Background(), m, o)
		if errors.Is(err, ErrUnsuited) && status != lp.Optimal {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v, the truth is %v", seed, err, status)
		}
		if r.Status == lp.NotSolved && status == lp.Optimal && r.Gap < 1e-4 {
			rough++ // what rounding takes from a cut over columns without bounds is as far as the run comes
			continue
		}
		if r.Status != status {
			t.Fatalf("seed %d: %v %g [%g], the truth is %v %g", seed, r.Status, r.Objective, r.Bound, status, value)
		}
		if status == lp.Optimal && !(math.Abs(r.Objective-value)+math.Abs(r.Bound-value) <= 1e-6*max(1, math.Abs(value))) {
			t.Fatalf("seed %d: %.12g [%.12g], the truth is %.12g", seed, r.Objective, r.Bound, value)
		}
		over := r.Bound - value
		if m.Core.Maximize {
			over = -over
		}
		if status == lp.Optimal && over > 1e-9*max(1, math.Abs(value)) {
			t.Fatalf("seed %d: the bound %.15g is not one: the truth is %.15g", seed, r.Bound, value)
		}
	}
	if rough > 4 {
		t.Errorf("%d runs end with a gap", rough)
	}
	if seen[lp.Optimal] < 800 || seen[lp.Infeasible] < 60 || seen[lp.Unbounded] < 60 {
		t.Errorf("the programs are one-sided: %v", seen)
	}
}
