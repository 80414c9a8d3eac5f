// Command tsp solves random travelling salesman problems by branch and cut: the model holds only the degree
// rows, a lazy hook adds the subtour elimination constraints that integral points violate, a user hook those that
// fractional points violate (Dantzig, Fulkerson, Johnson 1954), and a heuristic hook turns fractional points into
// tours.
//
// The file tsp.go has the model and the three hooks, this file the command line. The model is
//
//	min  sum_e d_e x_e,  sum of x_e over the edges at a city = 2,  x binary,
//
// and a set S of cities that is neither empty nor everything must have sum of x_e over the edges that leave S >= 2.
// There are exponentially many such sets, so the rows are added where a point violates them.
//
//	go run ./examples/tsp -n 100 -seed 1
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/proxybd/proxybd/bnb"
)

// main solves instances of consecutive seeds and prints a line for each.
func main() {
	n := flag.Int("n", 100, "cities, at least 5")
	seed := flag.Uint64("seed", 1, "of the first instance")
	count := flag.Int("count", 1, "instances")
	limit := flag.Duration("time-limit", time.Minute, "for each")
	flag.Parse()
	if *n < 5 {
		fmt.Fprintln(os.Stderr, "tsp: at least 5 cities")
		os.Exit(2)
	}

	// Every instance has a seed of its own.
	for s := *seed; s < *seed+uint64(*count); s++ {
		opt := bnb.DefaultOptions()
		opt.TimeLimit = *limit
		r, err := random(*n, s).solve(context.Background(), opt)
		if err != nil {
			fmt.Fprintln(os.Stderr, "tsp:", err)
			os.Exit(1)
		}
		fmt.Printf("%d cities, seed %d: %v, length %.3f, bound %.3f, %d nodes, %d subtour cuts (%d lazy), %.2f s\n",
			*n, s, r.Status, r.Objective, r.Bound, r.Nodes, r.UserCuts+r.LazyCuts, r.LazyCuts, r.Elapsed.Seconds())
	}
}
