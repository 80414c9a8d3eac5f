package classes

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// blocks is a model with equal parts, such as bins or machines of one kind: exchanging two of them leaves it as it is.
type blocks struct {
	lp.Model
	count   int
	columns [][]lp.Var // each list has one column of every block
}

// Classes of models with equal blocks: with 0-1 columns alone (bins, machines), with general integer columns
// (knapsacks, rolls, batches), and with continuous ones too (the second class of batches).
var equalBlocks = map[string]func(rng *rand.Rand) *blocks{
	"@binpacking":     binPacking,
	"@cuttingstock":   cuttingStock,
	"@equalbatches":   equalBatches,
	"@equalbatches2":  realBatches,
	"@equalknapsacks": equalKnapsacks,
	"@equalmachines":  equalMachines,
}

func init() {
	for name, draw := range equalBlocks {
		structured[name] = func(rng *rand.Rand) *lp.Model { return &draw(rng).Model }
	}
}

// part is a column of every block with its coefficient.
type part struct {
	cols  []lp.Var
	value float64
}

// add adds an integer column between 0 and upper to every block.
func (b *blocks) add(cost, upper float64) []lp.Var {
	return b.addCols(lp.Col{Cost: cost, Upper: upper, Integer: true})
}

// addCols adds a column to every block.
func (b *blocks) addCols(col lp.Col) []lp.Var {
	var cols []lp.Var
	for range b.count {
		cols = append(cols, b.AddCol(col))
	}
	b.columns = append(b.columns, cols)
	return cols
}

// inEach adds a row to each block.
func (b *blocks) inEach(lower, upper float64, parts ...part) {
	for k := range b.count {
		var row []term
		for _, p := range parts {
			row = append(row, term{p.cols[k], p.value})
		}
		addTerms(&b.Model, lower, upper, row...)
	}
}

// overAll adds a row for the sum of a column over the blocks.
func (b *blocks) overAll(lower, upper float64, cols []lp.Var) {
	var row []term
	for _, j := range cols {
		row = append(row, term{j, 1})
	}
	addTerms(&b.Model, lower, upper, row...)
}

// binPacking packs items of two sizes, such as weight and volume, into the fewest bins.
func binPacking(rng *rand.Rand) *blocks {
	const capacity = 100
	sizes := make([][2]float64, 16+rng.IntN(5))
	var total [2]float64
	for k := range sizes {
		for i := range total {
			sizes[k][i] = float64(20 + rng.IntN(40))
			total[i] += sizes[k][i]
		}
	}

	// Two bins more than the sum of the sizes fills make up for what stays empty.
	b := &blocks{count: 2 + int(math.Ceil(max(total[0], total[1])/capacity))}
	bin := b.add(1, 1)
	loads := [2][]part{{{bin, -capacity}}, {{bin, -capacity}}}
	for _, size := range sizes {
		item := b.add(0, 1)
		b.overAll(1, 1, item)
		for i := range loads {
			loads[i] = append(loads[i], part{item, size[i]})
		}
	}
	for _, load := range loads {
		b.inEach(math.Inf(-1), 0, load...)
	}
	return b
}

// cuttingStock cuts the demand for pieces of some lengths from the fewest rolls (Kantorovich, Mathematical methods of
// organizing and planning production, 1960).
func cuttingStock(rng *rand.Rand) *blocks {
	const length = 150
	b := &blocks{count: 14 + rng.IntN(7)}
	roll := b.add(1, 1)
	usage := []part{{roll, -length}}
	total := 0.0
	for range 10 + rng.IntN(5) {
		piece := b.add(0, 5)
		l := float64(30 + rng.IntN(45))
		demand := float64(1 + rng.IntN(5))
		if total+demand*l > 0.7*length*float64(b.count) {
			demand = 1 // so that the rolls suffice
		}
		total += demand * l
		b.overAll(demand, math.Inf(1), piece)
		usage = append(usage, part{piece, l})
	}
	b.inEach(math.Inf(-1), 0, usage...)
	return b
}

// equalBatches makes batches of items on machines with setups and overtime, in times that are whole numbers: presolve
// finds that the overtime is one too.
func equalBatches(rng *rand.Rand) *blocks {
	return batches(rng, func(from, width int) float64 { return float64(from + rng.IntN(width)) })
}

// realBatches is the same with times that have no common unit, so that the overtime stays continuous.
func realBatches(rng *rand.Rand) *blocks {
	return batches(rng, func(from, width int) float64 { return float64(from) + float64(width)*rng.Float64() })
}

// batches draws the times from intervals by their lower ends and widths.
func batches(rng *rand.Rand, draw func(from, width int) float64) *blocks {
	const most = 4
	b := &blocks{count: 4 + rng.IntN(3)}
	overtime := b.addCols(lp.Col{Cost: 3, Upper: math.Inf(1)})
	usage := []part{{overtime, -1}}
	for range 7 + rng.IntN(3) {
		batch := b.add(float64(rng.IntN(5)), most)
		setup := b.add(float64(20+rng.IntN(40)), 1)
		b.inEach(math.Inf(-1), 0, part{batch, 1}, part{setup, -most})
		b.overAll(float64(2+rng.IntN(2*b.count-3)), math.Inf(1), batch)
		usage = append(usage, part{batch, draw(8, 20)}, part{setup, draw(5, 10)})
	}
	b.inEach(math.Inf(-1), 150, usage...)
	return b
}

// equalKnapsacks fills knapsacks of two capacities with items, a few copies of each.
func equalKnapsacks(rng *rand.Rand) *blocks {
	const capacity = 137
	b := &blocks{count: 5 + rng.IntN(4)}
	b.Maximize = true
	var weight, volume []part
	for range 8 + rng.IntN(5) {
		w, v := float64(20+rng.IntN(50)), float64(20+rng.IntN(50))
		item := b.add(w+v+float64(rng.IntN(30)), 3)
		b.overAll(math.Inf(-1), float64(1+rng.IntN(4)), item)
		weight = append(weight, part{item, w})
		volume = append(volume, part{item, v})
	}
	b.inEach(math.Inf(-1), capacity, weight...)
	b.inEach(math.Inf(-1), capacity, volume...)
	return b
}

// equalMachines ends the last job earliest. Jobs are of families, which need a setup on each machine that does one.
func equalMachines(rng *rand.Rand) *blocks {
	const families = 4
	b := &blocks{count: 4 + rng.IntN(3)}
	makespan := b.AddCol(lp.Col{Cost: 1, Upper: math.Inf(1)})
	load := []part{{slices.Repeat([]lp.Var{makespan}, b.count), -1}}
	setup := make([][]lp.Var, families)
	for f := range setup {
		setup[f] = b.add(0, 1)
		load = append(load, part{setup[f], float64(10 + rng.IntN(30))})
	}
	for k := range 14 + rng.IntN(5) {
		job := b.add(0, 1)
		b.overAll(1, 1, job)
		b.inEach(math.Inf(-1), 0, part{job, 1}, part{setup[k%families], -1})
		load = append(load, part{job, float64(10 + rng.IntN(50))})
	}
	b.inEach(math.Inf(-1), 0, load...)
	return b
}
