package generic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/nested"
	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Periods is an instance that is a program of three or more periods with continuous columns. Package nested solves
// it by the graph of its nodes; everything else is done with its scenarios, as a program of two stages, which is
// made when it is asked for and may be too large to be made.
type Periods struct {
	program *stoch.Multistage
	label   families.Label
	// listed makes the same program with its scenarios, once.
	listed func() (*Scenarios, error)
	// relaxed says that columns of later periods had their integrality dropped.
	relaxed bool
	// hash computes the hash, once.
	hash func() string
	// team has the linear programs of nodes, nil for this process alone.
	team scenario.Team
}

// NewPeriods makes an instance of a family; list makes the same program with its scenarios.
func NewPeriods(family string, p *stoch.Multistage, list func() (*Scenarios, error)) (*Periods, error) {
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("families: %w", err)
	}

	// The first stage is the first period.
	first := 0
	for _, t := range p.ColPeriod {
		if t == 0 {
			first++
		}
	}
	later := len(p.Core.Cols) - first
	rows := len(p.Core.Rows)
	scenarios, _ := p.Scenarios()
	in := &Periods{program: p, label: families.Label{
		Family: family,
		Name:   p.Name,
		Ext:    ".mps",
		Shape:  families.FormatShape(first, later, rows, len(p.Nodes)),
		Title: fmt.Sprintf("%s: program of %d periods, %d first-period and %d later columns, %d rows, %.10g scenarios by %d "+
			"nodes", p.Name, p.Periods, first, later, rows, scenarios, len(p.Nodes)),
	}}

	// The program with scenarios is the same instance, so it has the same hash.
	in.hash = sync.OnceValue(in.content)
	in.listed = sync.OnceValues(func() (*Scenarios, error) {
		out, err := list()
		if err == nil {
			out.hash = in.hash()
		}
		return out, err
	})
	return in, nil
}

// WithRelaxation marks the instance as one whose later periods had their integrality dropped.
func (in *Periods) WithRelaxation() *Periods {
	in.relaxed = true
	in.label.Title += ", LP-recourse relaxation"
	return in
}

// Relaxation implements families.Relaxed.
func (in *Periods) Relaxation() string { return LPRelaxation }

// WithScenarios implements families.MultiPeriod.
func (in *Periods) WithScenarios() (families.Instance, error) { return families.As(in.listed()) }

// SetTeam implements families.Spread. A run with all scenarios has no team.
func (in *Periods) SetTeam(t scenario.Team) { in.team = t }

// TeamWorker implements families.Spread.
func (in *Periods) TeamWorker() scenario.TeamWorker { return nested.NewWorker(in.program) }

// Outline implements families.Spread.
func (in *Periods) Outline() (families.OutlineKind, families.Outlined) {
	return families.ByPeriod, nested.Outline{Program: in.program}
}

// Capabilities implements families.Instance. The program with all scenarios has more.
func (in *Periods) Capabilities() families.Capabilities {
	// Solutions are explained with all scenarios.
	can := families.Capabilities{Explainer: in, MultiPeriod: in, Spread: in}
	if in.relaxed {
		can.Relaxed = in
	}
	return can
}

// Label implements Instance. The shape is first-period columns x later columns x rows x nodes of the graph.
func (in *Periods) Label() families.Label { return in.label }

// Hash implements Instance: it covers the core and the nodes.
func (in *Periods) Hash() string { return in.hash() }

// content computes the hash of the core, its periods, and the nodes with their changes and arcs.
func (in *Periods) content() string {
	p := in.program
	c := instance.Content{
		Tag:   "periods",
		Sizes: []int{len(p.Core.Cols), len(p.Core.Rows), p.Periods, len(p.Nodes)},
	}
	if p.Core.Maximize {
		c.Tag = "periods-max"
	}
	hashModel(&c, p.Core)
	c.Ends = append(c.Ends, p.ColPeriod, p.RowPeriod)

	// The nodes with what they change and where their arcs lead.
	for n := range p.Nodes {
		node := &p.Nodes[n]
		c.Sizes = append(c.Sizes, int(node.Period), len(node.Changes), len(node.Arcs))
		hashChanges(&c, 0, node.Changes)
		for _, a := range node.Arcs {
			c.Ends = append(c.Ends, []int32{a.To})
			c.Numbers = append(c.Numbers, []float64{a.Probability})
		}
	}
	return c.Hash()
}

// Encode implements Instance: it writes the deterministic equivalent as MPS, with its first stage.
func (in *Periods) Encode(w io.Writer) error {
	// MPS has no periods, so that the file has all scenarios.
	s, err := in.listed()
	if err != nil {
		return err
	}
	return s.Encode(w)
}

// Perturb implements Instance, as that of the program with its scenarios.
func (in *Periods) Perturb(name string, sigma float64, seed uint64) (families.Instance, float64, error) {
	s, err := in.listed()
	if err != nil {
		return nil, 0, err
	}
	return s.Perturb(name, sigma, seed)
}

// Explain implements Explainer, with all scenarios.
func (in *Periods) Explain(ctx context.Context, y []float64) (*families.Solution, error) {
	s, err := in.listed()
	if err != nil {
		return nil, err
	}
	return s.Explain(ctx, y)
}

// Program implements Instance.
func (in *Periods) Program() (*decompose.Program, error) {
	// There is no recourse to decompose: the run is that of Periods.
	return &decompose.Program{
		Model: decompose.Model{
			Name:     in.program.Name,
			Maximize: in.program.Core.Maximize,
			Master:   in.master,
			Periods:  decompose.Periods{Solve: in.solve, Listed: in.listedProgram},
		},
		Proxy: decompose.ProxyRun{Instance: in},
	}, nil
}

// listedProgram is the program with its scenarios.
func (in *Periods) listedProgram() (*decompose.Program, error) {
	// Functions of package pipeline that need scenarios ask for this program.
	s, err := in.listed()
	if err != nil {
		return nil, err
	}
	return s.Program()
}

// master is the program of the first period, as a minimisation.
func (in *Periods) master() *lp.Model {
	p := in.program

	// The first node may change numbers of the core.
	whole := stoch.Program{Core: p.Core, Scenarios: []stoch.Scenario{{Changes: p.Nodes[0].Changes}}}
	m, err := whole.Model(0)
	if err != nil { // the core is valid
		panic(err)
	}
	m.Minimize()
	a, err := m.Matrix()
	if err != nil {
		panic(err)
	}

	// The rows of the first period come first, so that each column can be added with its entries.
	out := &lp.Model{Name: p.Name, Offset: m.Offset}
	row := map[int32]lp.Con{}
	for i, r := range m.Rows {
		if p.RowPeriod[i] == 0 {
			r.Name = m.RowName(lp.Con(i))
			row[int32(i)] = out.AddRow(r, nil, nil)
		}
	}
	for j, c := range m.Cols {
		if p.ColPeriod[j] != 0 {
			continue
		}
		c.Name = m.ColName(lp.Var(j))
		v := out.AddCol(c)

		// Entries in rows of later periods belong to the recourse.
		index, value := a.Vec(j)
		for k, i := range index {
			if r, ok := row[i]; ok {
				out.AddEntry(r, v, value[k])
			}
		}
	}
	return out
}

// solve is the search of the program by its periods.
func (in *Periods) solve(ctx context.Context, o decompose.Options) (*benders.Result, error) {
	p := in.program
	if o.Log != nil {
		_, tree := p.Scenarios()
		o.Log(fmt.Sprintf("nested decomposition: %d nodes stand for a tree of %.10g", len(p.Nodes), tree))
	}

	// The options of the pipeline that the nested method has too; iterations are its passes.
	own := nested.DefaultOptions()
	own.Gap = o.Benders.Gap
	own.TimeLimit = o.Benders.TimeLimit
	own.Seed = o.Benders.Seed
	own.LogEvery = o.Benders.LogEvery
	own.MaxPasses = o.Benders.MaxIterations
	own.Progress = o.Benders.Progress
	own.Threads = o.Threads
	own.Team = in.team

	// A program that the nested method does not suit is solved with its scenarios instead.
	began := time.Now()
	out, err := nested.Solve(ctx, p, own)
	if errors.Is(err, nested.ErrUnsuited) || errors.Is(err, nested.ErrNumerical) {
		return nil, fmt.Errorf("%w: %w", families.ErrUnsupported, err)
	}
	if err == nil {
		out.Elapsed = time.Since(began)
	}
	return out, err
}
