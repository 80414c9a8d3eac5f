// Fctp is the command line of proxybd with one family more: fixed-charge transportation, in which sources of limited
// supply are opened at a cost and serve demands,
//
//	min  sum_i f_i y_i + sum_ij c_ij x_ij,  sum_j x_ij <= s_i y_i,  sum_i x_ij >= d_j,  x >= 0,  y binary.
//
// The program shows what a family needs to have every command, method, proxy and record: a name, a reader and a
// generator. Both return a generic.Plain, an instance that consists of its model alone.
//
//	go run ./examples/fctp generate --family fctp --class 20x50
//	go run ./examples/fctp solve fctp20x50-1.mps.gz --family fctp
//
// Without --family fctp the file is solved as one of family mps, which comes first in the list and reads any model.
package main

import (
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/proxybd/proxybd/cli"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/generic"
	"github.com/proxybd/proxybd/lp"
)

func main() { os.Exit(cli.Main(os.Args[1:], append(cli.Families(), fctp)...)) }

const name = "fctp"

// fctp declares the family. Its files are models, whose first stage is their integer columns unless --first-stage names
// others.
var fctp = families.Family{
	Name:    name,
	About:   "fixed-charge transportation",
	Classes: []string{"4x5", "20x50"},
	Options: []families.Option{generic.FirstStage},
	Read: func(path string, o families.ReadOptions) (families.Instance, error) {
		return families.As(generic.ReadPlain(name, path, o.Set[generic.FirstStage.Name], o.Warn))
	},
	Generate: func(class string, seed uint64) (families.Instance, error) {
		sizes, err := families.ParseShape(class, 2)
		if err != nil {
			return nil, err
		}
		return families.As(generic.NewPlain(name, model(sizes[0], sizes[1], seed), nil))
	},
}

// model is the whole program of random data. Its integer columns, which open sources, are the first stage.
func model(sources, sinks int, seed uint64) *lp.Model {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := &lp.Model{Name: fmt.Sprintf("fctp%dx%d-%d", sources, sinks, seed)}

	// The columns of a source come together: y_i, then x_i1, x_i2, ...; arrives collects what comes to each sink.
	arrives := make([]lp.Sum, sinks)
	for i := range sources {
		open := m.Binary(fmt.Sprintf("open_%d", i), float64(30+rng.IntN(40)))
		leaves := lp.Sum{open.Times(-float64(10 + rng.IntN(10)))}
		for j := range sinks {
			flow := m.Nonnegative(fmt.Sprintf("flow_%d_%d", i, j), float64(1+rng.IntN(9)))
			leaves = append(leaves, flow.Times(1))
			arrives[j] = append(arrives[j], flow.Times(1))
		}
		m.AtMost(0, leaves) // what leaves a source is at most its supply, and nothing where it is closed
	}

	for _, sum := range arrives {
		m.AtLeast(float64(2+rng.IntN(4)), sum)
	}
	return m
}
