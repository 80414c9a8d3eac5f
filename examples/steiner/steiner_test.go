package main

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// least solves an instance by dynamic programming over sets of terminals (Dreyfus and Wagner 1971).
func (s *steiner) least() float64 {
	d := make([][]float64, s.n)
	for i := range d {
		d[i] = slices.Repeat([]float64{math.Inf(1)}, s.n)
		d[i][i] = 0
	}
	for e, uv := range s.ends {
		d[uv[0]][uv[1]], d[uv[1]][uv[0]] = s.cost[e], s.cost[e]
	}
	for k := range s.n {
		for i := range s.n {
			for j := range s.n {
				d[i][j] = math.Min(d[i][j], d[i][k]+d[k][j])
			}
		}
	}
	ends := s.terminals[1:]
	tree := make([][]float64, 1<<len(ends)) // least cost of a tree with the set and the vertex
	for set := 1; set < len(tree); set++ {
		joined := slices.Repeat([]float64{math.Inf(1)}, s.n)
		for v := range s.n {
			for sub := (set - 1) & set; sub > 0; sub = (sub - 1) & set {
				joined[v] = math.Min(joined[v], tree[sub][v]+tree[set&^sub][v])
			}
		}
		for k, t := range ends {
			if set == 1<<k {
				joined[t] = 0
			}
		}
		tree[set] = make([]float64, s.n)
		for v := range s.n {
			tree[set][v] = math.Inf(1)
			for w := range s.n {
				tree[set][v] = math.Min(tree[set][v], d[v][w]+joined[w])
			}
		}
	}
	return tree[len(tree)-1][s.terminals[0]]
}

func TestAgainstDynamicProgramming(t *testing.T) {
	opt := bnb.DefaultOptions()
	opt.Gap = 0
	cuts := 0
	for seed := range uint64(15) {
		in := random(12+3*int(seed%5), 3+int(seed%5), seed)
		res, err := in.solve(context.Background(), opt)
		if err != nil || res.Status != lp.Optimal {
			t.Fatalf("seed %d: %v, %v", seed, res.Status, err)
		}
		if want := in.least(); math.Abs(res.Objective-want) > 1e-6 {
			t.Errorf("seed %d: cost %.9g, want %.9g", seed, res.Objective, want)
		}
		if len(in.separate(res.X)) > 0 {
			t.Errorf("seed %d: a terminal is not reached", seed)
		}
		cuts += res.UserCuts + res.LazyCuts
	}
	if cuts == 0 {
		t.Error("no connectivity cut was needed")
	}
}
