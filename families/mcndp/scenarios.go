package mcndp

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/generic"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/tables"
	"github.com/proxybd/proxybd/internal/fields"
	"github.com/proxybd/proxybd/internal/sheet"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Scenarios is a network whose demands are random. Given the design and the demands d of a scenario, its recourse is
// that of Instance with flows x_ij in units: x_ij <= min(d_i, s_j) y_j, sum_i x_ij <= s_j y_j. Costs and the matrix of
// the flows are fixed, so that all scenarios share their dual-feasible set.
type Scenarios struct {
	*generic.Scenarios
	Network *Instance // its own demands are those of the skeleton
	Draws   []draw    // the scenarios, each of positive probability
	Whole   bool      // flows are whole numbers
}

// OpenID implements families.Numbered.
func (n *Scenarios) OpenID(j int) any { return n.Network.OpenID(j) }

// draw is a scenario.
type draw struct {
	Name        string // "" for its number
	Probability float64
	Demand      []float64 // of each commodity, at least 0
}

// probability returns the place of the probability of a scenario.
func probability(d *draw) *float64 { return &d.Probability }

// newScenarios makes the instance of a network and its scenarios. The probabilities must sum to one;
// scenarios of probability 0 are left out.
func newScenarios(in *Instance, draws []draw) (*Scenarios, error) {
	return makeScenarios(in, draws, false)
}

// makeScenarios is newScenarios, with flows that are whole numbers or not.
func makeScenarios(in *Instance, draws []draw, whole bool) (*Scenarios, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	for s, d := range draws {
		if len(d.Demand) != in.commodities() {
			return nil, fmt.Errorf("mcndp: %w: %d demands in scenario %d for %d commodities", instance.ErrInstance,
				len(d.Demand), s+1, in.commodities())
		}

		// A demand may be zero in some scenarios, though not in the network itself.
		for i, v := range d.Demand {
			if !(v >= 0 && v < tooLarge) {
				return nil, fmt.Errorf("mcndp: %w: the demand of commodity %d in scenario %d is %g", instance.ErrInstance,
					i+1, s+1, v)
			}
		}
	}

	// Scenarios that cannot occur need not be feasible.
	draws = instance.PossibleScenarios(draws, probability)
	if whole {
		if err := wholeDemands(draws); err != nil {
			return nil, err
		}
	}
	out := &Scenarios{Network: in, Draws: draws, Whole: whole}
	shared, err := out.shared()
	if err != nil {
		return nil, err
	}

	// Designs are priced by a smaller program than that of the scenarios.
	title := fmt.Sprintf("%s: network design, %d nodes, %d arcs, %d commodities, %d scenarios", in.Name, in.Nodes,
		in.arcs(), in.commodities(), len(draws))
	shape := families.FormatShape(in.Nodes, in.arcs(), in.commodities(), len(draws))
	if whole {
		out.Scenarios = shared.WithLabel(shape, title+", integer flows", ".dow")
		return out, nil
	}
	out.Scenarios = shared.WithLabel(shape, title, ".dow").WithShortcut(out.newShortcut, out.export())
	return out, nil
}

// shared is the instance of the skeleton, which has the network's own demands, and the scenarios.
func (n *Scenarios) shared() (*generic.Scenarios, error) {
	core, flow, link := n.skeleton()
	for j := n.Network.arcs(); n.Whole && j < len(core.Cols); j++ {
		core.Cols[j].Integer = true
		core.Cols[j].Upper = math.Floor(core.Cols[j].Upper)
	}
	frame := &stoch.Program{
		Name:      n.Network.Name,
		Core:      core,
		First:     n.Network.arcs(),
		Scenarios: make([]stoch.Scenario, 0, len(n.Draws)),

		// The only rows of the first stage are those of node sets.
		FirstImplied: true,
	}

	// A scenario is the list of its differences from the skeleton, which is much longer than its demands.
	for _, d := range n.Draws {
		frame.Add(d.Name, d.Probability)
	}
	l := stoch.NewLazy(frame, func(s int, list []stoch.Change) []stoch.Change {
		return n.changes(list, n.Draws[s].Demand, flow, link)
	})
	if n.Whole {
		return generic.NewScenarios(name, l.Program())
	}
	return generic.NewLazyScenarios(name, l)
}

// skeleton is compact with the rows of the node sets for the greatest demand and columns as long as any scenario needs.
// It returns the first rows of the flow conservation and of the links, too.
func (n *Scenarios) skeleton() (model *lp.Model, flow, link int) {
	in := n.Network
	model = in.designs()
	in.addNodeSets(model, n.peak)

	// The bounds of columns do not depend on the scenario: the links say what a scenario allows.
	longest := slices.Clone(in.Demand)
	for _, d := range n.Draws {
		for i, v := range d.Demand {
			longest[i] = max(longest[i], v)
		}
	}
	flow, link = in.addFlows(model, longest, true)
	return model, flow, link
}

// changes appends in what a scenario differs from the skeleton.
func (n *Scenarios) changes(list []stoch.Change, demand []float64, flow, link int) []stoch.Change {
	in := n.Network
	for i, d := range demand {
		base := in.Demand[i]
		if d == base {
			continue
		}

		// The supplies at the two ends, and the links of the flows. 0 - d is not -0 where d is zero.
		for _, end := range [2]struct {
			node  int32
			value float64
		}{
			{in.Origin[i], d},
			{in.Destination[i], 0 - d},
		} {
			row := lp.Con(flow + i*in.Nodes + int(end.node))
			list = append(list, stoch.SetRowLower(row, end.value), stoch.SetRowUpper(row, end.value))
		}
		for j, s := range in.Capacity {
			// A link changes only where the demand, not the capacity, limits the flow.
			if v := min(d, s); v != min(base, s) {
				list = append(list, stoch.SetEntry(lp.Con(link+i*in.arcs()+j), lp.Var(j), v))
			}
		}
	}
	return list
}

// scenarioTitle begins the scenarios in a file that holds the network too.
const scenarioTitle = "SCENARIOS"

// readAny reads a .dow file, with the scenarios that follow in it or are in another file.
func readAny(path string, o families.ReadOptions) (families.Instance, error) {
	// A table file may have scenarios of its own; a file of scenarios needs a network without.
	file := o.Set[generic.ScenarioOption.Name]
	if in, ok, err := tables.Read(path, schema, o, func(s *sheet.Sheet) (families.Instance, error) {
		return fromTables(s, o.Warn)
	}); ok {
		// A table file that has scenarios makes an instance of another type.
		if network, plain := in.(*Instance); plain && err == nil && file != "" {
			return families.As(readScenarios(network, file, o.Warn))
		} else if err == nil && file != "" {
			return nil, twoSources(path, file)
		}
		return in, err
	}

	// What follows a network are its scenarios, or nothing.
	return instance.ReadText(path, name, errFormat, func(s *fields.Scanner) (families.Instance, error) {
		in, err := decodeNetwork(s, path)
		if err != nil {
			return nil, err
		}

		// The scenarios are behind a word of their own.
		switch {
		case !s.Next():
			if err := s.End("the last demand"); err != nil || file == "" {
				return in, err
			}
			return families.As(readScenarios(in, file, o.Warn))
		case s.Text() != scenarioTitle:
			return nil, s.Fail("text after the last demand: %s", s.Quoted())
		case file != "":
			return nil, twoSources(path, file)
		}
		return families.As(decodeScenarios(s, in, path, o.Warn))
	})
}

// twoSources is the error of scenarios for a file that has some.
func twoSources(path, file string) error {
	return fmt.Errorf("mcndp: %s: %w: it has scenarios of its own, and --scenarios %s", path, errFormat, file)
}

// readScenarios reads a .scen file for a network, plain or packed.
func readScenarios(in *Instance, path string, warn func(string)) (*Scenarios, error) {
	return instance.ReadText(path, name, errScenarios, func(s *fields.Scanner) (*Scenarios, error) {
		// The name says that the scenarios come from another file.
		named := in.Clone()
		named.Name = in.Name + "+" + stem(path, ".scen")
		return decodeScenarios(s, named, path, warn)
	})
}

// negligible is how far below zero a demand may be, as a part of the greatest of its scenario, and be read as 0.
const negligible = 0.01

// decodeScenarios reads the number of scenarios and for each, on a line of its own, the probability and the demands.
func decodeScenarios(s *fields.Scanner, in *Instance, path string, warn func(string)) (*Scenarios, error) {
	s.Next()
	count, err := s.Size("the number of scenarios", maxDim)
	if err != nil {
		return nil, err
	}

	// Files of drawn demands have some that are a little below zero.
	var draws []draw
	small := 0
	least := 0.0
	for k := range count {
		d, err := decodeDraw(s, in, k)
		if err != nil {
			return nil, err
		}
		for i, v := range d.Demand {
			// Entries that are further below zero are an error of decodeDraw.
			if v < 0 {
				small++
				least = min(least, v)
				d.Demand[i] = 0
			}
		}
		draws = append(draws, d)
	}

	if err := s.End("the last scenario"); err != nil {
		return nil, err
	}
	if small > 0 && warn != nil {
		warn(fmt.Sprintf("%s: %d demands below zero, down to %g, are read as 0", path, small, least))
	}
	if draws, err = instance.WeighScenarios(draws, probability, path, warn); err != nil {
		return nil, err
	}
	return newScenarios(in, draws)
}

// decodeDraw reads the line of scenario k, from 0.
func decodeDraw(s *fields.Scanner, in *Instance, k int) (draw, error) {
	last := s.Line() // of the demand before
	p, err := s.NonNegative("the probability of scenario %d", k+1, 0)
	if err != nil {
		return draw{}, err
	}

	// All demands of a scenario are on the line of its probability.
	line := s.Line()
	if line == last {
		return draw{}, s.Fail("text after the last demand of scenario %d: %s (the network has %d commodities)", k, s.Quoted(),
			in.commodities())
	}
	d := draw{Probability: p}
	for i := range in.commodities() {
		// A number of the next line would be the probability of the next scenario.
		v, err := s.Want("the demand of commodity %d in scenario %d", i+1, k+1)
		switch {
		case err != nil:
			return draw{}, err
		case s.Line() != line:
			return draw{}, s.Fail("the line of scenario %d ends before the demand of commodity %d of %d", k+1, i+1,
				in.commodities())
		case math.Abs(v) >= tooLarge:
			return draw{}, s.Fail("the demand of commodity %d is too large: %s", i+1, s.Quoted())
		}
		d.Demand = append(d.Demand, v)
	}

	// A demand that is only a little below zero comes from a draw, and is read as 0 by the caller.
	largest := max(0, slices.Max(d.Demand))
	for i, v := range d.Demand {
		if v < -negligible*largest {
			return draw{}, s.Fail("the demand of commodity %d in scenario %d is negative: %g", i+1, k+1, v)
		}
	}
	return d, nil
}

// Encode implements families.Instance: it writes the .dow file and, after a word that says so, the lines of a .scen
// file.
func (n *Scenarios) Encode(w io.Writer) error {
	if n.Whole {
		return errNoWhole
	}
	if err := n.Network.Encode(w); err != nil {
		return err
	}

	// A line for each scenario: its probability and the demands.
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s\n%d\n", scenarioTitle, len(n.Draws))
	var line []byte
	for _, d := range n.Draws {
		line = strconv.AppendFloat(line[:0], d.Probability, 'g', -1, 64)
		for _, v := range d.Demand {
			line = strconv.AppendFloat(append(line, ' '), v, 'g', -1, 64)
		}
		b.Write(append(line, '\n'))
	}
	return instance.Flush(name, b)
}

// Perturb implements families.Instance: that of the network, under the same scenarios. The factor for the capacities is
// for the network's own demands.
func (n *Scenarios) Perturb(name string, sigma float64, seed uint64) (families.Instance, float64, error) {
	variant, raised, err := n.Network.Perturb(name, sigma, seed)
	if err != nil {
		return nil, 0, err
	}

	// Demands stay as they are.
	out, err := makeScenarios(variant.(*Instance), n.Draws, n.Whole)
	return out, raised, err
}

// generateScenarios makes a network of a class and draws scenarios around its demands. Capacities are raised to what
// the most demanding scenario needs where all arcs are open.
func generateScenarios(class, draws string, seed uint64) (*Scenarios, error) {
	d, err := instance.ParseDraws(draws)
	if err != nil {
		return nil, err
	}
	in, err := generateNamed(class, seed)
	if err != nil {
		return nil, err
	}
	list := make([]draw, d.Count)

	// Capacities that suffice for every scenario with all arcs open make the program feasible.
	worst := 1.0
	probe := in.Clone()
	for s, demand := range d.Demands(in.Demand, seed) {
		list[s] = draw{Probability: 1 / float64(d.Count), Demand: demand}
		probe.Demand = demand
		load, err := congestionOf(context.Background(), probe)
		if err != nil {
			return nil, err
		}

		// The congestion is the factor that the capacities of the network lack for these demands.
		worst = max(worst, load)
	}
	for j := range in.Capacity {
		in.Capacity[j] = math.Ceil(in.Capacity[j] * worst)
	}
	in.Name = fmt.Sprintf("%s-s%d", in.Name, d.Count)
	return newScenarios(in, list)
}

// Program implements families.Instance: the program with inequalities on the cut sets, for the greatest demand of any
// scenario.
func (n *Scenarios) Program() (*decompose.Program, error) {
	p, err := n.Scenarios.Program()
	if err != nil {
		return nil, err
	}

	// A cut set has to let through the demand of each scenario, so the greatest one. Listing the
	// sets with their demands takes time, and not every program is solved.
	sets := sync.OnceValue(func() *cutset.Separator { return n.Network.cutSetsFor(cutset.All, n.peaks()) })
	p.Recourse.Strengthen = func(s benders.Separator) benders.Separator { return sets().Before(s) }
	return p, nil
}

// peak returns the greatest demand of any scenario that has to leave a set of nodes.
func (n *Scenarios) peak(inside []bool) float64 { return n.peakOf(n.Network.crossing(inside)) }

// peakOf returns the greatest demand of any scenario for some commodities together.
func (n *Scenarios) peakOf(commodities []int) float64 {
	greatest := 0.0
	if len(commodities) == 0 {
		return greatest
	}

	// The greatest demand need not be of one scenario for all sets.
	for _, d := range n.Draws {
		greatest = max(greatest, demandOf(commodities, d.Demand))
	}
	return greatest
}

// peaks returns a function that is peak and keeps what it found: the same commodities leave many sets of nodes. It is
// for one goroutine.
func (n *Scenarios) peaks() func(inside []bool) float64 {
	const most = 1 << 16 // sets of commodities that are kept
	known := map[string]float64{}
	return func(inside []bool) float64 {
		crossing := n.Network.crossing(inside)
		key := make([]byte, 0, 4*len(crossing))
		for _, i := range crossing {
			key = binary.LittleEndian.AppendUint32(key, uint32(i))
		}
		v, ok := known[string(key)]
		if !ok {
			v = n.peakOf(crossing)
			if len(known) < most {
				known[string(key)] = v
			}
		}
		return v
	}
}
