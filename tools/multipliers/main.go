// Multipliers compares where the multipliers of a Lagrangian cut come from, for scenario problems that are
// mixed-integer programs: linear relaxations, other scenarios, other points, and a network that is trained by the
// supergradients of the duals. Each source is one row for each class of programs, on instances that the network was
// not trained on.
//
//	go run ./tools/multipliers            all classes
//	go run ./tools/multipliers -class 3   the fourth alone
//
// The share of a cut is 0 where it is worth no more than the cut of the linear relaxation with disaggregated rows at
// its point, and 1 where it is worth what an ascent of 60 mixed-integer programs finds.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/proxybd/proxybd/nn"
)

// Sizes of the comparison.
const (
	trained   = 6  // instances to train on
	validated = 2  // to choose the weights by
	tested    = 8  // held out, half of them larger
	scenarios = 10 // of each
)

func main() {
	log.SetFlags(0)
	only := flag.Int("class", -1, "number of the class, -1 for all")
	steps := flag.Int("steps", 600, "steps of training, of 4 mixed-integer programs each")
	flag.Parse()
	for k := range classes {
		if *only >= 0 && k != *only {
			continue
		}
		if err := compare(context.Background(), &classes[k], *steps); err != nil {
			log.Fatalf("%s: %v", classes[k].name, err)
		}
	}
}

// compare trains a network for a class and prints its rows.
func compare(ctx context.Context, c *class, steps int) error {
	began := time.Now()
	var all []*instance
	for seed := range trained + validated + tested {
		large := seed >= trained+validated && seed%2 == 1
		p, err := c.make(rand.New(rand.NewPCG(uint64(seed), 7)), scenarios, large)
		if err != nil {
			return err
		}
		list, err := duals(ctx, p)
		if err != nil {
			return fmt.Errorf("instance %d: %w", seed, err)
		}
		all = append(all, newInstance(list))
	}
	held := all[trained+validated:]

	net, random, stop, err := learn(ctx, all, steps)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d steps of training, %.0f s in all\n", c.name, stop, time.Since(began).Seconds())
	rows := sources(net, random)
	shares := make([][]float64, len(rows)) // of each row, the mean of each instance
	spent := make([]float64, len(rows))
	for _, in := range held {
		for r := range rows {
			share, seconds, err := in.score(ctx, &rows[r])
			if err != nil {
				return err
			}
			shares[r] = append(shares[r], share)
			spent[r] += seconds / float64(len(held))
		}
	}

	// The network without ascent against each control without it.
	at := slices.IndexFunc(rows, func(r source) bool { return r.name == "network" })
	fmt.Printf("%-28s %8s %10s %22s\n", "source", "share", "ms a cut", "network less it, 95%")
	for r := range rows {
		difference := make([]float64, len(held))
		for k := range held {
			difference[k] = shares[at][k] - shares[r][k]
		}
		mean, half := interval(difference)
		fmt.Printf("%-28s %8.3f %10.1f %10.3f +- %.3f\n", rows[r].name, average(shares[r]), 1000*spent[r], mean, half)
	}
	fmt.Println()
	return nil
}

// learn trains a network, and returns one with random weights too, and the steps that were made.
func learn(ctx context.Context, all []*instance, steps int) (net, random *nn.MLP, done int, err error) {
	if net, err = newNetwork(1); err != nil {
		return nil, nil, 0, err
	}
	if random, err = newNetwork(2); err != nil {
		return nil, nil, 0, err
	}
	t := &task{net: net, train: all[:trained], validation: all[trained : trained+validated]}
	var features []float64
	for _, in := range t.train {
		t.columns = max(t.columns, in.columns)
		for _, f := range in.features {
			features = append(features, f...)
		}
	}
	for _, m := range []*nn.MLP{net, random} {
		if err := m.NormaliseInputs(len(features)/inputs, features); err != nil {
			return nil, nil, 0, err
		}
	}
	o := nn.DefaultOptions()
	o.Steps = steps
	o.ValidateEvery = 50
	o.Rate = 1e-3
	o.ClipNorm = 1
	out, err := nn.Train(ctx, net.Params(), t, o)
	return net, random, out.Step, err
}

// source is where multipliers come from: several for each scenario, of which the best one counts, and calls of an
// ascent that begins there.
type source struct {
	name  string
	from  func(in *instance, s int) [][]float64
	calls int
}

// sources lists the rows of the table.
func sources(net, random *nn.MLP) []source {
	one := func(f func(in *instance, s int) []float64) func(*instance, int) [][]float64 {
		return func(in *instance, s int) [][]float64 { return [][]float64{f(in, s)} }
	}
	split := one(func(in *instance, s int) []float64 { return in.scenarios[s].split })
	network := one(func(in *instance, s int) []float64 { return in.multipliers(net, s) })
	return []source{
		{"zero", one(func(in *instance, s int) []float64 { return make([]float64, in.columns) }), 1},
		{"linear relaxation", one(func(in *instance, s int) []float64 { return in.scenarios[s].lp }), 1},
		{"disaggregated rows", split, 1},
		{"  and 1 ascent call", split, 2},
		{"  and 2 ascent calls", split, 3},
		{"previous point", one(func(in *instance, s int) []float64 { return in.scenarios[s].before }), 1},
		{"mean of other scenarios", one((*instance).meanOfOthers), 1},
		{"best of 3 nearest scenarios", (*instance).nearest, 1},
		{"random weights", one(func(in *instance, s int) []float64 { return in.multipliers(random, s) }), 1},
		{"network", network, 1},
		{"  and 1 ascent call", network, 2},
		{"  and 2 ascent calls", network, 3},
	}
}

// meanOfOthers is the mean of what long ascents found for the other scenarios.
func (in *instance) meanOfOthers(s int) []float64 {
	out := make([]float64, in.columns)
	for k, other := range in.scenarios {
		if k != s {
			for j := range out {
				out[j] += other.best[j] / float64(len(in.scenarios)-1)
			}
		}
	}
	return out
}

// nearest are what long ascents found for the three scenarios whose sides are nearest.
func (in *instance) nearest(s int) [][]float64 {
	distance := func(k int) (d float64) {
		for i, v := range in.scenarios[k].rhs {
			if w := in.scenarios[s].rhs[i]; v != w { // both may be infinite
				d += (v - w) * (v - w)
			}
		}
		return d
	}
	var others []int
	for k := range in.scenarios {
		if k != s {
			others = append(others, k)
		}
	}
	slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(distance(a), distance(b)) })
	var out [][]float64
	for _, k := range others[:3] {
		out = append(out, in.scenarios[k].best)
	}
	return out
}

// score returns the mean share over the scenarios that have something to close, and the seconds of a cut.
func (in *instance) score(ctx context.Context, r *source) (share, seconds float64, err error) {
	count := 0
	for k, s := range in.scenarios {
		if !s.open() {
			continue
		}
		count++
		before := s.spent
		best := math.Inf(-1)
		for _, pi := range r.from(in, k) {
			_, v, err := s.ascend(ctx, pi, r.calls)
			if err != nil {
				return 0, 0, err
			}
			best = max(best, v)
		}
		share += max(0, s.share(best)) // the cut of the linear relaxation is there anyway
		seconds += (s.spent - before).Seconds()
	}
	if count == 0 {
		return 1, 0, nil
	}
	return share / float64(count), seconds / float64(count), nil
}

func average(list []float64) (mean float64) {
	for _, v := range list {
		mean += v / float64(len(list))
	}
	return mean
}

// interval returns the mean of a sample and half the width of its 95% interval, by Student's distribution.
func interval(list []float64) (mean, half float64) {
	const student7 = 2.365 // for 8 values
	mean = average(list)
	variance := 0.0
	for _, v := range list {
		variance += (v - mean) * (v - mean) / float64(len(list)-1)
	}
	return mean, student7 * math.Sqrt(variance/float64(len(list)))
}
