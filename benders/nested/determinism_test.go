package nested

import (
	"context"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// TestRepeats solves a program twice, bit for bit the same.
func TestRepeats(t *testing.T) {
	o := DefaultOptions()
	o.Gap = 3e-3
	var last any
	for range 2 {
		r, err := Solve(t.Context(), inventory(8, 8), o)
		if err != nil || r.Design == nil {
			t.Fatal(r, err)
		}
		r.Elapsed, r.Parts.Recourse, r.Parts.Other = 0, 0, 0
		if last != nil && !reflect.DeepEqual(last, *r) {
			t.Errorf("%+v, and before %+v", *r, last)
		}
		last = *r
	}
}

// TestLimits stops runs.
func TestLimits(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		set  func(o *Options)
		want lp.Status
	}{
		{"cancelled", cancelled, func(*Options) {}, lp.Interrupted},
		{"no time", t.Context(), func(o *Options) { o.TimeLimit = 0 }, lp.TimeLimit},
		{"little time", t.Context(), func(o *Options) { o.TimeLimit = 30 * time.Millisecond }, lp.TimeLimit},
		{"no pass", t.Context(), func(o *Options) { o.MaxPasses = 0 }, lp.IterationLimit},
		{"few passes", t.Context(), func(o *Options) { o.MaxPasses = 3 }, lp.IterationLimit},
	} {
		o := DefaultOptions()
		o.Gap = 1e-9
		c.set(&o)
		r, err := Solve(c.ctx, inventory(12, 10), o)
		if err != nil || r.Status != c.want {
			t.Errorf("%s: %+v, %v", c.name, r, err)
		}
		if few := c.name == "few passes"; few != (r != nil && !math.IsInf(r.Bound, -1)) && c.name != "little time" {
			t.Errorf("%s: the bound is %g", c.name, r.Bound)
		}
	}
}

// TestRefusals gives programs and options that cannot be.
func TestRefusals(t *testing.T) {
	for _, set := range []func(o *Options, p *stoch.Multistage){
		func(o *Options, _ *stoch.Multistage) { o.Gap = math.NaN() },
		func(o *Options, _ *stoch.Multistage) { o.TimeLimit = -1 },
		func(o *Options, _ *stoch.Multistage) { o.MaxPasses = -1 },
		func(o *Options, _ *stoch.Multistage) { o.Parts = -1 },
		func(_ *Options, p *stoch.Multistage) { p.Core.Cols[3].Integer = true },
		func(_ *Options, p *stoch.Multistage) { p.Nodes[1].Arcs[0].Probability = 0.5 },
		func(_ *Options, p *stoch.Multistage) { p.Nodes[1].Arcs[0].To = 0 },
		func(_ *Options, p *stoch.Multistage) { p.Nodes[1].Arcs = nil },
		func(_ *Options, p *stoch.Multistage) { p.Nodes[1].Period = 0 },
		func(_ *Options, p *stoch.Multistage) { p.RowPeriod[5] = 0 },
		func(_ *Options, p *stoch.Multistage) { p.ColPeriod = nil },
		func(_ *Options, p *stoch.Multistage) { p.Nodes = nil },
		func(_ *Options, p *stoch.Multistage) { p.Nodes[1].Changes[0].Row = 0 },
		func(_ *Options, p *stoch.Multistage) { p.Nodes[1].Changes[0].Value = math.NaN() },
	} {
		o, p := DefaultOptions(), inventory(4, 3)
		set(&o, p)
		if r, err := Solve(t.Context(), p, o); err == nil {
			t.Errorf("solved: %+v", r)
		}
	}
}
