package decompose

import (
	"context"
	"errors"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/prove"
	"github.com/proxybd/proxybd/benders/proxy"
)

// TestUnsupported asks programs for methods and schemes that they do not have. No hook is called before the options are
// found sound: these programs have next to none.
func TestUnsupported(t *testing.T) {
	plain, single := &Program{}, &Program{Recourse: Recourse{SingleEpigraph: true}}
	tree := func(context.Context, *Start, benders.Options) (*benders.Result, error) { return nil, nil }
	withTree := &Program{Preparation: Preparation{Tree: Search{Solve: tree}}}
	singleTree := &Program{Preparation: withTree.Preparation, Recourse: single.Recourse}
	for _, c := range []struct {
		p      *Program
		method Method
		scheme Scheme
		want   error
	}{
		{plain, Exact, Auto, nil}, {plain, Aggregated, Outer, nil}, {plain, Full, BBC, nil},
		{plain, "guess", Auto, ErrUnsupported}, {plain, Exact, "random", ErrUnsupported}, {plain, "", Auto, ErrUnsupported},
		{plain, Exact, Dual, ErrUnsupported}, {single, Aggregated, Dual, ErrUnsupported},
		{withTree, Exact, Dual, nil}, {withTree, Full, Dual, nil}, {withTree, Aggregated, Dual, ErrUnsupported},
		{singleTree, Aggregated, Dual, nil}, {withTree, Proxy, Dual, ErrUnsupported},
		{plain, Proxy, Auto, proxy.ErrModel}, {plain, Hybrid, BBC, proxy.ErrModel},
	} {
		o := DefaultOptions()
		o.Method, o.Scheme = c.method, c.scheme
		if err := o.validate(c.p); !errors.Is(err, c.want) {
			t.Errorf("%q by %q: %v, want %v", c.method, c.scheme, err, c.want)
		}
		if c.want == nil {
			continue
		}
		if _, err := Solve(context.Background(), c.p, o); !errors.Is(err, c.want) {
			t.Errorf("Solve %q by %q: %v, want %v", c.method, c.scheme, err, c.want)
		}
	}
	o := DefaultOptions()
	if _, _, err := Record(context.Background(), plain, o, prove.Label{}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("a record of a program that has none: %v", err)
	}
	o.Benders.StallNodes = 0
	if err := o.validate(plain); !errors.Is(err, benders.ErrOptions) {
		t.Errorf("a stop after 0 nodes: %v", err)
	}
}

// TestMethods checks what the methods come to: one epigraph needs no aggregation, and a proxy may have one by itself.
func TestMethods(t *testing.T) {
	single, sum := &Program{Recourse: Recourse{SingleEpigraph: true}}, &Program{Proxy: ProxyRun{OneCut: true}}
	if m := single.method(Aggregated); m != Exact {
		t.Errorf("aggregated with one epigraph is %s", m)
	}
	if m := sum.method(Aggregated); m != Aggregated {
		t.Errorf("aggregated is %s", m)
	}
	for m, want := range map[Method]bool{Exact: false, Aggregated: true, Proxy: true, Hybrid: false} {
		if sum.sum(m, &Options{Method: m}) != want {
			t.Errorf("%s has one cut on the sum: %t", m, !want)
		}
	}
	if (&Program{}).sum(Proxy, &Options{Method: Proxy}) {
		t.Error("a proxy has one cut on the sum unasked")
	}
}
