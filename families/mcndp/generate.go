package mcndp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/internal/outward"
)

// class describes random instances in the manner of Crainic's R set (Crainic, Frangioni and Gendron 2001): a ring
// through all nodes and other arcs at random, parallel ones excluded; demands uniform in {10, ..., 96}; the ring at the
// greatest cost, 100, and the greatest fixed cost, the other arcs with costs uniform in {11, ..., 100} and fixed costs
// between a seventh and all of the greatest. Fixed costs are scaled so that FixedRatio = sum f / (D sum c), D the total
// demand, and capacities so that Tightness = n D / sum s before none is left above D; an arc of the ring has 50 times
// the capacity of another on average.
type class struct {
	Nodes, Arcs, Commodities int
	FixedRatio, Tightness    float64
}

// The levels of the R set: suffix 1 + f + 3 t of a class for FixedRatios[f] and Tightnesses[t].
var (
	fixedRatios = [3]float64{0.01, 0.05, 0.10}
	tightnesses = [3]float64{1, 2, 8}
)

const (
	drawStream    = 0x6d636e64 // the random streams of this family
	perturbStream = 0x6d636e65
	maxDraws      = 50 // of instances whose arcs cannot route the demand
)

// generate makes the instance of a class that belongs to a seed. Draws whose arcs cannot route the demand are passed
// over, in the order of the seed's stream; after 50 of them the class counts as unusable.
func generate(ctx context.Context, c class, seed uint64) (*Instance, error) {
	// The ring needs as many arcs as nodes, and there are no parallel ones.
	n := c.Arcs
	nodes := c.Nodes >= 2 && c.Nodes <= 1<<12
	sizes := nodes && c.Commodities >= 1 && c.Commodities <= maxDim
	arcs := n >= c.Nodes && n <= c.Nodes*(c.Nodes-1)
	levels := c.FixedRatio >= 0 && c.Tightness > 0 && max(c.FixedRatio, c.Tightness) < 1e6
	if !sizes || !arcs || !levels {
		return nil, fmt.Errorf("mcndp: %w: %+v", families.ErrOptions, c)
	}

	// A draw is of use if the network with all arcs open carries the demand.
	rng := rand.New(rand.NewPCG(seed, drawStream))
	for range maxDraws {
		in := c.draw(rng)
		in.Name = fmt.Sprintf("mcnd%dx%dx%d-%g-%g-%d", c.Nodes, n, c.Commodities, c.FixedRatio, c.Tightness, seed)
		if err := in.Validate(); err != nil {
			return nil, err
		}
		load, err := congestionOf(ctx, in)
		if err != nil {
			return nil, err
		}
		if load <= 1 {
			return in, nil
		}
	}
	return nil, fmt.Errorf("mcndp: %w: %d draws of %+v cannot route their demand", families.ErrOptions, maxDraws, c)
}

// draw makes one instance. Conversions forbid fused operations, so that every machine makes the same instance.
func (c class) draw(rng *rand.Rand) *Instance {
	in := &Instance{Nodes: c.Nodes}
	between := func(low, high int) float64 { return float64(low + rng.IntN(high-low+1)) }

	// The ring through all nodes comes first, then arcs at random.
	used := make(map[[2]int32]bool)
	for len(in.Tail) < c.Arcs {
		k := len(in.Tail)

		// Arc k < Nodes leads from node k to the next one.
		from, to := int32(k%c.Nodes), int32((k+1)%c.Nodes)
		cost, fixed, capacity := 100.0, 1.0, 50.0
		if k >= c.Nodes {
			from, to = int32(rng.IntN(c.Nodes)), int32(rng.IntN(c.Nodes))
			cost, fixed, capacity = between(11, 100), between(143, 1000)/1000, between(200, 1800)/1000
		}

		// Another arc is drawn in place of a loop or a parallel one.
		if from == to || used[[2]int32{from, to}] {
			continue
		}
		used[[2]int32{from, to}] = true

		// Fixed costs and capacities are relative so far.
		in.Tail = append(in.Tail, from)
		in.Head = append(in.Head, to)
		in.Cost = append(in.Cost, cost)
		in.Fixed = append(in.Fixed, fixed)
		in.Capacity = append(in.Capacity, capacity)
	}

	// Several commodities may have the same two ends.
	for len(in.Origin) < c.Commodities {
		if from, to := int32(rng.IntN(c.Nodes)), int32(rng.IntN(c.Nodes)); from != to {
			in.Origin = append(in.Origin, from)
			in.Destination = append(in.Destination, to)
			in.Demand = append(in.Demand, between(10, 96))
		}
	}

	// Fixed costs and capacities are scaled to the two ratios of the class.
	total := in.totalDemand()
	fixed := c.FixedRatio * total * outward.Total(in.Cost) / outward.Total(in.Fixed)
	capacity := float64(c.Arcs) * total / (c.Tightness * outward.Total(in.Capacity))
	for j := range in.Fixed {
		in.Fixed[j] = math.Round(in.Fixed[j] * fixed)
		in.Capacity[j] = math.Ceil(min(in.Capacity[j]*capacity, total))
	}
	return in
}

// Perturb implements families.Instance: every fixed cost, cost and capacity times its own factor exp(sigma Z), Z
// standard normal and independent, drawn from the seed; and where all arcs together then cannot route the demand,
// though those of the instance can, all capacities times the least factor with which they do (paper, section 5.2). What
// is zero stays zero.
func (in *Instance) Perturb(name string, sigma float64, seed uint64) (families.Instance, float64, error) {
	ctx := context.Background()
	out := in.Clone()
	out.Name = name

	// Costs and capacities vary, the graph and the demands stay.
	if err := instance.Lognormal(sigma, seed, perturbStream, out.Fixed, out.Cost, out.Capacity); err != nil {
		return nil, 0, err
	}
	if err := out.Validate(); err != nil {
		return nil, 0, err
	}

	// Capacities stay where they suffice, or where those of the instance do not either.
	load, err := congestionOf(ctx, out)
	if err != nil || load <= 1 {
		return out, 1, err
	}
	if had, err := congestionOf(ctx, in); err != nil || had > 1 {
		return out, 1, err
	}

	// A little more than the least factor, so that the tolerance of the linear program is of no consequence.
	raised := load * (1 + 1e-9)
	for j := range out.Capacity {
		out.Capacity[j] *= raised
	}
	return out, raised, out.Validate()
}

// parseClass reads the name of a class: a shape such as 10x35x50 (nodes, arcs, commodities), whose levels then follow
// from the seed, or r01.1 to r18.9, the shapes and levels of the R set.
func parseClass(name string, seed uint64) (class, error) {
	// Class k of the R set is shape k/9 at level k%9.
	if k := slices.Index(classes(), name); k >= 0 {
		c := shapes[k/9]
		c.FixedRatio = fixedRatios[k%3]
		c.Tightness = tightnesses[k%9/3]
		return c, nil
	}

	// A shape alone leaves both levels to the seed.
	size, err := families.ParseShape(name, 3)
	if err != nil {
		return class{}, fmt.Errorf("mcndp: %w; classes are also r01.1 to r18.9", err)
	}

	// The levels of tightness that a seed draws are 1 and 2.
	c := class{Nodes: size[0], Arcs: size[1], Commodities: size[2]}
	rng := rand.New(rand.NewPCG(seed, drawStream+1))
	c.FixedRatio = fixedRatios[rng.IntN(3)]
	c.Tightness = tightnesses[rng.IntN(2)]
	return c, nil
}

// shapes are those of the R set, in its order.
var shapes = func() (list []class) {
	for _, group := range []struct {
		nodes             int
		arcs, commodities [3]int
	}{
		{nodes: 10, arcs: [3]int{35, 60, 83}, commodities: [3]int{10, 25, 50}},
		{nodes: 20, arcs: [3]int{120, 220, 318}, commodities: [3]int{40, 100, 200}},
	} {
		for _, arcs := range group.arcs {
			for _, commodities := range group.commodities {
				list = append(list, class{Nodes: group.nodes, Arcs: arcs, Commodities: commodities})
			}
		}
	}
	return list
}()

// classes lists the names of the R set's classes.
func classes() (names []string) {
	for set := range shapes {
		// Levels count from 1 in names.
		for level := range 9 {
			names = append(names, fmt.Sprintf("r%02d.%d", set+1, level+1))
		}
	}
	return names
}
