package families_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/cap"
	"github.com/proxybd/proxybd/families/mcndp"
	"github.com/proxybd/proxybd/families/mpsmodel"
	"github.com/proxybd/proxybd/families/netdes"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/families/scflp"
	"github.com/proxybd/proxybd/families/ufl"
)

// stated are the capabilities of the instances of each family: those of a generated one, and of its variants.
var stated = []struct {
	family families.Family
	class  string
	want   string
}{
	{cap.Family, "5x4", "Explainer Numbered Tabled Diagnosed"},
	{ufl.Family, "5x4", "Explainer Numbered Tabled Diagnosed"},
	{mcndp.Family, "5x10x3", "Explainer Numbered Tabled Diagnosed"},
	{mcndp.Family, "5x10x3:4", "Explainer Numbered Tabled Stochastic Spread Diagnosed"},
	{netdes.Family, "5x3-L", "Explainer Numbered Tabled Stochastic Spread Diagnosed"},
	{scflp.Family, "5x4:3", "Explainer Tabled Stochastic Spread Diagnosed"},
	{mpsmodel.Family, "4x100x36", "Explainer TwoStage Diagnosed"},
}

// TestFamiliesStateTheirCapabilities compares what instances and their variants state with the table, and uses each
// capability of an instance once.
func TestFamiliesStateTheirCapabilities(t *testing.T) {
	for _, c := range stated {
		in, err := c.family.Generate(c.class, 1)
		if err != nil {
			t.Fatal(err)
		}
		variant, _, err := in.Perturb("variant", 0.05, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range []families.Instance{in, variant} {
			if got := strings.Join(names(one.Capabilities()), " "); got != c.want {
				t.Errorf("%s %s: %s, want %s", c.family.Name, c.class, got, c.want)
			}
		}
		t.Run(c.family.Name, func(t *testing.T) { useAll(t, in) })
	}
}

// names lists the fields that are not nil.
func names(can families.Capabilities) (list []string) {
	v := reflect.ValueOf(can)
	for k := range v.NumField() {
		if !v.Field(k).IsNil() {
			list = append(list, v.Type().Field(k).Name)
		}
	}
	return list
}

// useAll uses every capability of an instance. One that an outer type provides must not be that of the type it embeds:
// then it would not be the instance itself.
func useAll(t *testing.T, in families.Instance) {
	can := in.Capabilities()
	v := reflect.ValueOf(can)
	for k := range v.NumField() {
		name := v.Type().Field(k).Name
		has := reflect.TypeOf(in).Implements(v.Type().Field(k).Type)
		if stated := !v.Field(k).IsNil(); stated && !has {
			t.Errorf("%T states %s by another type", in, name)
		} else if stated && name == "Explainer" && v.Field(k).Interface() != in {
			t.Errorf("%T leaves %s to the type that it embeds", in, name)
		}
	}

	r, err := pipeline.Solve(context.Background(), in, decompose.DefaultOptions())
	if err != nil || r.Design == nil {
		t.Fatal(r, err)
	}
	s, err := pipeline.Explain(context.Background(), in, r.Design)
	if err != nil || !(s.Violation < 1e-6) || !(abs(s.Total()-r.Objective) <= 1e-6*abs(r.Objective)) {
		t.Errorf("%s: %+v, %v; the run says %g", in.Label().Name, s, err, r.Objective)
	}
	if can.Numbered != nil {
		if id := fmt.Sprint(can.Numbered.OpenID(0)); id == "" || id == "0" {
			t.Errorf("the first of a design is %q, files count from 1", id)
		}
	}
	if can.Tabled != nil {
		if d, err := can.Tabled.Tables(); err != nil || d.Problem != in.Label().Family {
			t.Errorf("%+v, %v", d, err)
		}
	}
	if can.Diagnosed != nil {
		if why, err := can.Diagnosed.Infeasibility(context.Background()); err != nil || why != "" {
			t.Errorf("a feasible instance has a reason why it is infeasible: %q, %v", why, err)
		}
	}
	if can.TwoStage != nil && can.TwoStage.TwoStage().First != len(r.Design) {
		t.Errorf("%d first-stage columns, %d in the design", can.TwoStage.TwoStage().First, len(r.Design))
	}
	if can.Spread != nil {
		if can.Spread.TeamWorker() == nil {
			t.Error("an instance for several processes has no worker")
		}
		can.Spread.SetTeam(nil)
	}
	if can.Stochastic == nil {
		return
	}
	whole, err := can.Stochastic.Equivalent()
	if err != nil {
		t.Fatal(err)
	}
	cost, feasible, err := pipeline.Price(context.Background(), whole, r.Design)
	if err != nil || !feasible || !(abs(cost-r.Objective) <= 1e-6*abs(r.Objective)) {
		t.Errorf("the deterministic equivalent prices the design at %g (%v, %v), the run at %g", cost, feasible, err, r.Objective)
	}
	if p := can.Stochastic.ByScenario().Stochastic(); p.First != len(r.Design) {
		t.Errorf("%d first-stage columns, %d in the design", p.First, len(r.Design))
	}
}

func abs(v float64) float64 { return max(v, -v) }
