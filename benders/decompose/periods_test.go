package decompose

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/lp"
)

// TestPeriods asks a program of several periods for what it can do without its scenarios, and for what it cannot.
func TestPeriods(t *testing.T) {
	asked := errors.New("asked for the scenarios")
	failure := error(nil)
	p := &Program{Model: Model{Periods: Periods{
		Solve: func(context.Context, Options) (*benders.Result, error) {
			return &benders.Result{Status: lp.Optimal}, failure
		},
		Listed: func() (*Program, error) { return nil, asked },
	}}}
	for _, c := range []struct {
		name string
		set  func(o *Options)
		fail error
		want error
	}{
		{"auto", func(*Options) {}, nil, nil},
		{"nested", func(o *Options) { o.Scheme = Nested }, nil, nil},
		{"auto, which cannot", func(*Options) {}, fmt.Errorf("unbounded: %w", ErrUnsupported), asked},
		{"auto, which fails", func(*Options) {}, context.Canceled, context.Canceled},
		{"nested, which cannot", func(o *Options) { o.Scheme = Nested }, ErrUnsupported, ErrUnsupported},
		{"a tree", func(o *Options) { o.Scheme = BBC }, nil, asked},
		{"aggregated", func(o *Options) { o.Method = Aggregated }, nil, asked},
		{"nested and a proxy", func(o *Options) { o.Scheme, o.Method, o.Model = Nested, Proxy, &proxy.Model{} }, nil, ErrUnsupported},
		{"a start", func(o *Options) { o.Start = []float64{1} }, nil, asked},
		{"nested with a start", func(o *Options) { o.Scheme, o.Start = Nested, []float64{1} }, nil, ErrUnsupported},
		{"states", func(o *Options) { o.Save = func(*State) {} }, nil, asked},
		{"certificates", func(o *Options) { o.Certified = true }, nil, asked},
		{"a limit on nodes", func(o *Options) { o.Benders.MaxNodes = 3 }, nil, asked},
		{"a bad gap", func(o *Options) { o.Benders.Gap = math.NaN() }, nil, benders.ErrOptions},
	} {
		o := DefaultOptions()
		c.set(&o)
		failure = c.fail
		if _, err := Solve(t.Context(), p, o); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	o := DefaultOptions()
	o.Scheme = Nested
	if _, err := Solve(t.Context(), &Program{}, o); !errors.Is(err, ErrUnsupported) {
		t.Errorf("two stages by the scheme nested: %v", err)
	}
}
