//go:build linux

package main

import (
	"math"
	"testing"
	"time"

	"github.com/proxybd/proxybd/benders/scenario"
)

// even is a trace of two steps with four jobs of a second each, and half a second of rank 0 before each step.
func even() *trace {
	t := &trace{Name: "even", Scenarios: 4 * 64, Programs: 2 * 4 * 64, Data: make([]int, 4)}
	for range 2 {
		s := step{Before: 0.5}
		for chunk := range 4 {
			s.Jobs = append(s.Jobs, job{Chunk: chunk, Seconds: 1, In: 1000, Out: 1000})
		}
		t.Steps = append(t.Steps, s)
	}
	return t
}

// TestPlay plays steps whose times follow by hand.
func TestPlay(t *testing.T) {
	for _, c := range []struct {
		of   machines
		want float64
	}{
		{machines{nodes: 1, slots: 1, slow: 1}, 9},
		{machines{nodes: 1, slots: 1, slow: 3}, 27},
		{machines{nodes: 1, slots: 4, slow: 1}, 3},
		{machines{nodes: 2, slots: 1, slow: 1}, 5},
		{machines{nodes: 4, slots: 1, slow: 1}, 3},
		{machines{nodes: 9, slots: 1, slow: 1}, 3},

		// A job of the second process is there a tenth of a second later, and so is its answer.
		{machines{nodes: 2, slots: 2, slow: 1, latency: 100 * time.Millisecond}, 3.4},
	} {
		c.of.bandwidth = math.Inf(1)
		got := c.of.run(even())
		want := c.want
		if c.of.nodes > 1 {
			want += c.of.latency.Seconds() // the outline
		}
		if sum := got.rank0 + got.ideal + got.tail + got.network; math.Abs(got.total-sum) > 1e-12 {
			t.Errorf("%+v: %g, the parts are %g", c.of, got.total, sum)
		}
		if math.Abs(got.total-want) > 1e-9 {
			t.Errorf("%+v: %g, want %g", c.of, got.total, want)
		}
	}
}

// TestGrown holds the work of a trace with more scenarios: that of each scenario stays.
func TestGrown(t *testing.T) {
	small := even()
	for _, scenarios := range []int{256 * 64, 100_000, 1_000_000} {
		large := small.grown(scenarios, growing{alone: linear{fixed: 0, each: 1}})
		jobs, rank0 := large.busy()
		times := float64(scenarios) / float64(small.Scenarios)
		if math.Abs(jobs/(8*times)-1) > 0.02 || math.Abs(rank0/times-1) > 1e-9 {
			t.Errorf("%d scenarios: %g s of jobs, %g of rank 0", scenarios, jobs, rank0)
		}
		if len(large.Data) != scenario.ChunksOf(scenarios) {
			t.Errorf("%d scenarios: %d chunks", scenarios, len(large.Data))
		}
	}
}
