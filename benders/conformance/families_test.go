package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/conformance"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
)

// fixtureOf makes the fixture of an instance from the contract of families alone.
func fixtureOf(t *testing.T, f families.Family, in families.Instance, seed uint64) *conformance.Fixture {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatalf("%s: %v", in.Label().Title, err)
		}
	}
	program := func() *decompose.Program {
		p, err := in.Program()
		must(err)
		return p
	}
	model, _, err := pipeline.NewModel(f, in, families.ModelOptions{Hidden: []int{4}, Seed: seed})
	must(err)

	master, compact := program().Model.Master(), program().Model.Compact()
	return &conformance.Fixture{
		Name:    fmt.Sprintf("%s, seed %d", in.Label().Title, seed),
		Compact: compact,
		Check:   conformance.Implied(compact, len(master.Cols)),
		Problem: func() *benders.Problem {
			p, err := program().Recourse.Problem(context.Background(), true)
			must(err)
			return p
		},
		Exact: func() benders.Separator {
			p := program()
			exact, err := p.Recourse.Exact(true)
			must(err)
			if p.Recourse.Strengthen != nil {
				exact = p.Recourse.Strengthen(exact)
			}
			return exact
		},
		Certifier: func() proxy.Certifier {
			v, err := model.On(in)
			must(err)
			c, err := v.Certifier(true)
			must(err)
			return c
		},
		Hybrid: func(ctx context.Context, o benders.Options) (*benders.Result, error) {
			return pipeline.Solve(ctx, in, decompose.Options{Method: decompose.Hybrid, Scheme: decompose.Auto, Model: model,
				Benders: o})
		},
	}
}

// TestFamilies runs the suite on every family, by nothing but what an instance declares: with one epigraph, and cuts
// judged by the whole program instead of by the certificates of the family.
func TestFamilies(t *testing.T) {
	for _, k := range recordedKinds {
		var total conformance.Count
		for seed := range uint64(2) {
			in, err := k.make(t, seed)
			if errors.Is(err, families.ErrOptions) { // the draw cannot be routed
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			conformance.Run(t, fixtureOf(t, k.family, in, seed), seed, &total)
		}
		t.Logf("%s: %+v", k.name, total)
		if total.Cuts < 30 || !total.Feasible {
			t.Errorf("%s: %+v: the suite had little to look at", k.name, total)
		}
	}
}
