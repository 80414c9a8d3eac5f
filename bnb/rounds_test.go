package bnb

import (
	"context"
	"testing"
)

// TestFlatNodes counts the rounds that are worth their time at a node whose LP keeps its value: more where that is the
// parent's and a hook separates in rounds, else one.
func TestFlatNodes(t *testing.T) {
	hook := Hooks{User: func(context.Context, Candidate) (Separation, error) { return Separation{}, nil }}
	for _, c := range []struct {
		name   string
		hooks  Hooks
		rounds int
		value  float64
		want   int
	}{
		{"flat", hook, 20, 100, flatStall},
		{"branching has raised it", hook, 20, 101, nodeStall},
		{"one round a node", hook, 1, 100, nodeStall},
		{"no hook", Hooks{}, 20, 100, nodeStall},
	} {
		s := &search{job: job{hooks: c.hooks, opt: DefaultOptions()}}
		s.opt.NodeRounds = c.rounds
		nd := &node{depth: 1}
		nd.branch.objective = 100
		r := s.newRounds(nd)
		r.moved(c.value)
		n := 1
		for r.moved(c.value) {
			n++
		}
		if n != c.want {
			t.Errorf("%s: %d rounds without progress, want %d", c.name, n, c.want)
		}
	}
}
