package verify

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/proxybd/proxybd/record"
)

// model is a general two-stage model. Rows in which only first-stage columns appear are rows of the first stage, all
// others rows of the recourse.
type model struct {
	record.Model
	parts   int
	columns []int // first-stage columns, in order
	place   []int // of a model column among them, -1 for a recourse column
	block   []int // epigraph of every row, -1 for a row of the first stage
}

func openModel(r *record.Record) (problem, error) {
	p := &model{parts: r.Header.Epigraphs}
	if err := json.Unmarshal(r.Instance.Data, &p.Model); err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	p.place = make([]int, len(p.Cost))
	for j := range p.Cost {
		p.place[j] = -1
		if p.First[j] {
			p.place[j] = len(p.columns)
			p.columns = append(p.columns, j)
		} else if p.Block[j] < 0 || p.Block[j] >= p.parts || p.Integer[j] {
			return nil, fmt.Errorf("recourse column %d is integer or of no epigraph", j)
		}
	}
	return p, p.blocks()
}

func (p *model) check() error {
	n, m := len(p.Cost), len(p.RowLower)
	if n == 0 || len(p.Lower) != n || len(p.Upper) != n || len(p.Integer) != n || len(p.First) != n || len(p.Block) != n ||
		len(p.RowUpper) != m || len(p.Start) != m+1 || p.Start[0] != 0 || p.Start[m] != len(p.Index) || len(p.Value) != len(p.Index) {
		return errLengths
	}
	if !finite(p.Cost...) || !finite(p.Offset) {
		return errors.New("a number that is not finite")
	}
	for i := range m {
		if p.Start[i] > p.Start[i+1] {
			return errLengths
		}
		if err := sparseVector(p.Index[p.Start[i]:p.Start[i+1]], p.Value[p.Start[i]:p.Start[i+1]], n); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	return nil
}

// blocks finds the epigraph of every row and checks that no row joins two.
func (p *model) blocks() error {
	p.block = make([]int, len(p.RowLower))
	for i := range p.block {
		p.block[i] = -1
		for _, j := range p.Index[p.Start[i]:p.Start[i+1]] {
			if p.First[j] {
				continue
			}
			if p.block[i] >= 0 && p.block[i] != p.Block[j] {
				return fmt.Errorf("row %d joins two epigraphs", i)
			}
			p.block[i] = p.Block[j]
		}
	}
	return nil
}

func (p *model) epigraphs() int { return p.parts }

func (p *model) first() *stage {
	s := &stage{offset: p.Offset}
	for _, j := range p.columns {
		s.cost = append(s.cost, p.Cost[j])
		s.lower, s.upper = append(s.lower, float64(p.Lower[j])), append(s.upper, float64(p.Upper[j]))
		s.integer = append(s.integer, p.Integer[j])
	}
	return s
}

func (p *model) hash() string {
	marks := func(list []bool) []float64 {
		out := make([]float64, len(list))
		for k, v := range list {
			if v {
				out[k] = 1
			}
		}
		return out
	}
	numbers := func(list []record.Number) []float64 {
		out := make([]float64, len(list))
		for k, v := range list {
			out[k] = float64(v)
		}
		return out
	}
	sizes := append([]int{len(p.Cost), len(p.RowLower)}, p.Start...)
	for _, j := range p.Index {
		sizes = append(sizes, int(j))
	}
	return contentHash("mps", sizes, []float64{p.Offset}, p.Cost, numbers(p.Lower), numbers(p.Upper), marks(p.Integer), marks(p.First),
		numbers(p.RowLower), numbers(p.RowUpper), p.Value)
}

// checkRow looks for the row, or its negative, among those of the first stage.
func (p *model) checkRow(r *record.Row) error {
	want := make(map[int]float64, len(r.Index))
	for k, j := range r.Index {
		if r.Value[k] != 0 {
			want[p.columns[j]] = r.Value[k]
		}
	}
	for i := range p.block {
		if p.block[i] < 0 && (p.same(i, want, 1) && r.Lower <= float64(p.RowLower[i]) || p.same(i, want, -1) && r.Lower <= -float64(p.RowUpper[i])) {
			return nil
		}
	}
	return errors.New("it is no row of the first stage")
}

func (p *model) same(i int, want map[int]float64, sign float64) bool {
	count := 0
	for k := p.Start[i]; k < p.Start[i+1]; k++ {
		if p.Value[k] == 0 {
			continue
		}
		if want[int(p.Index[k])] != sign*p.Value[k] {
			return false
		}
		count++
	}
	return count == len(want)
}

// checkCut proves the cut from multipliers of the recourse rows: over the bounds of the recourse columns, the weighted
// rows and what the costs leave give alpha* + beta*'y, and the cut is below it wherever y is within its bounds.
func (p *model) checkCut(c *record.Cut) error {
	if len(c.Certificate) != len(p.block) {
		return fmt.Errorf("%d multipliers for %d rows", len(c.Certificate), len(p.block))
	}
	reduced := make([]num, len(p.Cost))
	for j := range reduced {
		if !c.Feasibility && p.counts(c, j) {
			reduced[j].add(of(p.Cost[j]))
		}
	}
	value := of(-c.Alpha)
	for i, weight := range c.Certificate {
		if weight == 0 {
			continue
		}
		side := float64(p.RowLower[i])
		if weight < 0 {
			side = float64(p.RowUpper[i])
		}
		switch {
		case p.block[i] < 0, c.Theta >= 0 && p.block[i] != c.Theta:
			return fmt.Errorf("row %d has a multiplier but no part in the epigraph", i)
		case math.IsInf(side, 0):
			return fmt.Errorf("row %d has a multiplier of the sign of its infinite side", i)
		}
		value.addProduct(weight, side)
		for k := p.Start[i]; k < p.Start[i+1]; k++ {
			reduced[p.Index[k]].addProduct(-weight, p.Value[k])
		}
	}
	for k, j := range c.Index { // of the first stage: what the rows give less what the cut claims
		reduced[p.columns[j]].sub(of(c.Beta[k]))
	}
	for j := range reduced {
		if !value.addLeast(&reduced[j], float64(p.Lower[j]), float64(p.Upper[j])) {
			return unboundedError(j, &reduced[j])
		}
	}
	if value.sign() < 0 {
		return fmt.Errorf("it exceeds what the certificate gives by up to %g", -value.float())
	}
	return nil
}

// counts reports whether the cost of a recourse column is part of the cut's epigraph.
func (p *model) counts(c *record.Cut, j int) bool {
	return !p.First[j] && (c.Theta == record.AllEpigraphs || p.Block[j] == c.Theta)
}

// price makes the whole point exact: integer columns are fixed, continuous ones of either stage may move a little.
func (p *model) price(d *record.Design) (*big.Rat, error) {
	if err := sparseVector(d.Index, d.Value, len(p.Cost)-len(p.columns)); err != nil {
		return nil, err
	}
	near := make([]float64, len(p.Cost))
	for k, j := range p.columns {
		near[j] = d.Y[k]
	}
	var recourse []int
	for j := range p.Cost {
		if !p.First[j] {
			recourse = append(recourse, j)
		}
	}
	for k, at := range d.Index {
		near[recourse[at]] = d.Value[k]
	}
	s := &system{}
	for j, v := range near {
		lower, upper := float64(p.Lower[j]), float64(p.Upper[j])
		if p.Integer[j] {
			lower, upper = v, v
		}
		s.addColumn(p.Cost[j], lower, upper, v)
	}
	for i := range p.block {
		row := s.addRow(float64(p.RowLower[i]), float64(p.RowUpper[i]))
		for k := p.Start[i]; k < p.Start[i+1]; k++ {
			s.add(row, int(p.Index[k]), p.Value[k])
		}
	}
	cost, err := s.solve()
	if err != nil {
		return nil, err
	}
	return cost.Add(cost, new(big.Rat).SetFloat64(p.Offset)), nil
}
