package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/proxybd/proxybd/lp"
)

// size is the size of a model.
type size struct{ hours, nodes, lines int }

// technology is a kind of plant, with costs a unit of capacity (a year) and of energy.
type technology struct {
	name           string
	capacity, fuel float64
}

// The plants that every node may have; the first two depend on the weather. Storage costs are in power and in energy.
var plants = [...]technology{{"solar", 45, 0.01}, {"wind", 95, 0.015}, {"gas", 60, 55}}

const (
	storagePower  = 20.0 // a unit of power
	storageEnergy = 12.0 // a unit of energy
	storageKeeps  = 0.999
	storageGives  = 0.93 // on the way in and on the way out
	lineCost      = 30.0 // a unit of capacity and of length
	shedCost      = 3000.0
)

// network has the data of a model.
type network struct {
	size
	from, to []int
	length   []float64
	demand   [][]float64 // by hour and node
	sun      [][]float64 // available share of solar capacity
	wind     [][]float64 // of wind capacity
	price    []float64   // factor of the costs of a node's plants
}

// newNetwork draws the data.
func newNetwork(s size, seed uint64) *network {
	rng := rand.New(rand.NewPCG(seed, 1))
	n := &network{size: s}
	x := make([]float64, s.nodes)
	y := make([]float64, s.nodes)
	for k := range s.nodes {
		x[k] = rng.Float64()
		y[k] = rng.Float64()
		n.price = append(n.price, 0.8+0.4*rng.Float64())
	}

	// A tree makes the network connected; the other lines are random.
	for l := range s.lines {
		a := rng.IntN(s.nodes)
		b := rng.IntN(s.nodes)
		if l < s.nodes-1 {
			a = l + 1
			b = rng.IntN(a)
		}
		if a == b {
			b = (a + 1) % s.nodes
		}
		n.from = append(n.from, a)
		n.to = append(n.to, b)
		n.length = append(n.length, 0.1+math.Hypot(x[a]-x[b], y[a]-y[b]))
	}
	n.profiles(rng)
	return n
}

// profiles draws demand and weather by hour. A year has 8760 hours; fewer are spread over the year in whole days.
func (n *network) profiles(rng *rand.Rand) {
	days := (n.hours + 23) / 24
	load := make([]float64, n.nodes)
	weather := make([]float64, n.nodes)
	clouds := make([]float64, n.nodes)
	for k := range n.nodes {
		load[k] = 0.5 + 2*rng.Float64()
		weather[k] = rng.NormFloat64()
		clouds[k] = rng.Float64()
	}

	// Clouds last a day, wind changes slowly, and demand has two cycles.
	for t := range n.hours {
		hour := float64(t % 24)
		season := math.Cos(2 * math.Pi * float64(t/24) / float64(days))
		demand := make([]float64, n.nodes)
		sun := make([]float64, n.nodes)
		wind := make([]float64, n.nodes)
		for k := range n.nodes {
			if t%24 == 0 {
				clouds[k] = 0.3 + 0.7*rng.Float64()
			}
			weather[k] = 0.97*weather[k] + 0.24*rng.NormFloat64()
			daily := 1 + 0.25*math.Sin(2*math.Pi*(hour-9)/24) + 0.15*season
			demand[k] = round(load[k] * daily * (1 + 0.03*rng.NormFloat64()))
			sun[k] = round(max(0, math.Sin(math.Pi*(hour-6)/12)) * clouds[k] * (0.75 - 0.25*season))
			wind[k] = round(min(1, max(0, 0.35+0.1*season+0.25*weather[k])))
		}
		n.demand = append(n.demand, demand)
		n.sun = append(n.sun, sun)
		n.wind = append(n.wind, wind)
	}
}

// round keeps four decimals.
func round(v float64) float64 { return math.Round(1e4*v) / 1e4 }

// model returns the linear program.
func (n *network) model() *lp.Model {
	m := &lp.Model{Name: fmt.Sprintf("cap-%d-%d", n.nodes, n.hours)}
	share := 8760 / float64(n.hours) // the hours of the year that an hour of the model stands for

	lines := make([]lp.Var, n.lines)
	for l := range lines {
		lines[l] = m.Nonnegative(fmt.Sprintf("line%d", l), round(lineCost*n.length[l]))
	}
	flows := make([][]lp.Var, n.hours)
	for t := range flows {
		flows[t] = n.flows(m, t, lines)
	}
	for k := range n.nodes {
		n.node(m, k, share, flows)
	}
	return m
}

// flows adds the flow on each line in an hour, within the capacity in both directions.
func (n *network) flows(m *lp.Model, t int, lines []lp.Var) []lp.Var {
	flow := make([]lp.Var, n.lines)
	for l := range flow {
		flow[l] = m.AddCol(lp.Col{Name: fmt.Sprintf("f%d_%d", l, t), Lower: -lp.Inf, Upper: lp.Inf})
		m.AtMost(0, flow[l].Times(1), lines[l].Times(-1))
		m.AtLeast(0, flow[l].Times(1), lines[l].Times(1))
	}
	return flow
}

// node adds the plants, the storage and the balances of a node.
func (n *network) node(m *lp.Model, k int, share float64, flows [][]lp.Var) {
	capacity := make([]lp.Var, len(plants))
	for p, plant := range plants {
		capacity[p] = m.Nonnegative(fmt.Sprintf("%s%d", plant.name, k), round(plant.capacity*n.price[k]*1e3/8.76))
	}
	power := m.Nonnegative(fmt.Sprintf("power%d", k), storagePower*1e3/8.76)
	energy := m.Nonnegative(fmt.Sprintf("energy%d", k), storageEnergy*1e3/8.76)
	level := make([]lp.Var, n.hours)
	for t := range level {
		level[t] = m.Nonnegative(fmt.Sprintf("level%d_%d", k, t), 0)
		m.AtMost(0, level[t].Times(1), energy.Times(-1))
	}

	// Each hour has the flows into and out of the storage, the plants and the balance.
	for t := range n.hours {
		in := m.Nonnegative(fmt.Sprintf("in%d_%d", k, t), 0.001*share)
		out := m.Nonnegative(fmt.Sprintf("out%d_%d", k, t), 0.001*share)
		m.AtMost(0, in.Times(1), power.Times(-1))
		m.AtMost(0, out.Times(1), power.Times(-1))
		m.Equal(0, level[t].Times(1), level[(t+n.hours-1)%n.hours].Times(-storageKeeps), in.Times(-storageGives),
			out.Times(1/storageGives))

		balance := lp.Sum{out.Times(1), in.Times(-1)}
		available := [...]float64{n.sun[t][k], n.wind[t][k], 1}
		for p, plant := range plants {
			if available[p] == 0 {
				continue
			}
			g := m.Nonnegative(fmt.Sprintf("%s%d_%d", plant.name, k, t), plant.fuel*share)
			m.AtMost(0, g.Times(1), capacity[p].Times(-available[p]))
			balance = append(balance, g.Times(1))
		}
		balance = append(balance, m.Nonnegative(fmt.Sprintf("shed%d_%d", k, t), shedCost*share).Times(1))
		for l := range n.lines {
			switch k {
			case n.to[l]:
				balance = append(balance, flows[t][l].Times(1))
			case n.from[l]:
				balance = append(balance, flows[t][l].Times(-1))
			}
		}
		m.Equal(n.demand[t][k], balance)
	}
}
