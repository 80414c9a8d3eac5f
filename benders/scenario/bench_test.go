package scenario_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// regions is depots on a larger scale: 20 sites, 60 customers, 500 scenarios.
func regions(t testing.TB) *scenario.Problem {
	t.Helper()
	const sites, customers, count = 20, 60, 500
	rng := rand.New(rand.NewPCG(1, 4))
	m := &lp.Model{Name: "regions"}
	var build [sites]lp.Var
	var used [sites]lp.Sum
	for j := range sites {
		build[j] = m.Binary(fmt.Sprintf("build_%d", j), 100)
	}
	var need []lp.Con
	for i := range customers {
		served := lp.Total(m.Nonnegative(fmt.Sprintf("missed_%d", i), 30))
		for j := range sites {
			v := m.Nonnegative(fmt.Sprintf("ship_%d_%d", j, i), 1+9*rng.Float64())
			served, used[j] = append(served, v.Times(1)), append(used[j], v.Times(1))
		}
		need = append(need, m.AtLeast(5, served))
	}
	for j := range sites {
		m.AtMost(0, used[j], build[j].Times(-40))
	}
	p := &stoch.Program{Name: m.Name, Core: m, First: sites}
	for range count {
		var list []stoch.Change
		for _, i := range need {
			list = append(list, stoch.Change{Kind: stoch.RowLower, Row: i, Value: 10 * rng.Float64()})
		}
		p.Add("", 1.0/count, list...)
	}
	q, err := scenario.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// BenchmarkProxyRound times the parts of a separation by a network at one design: the prediction for all scenarios, the
// matrix products of it alone, the certificates, and for comparison the linear programs of an exact one, warm.
func BenchmarkProxyRound(b *testing.B) {
	p := regions(b)
	a, err := scenario.NewArchitecture("mps", p)
	if err != nil {
		b.Fatal(err)
	}
	m, err := proxy.New(a, []int{64, 64}, 1)
	if err != nil {
		b.Fatal(err)
	}
	v, err := m.On(p)
	if err != nil {
		b.Fatal(err)
	}
	predictor, err := v.Predictor(m.Net)
	if err != nil {
		b.Fatal(err)
	}
	certifier, err := v.Certifier(true)
	if err != nil {
		b.Fatal(err)
	}
	exact, err := v.Exact()
	if err != nil {
		b.Fatal(err)
	}
	points := make([]benders.Point, 16)
	rng := rand.New(rand.NewPCG(2, 4))
	for k := range points {
		points[k].Y = make([]float64, 20)
		for j := range points[k].Y {
			points[k].Y[j] = float64(rng.IntN(2))
		}
	}
	lambda := make([]float64, certifier.Dim())
	check := func(b *testing.B, err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	b.Run("predict", func(b *testing.B) {
		for k := 0; b.Loop(); k++ {
			check(b, predictor.Predict(points[k%len(points)].Y, lambda))
		}
	})
	b.Run("products", func(b *testing.B) {
		const rows = 500
		net, x := m.Net.NewInference(), make([]float64, rows*m.Net.Inputs())
		for b.Loop() {
			check(b, net.Forward(lambda, x, rows))
		}
		flops := 2.0 * rows * float64(m.Net.Inputs()*64+64*64+64*m.Net.Outputs())
		b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	})
	b.Run("round", func(b *testing.B) {
		for k := 0; b.Loop(); k++ {
			check(b, predictor.Predict(points[k%len(points)].Y, lambda))
			_, err := certifier.Complete(lambda, points[k%len(points)])
			check(b, err)
		}
	})
	b.Run("exact", func(b *testing.B) {
		for k := 0; b.Loop(); k++ {
			_, err := exact.Separate(b.Context(), points[k%len(points)])
			check(b, err)
		}
	})
}
