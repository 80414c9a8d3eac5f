// Command steiner solves Steiner tree problems in random graphs by branch and cut: the model holds only that at most
// one arc enters a vertex; a hook separates the directed connectivity constraints (Wong 1984) by maximum flows, lazily
// at integral points and as user cuts at fractional ones.
//
// The file steiner.go has the model and the hooks, this file the command line. With a terminal r as the root the model
// has a column x_a for each arc, in both directions of every edge, and for every set S of vertices with a terminal but
// without r the row
//
//	sum of x_a over the arcs that enter S >= 1.
//
// There are exponentially many rows; a maximum flow from r to a terminal finds one that is violated, or shows that none
// of that terminal is.
//
//	go run ./examples/steiner -n 100 -terminals 12 -seed 1
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/proxybd/proxybd/bnb"
)

// main solves one instance and prints a line.
func main() {
	n := flag.Int("n", 100, "vertices, at least 2")
	terminals := flag.Int("terminals", 12, "vertices to connect, at least 2")
	seed := flag.Uint64("seed", 1, "of the instance")
	limit := flag.Duration("time-limit", time.Minute, "")
	flag.Parse()
	if *n < 2 || *terminals < 2 || *terminals > *n {
		fmt.Fprintln(os.Stderr, "steiner: from 2 terminals to as many as vertices")
		os.Exit(2)
	}

	opt := bnb.DefaultOptions()
	opt.TimeLimit = *limit
	r, err := random(*n, *terminals, *seed).solve(context.Background(), opt)
	if err != nil {
		fmt.Fprintln(os.Stderr, "steiner:", err)
		os.Exit(1)
	}

	// A limit is no error: the result says how far the tree came.
	fmt.Printf("%d vertices, %d terminals, seed %d: %v, cost %.0f, bound %.1f, %d nodes, %d lazy and %d user cuts, "+
		"%.2f s\n", *n, *terminals, *seed, r.Status, r.Objective, r.Bound, r.Nodes, r.LazyCuts, r.UserCuts,
		r.Elapsed.Seconds())
}
