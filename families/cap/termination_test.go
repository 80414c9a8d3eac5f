package cap

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// cutsAt notes at which designs a run was given violated cuts.
type cutsAt map[string]int

func (c cutsAt) Separated(p benders.Point, _ *benders.Separation, violated []benders.Cut) {
	if len(violated) > 0 {
		c[fmt.Sprint(p.Y)]++
	}
}

// TestProxyCutsAreBounded holds proxy runs against the paper's remark 4 and proposition 4: with a deterministic
// separator that makes one cut for each design, and asked at designs alone, a run adds at most |Y| cuts, none twice for
// a design, and ends at a fixed point, or with a proof.
func TestProxyCutsAreBounded(t *testing.T) {
	highest, fixed := 0.0, 0
	for seed := range uint64(80) {
		rng := rand.New(rand.NewPCG(seed, 111))
		in := randomInstance(rng, 2+rng.IntN(5), 1+rng.IntN(8))
		if math.IsInf(brute(t, in), 1) || in.TotalDemand() == 0 {
			continue
		}
		designs := 0
		eachDesign(in.Facilities, func(y []float64) {
			open := 0.0
			for j, v := range y {
				open += v * in.Capacity[j]
			}
			if open >= in.TotalDemand()*(1-1e-9) {
				designs++
			}
		})
		m := paperModel(t, in, seed)
		if seed%3 == 0 {
			spoil(m, rng)
		}
		for _, scheme := range []decompose.Scheme{decompose.BBC, decompose.Outer} {
			at := cutsAt{}
			o := decompose.DefaultOptions()
			o.Scheme, o.InOut = scheme, 1
			o.Benders.Heuristic, o.Benders.TrueCost, o.Benders.Fractional, o.Benders.Recorder = false, false, benders.Never, at
			o.Benders.Gap = 0
			r, err := pipeline.Solve(context.Background(), in, withModel(o, decompose.Proxy, m))
			if err != nil {
				t.Fatal(err)
			}
			if r.Cuts.Optimality > designs || r.Cuts.User+r.Cuts.Feasibility > 0 || len(at) != r.Cuts.Optimality ||
				r.Status != lp.FixedPoint && r.Status != lp.Optimal {
				t.Errorf("seed %d %s: %v after %+v at %d designs of %d", seed, scheme, r.Status, r.Cuts, len(at), designs)
			}
			highest = max(highest, float64(r.Cuts.Optimality)/float64(designs))
			if r.Status == lp.FixedPoint {
				fixed++
			}
		}
	}
	if highest < 0.5 || fixed == 0 {
		t.Errorf("at most %.0f%% of the designs had a cut, %d runs ended at a fixed point: the test proves too little", 100*highest, fixed)
	}
}

// TestFractionalCutsAreApart holds a loop over fractional points against the second half of proposition 4. Cuts are
// added where they are violated by at least epsilon, all of them stay, and the relaxed master is solved again. Two
// points z = (y, theta) that give cuts then lie at least epsilon / L apart, where L is the greatest norm of a cut's
// coefficients; the box of y and the cuts bound the points, so that the loop ends.
func TestFractionalCutsAreApart(t *testing.T) {
	const epsilon = 1e-3
	pairs := 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 113))
		in := randomInstance(rng, 2+rng.IntN(5), 1+rng.IntN(8))
		model, _, err := pipeline.NewModel(Family, in, families.ModelOptions{Preset: families.Fast, Hidden: []int{16}, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		sep, err := model.Separator(in, true)
		if err != nil {
			t.Fatal(err)
		}
		master := in.Master()
		for j := range master.Cols {
			master.Cols[j].Integer = false
		}
		theta := master.AddCol(lp.Col{Name: "theta", Cost: 1, Upper: lp.Inf})

		var points [][]float64
		lipschitz, ended := 0.0, false
		for range 300 {
			sol, err := simplex.Solve(t.Context(), master, simplex.DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			if sol.Status != lp.Optimal {
				ended = true // no point satisfies the capacity row
				break
			}
			out, err := sep.Separate(t.Context(), benders.Point{Y: sol.X[:theta], Theta: sol.X[theta:]})
			if err != nil {
				t.Fatal(err)
			}
			added := false
			for _, cut := range out.Cuts {
				if cut.Kind != benders.Optimality || cut.Value(sol.X[:theta])-sol.X[theta] < epsilon {
					continue
				}
				index, value := []int32{int32(theta)}, []float64{1}
				norm := 1.0
				for k, j := range cut.Index {
					index = append(index, j)
					value = append(value, -cut.Beta[k])
					norm += cut.Beta[k] * cut.Beta[k]
				}
				master.AddRow(lp.Row{Lower: cut.Alpha, Upper: lp.Inf}, index, value)
				lipschitz = max(lipschitz, math.Sqrt(norm))
				added = true
			}
			if !added {
				ended = true
				break
			}
			points = append(points, sol.X)
		}

		for k, z := range points {
			for _, other := range points[:k] {
				distance := 0.0
				for i, v := range z {
					distance += (v - other[i]) * (v - other[i])
				}
				pairs++
				if math.Sqrt(distance) < 0.99*epsilon/lipschitz {
					t.Errorf("seed %d: two points with cuts are %v apart, epsilon/L is %v", seed, math.Sqrt(distance), epsilon/lipschitz)
				}
			}
		}
		if !ended {
			t.Errorf("seed %d: %d cuts, and no end", seed, len(points))
		}
	}
	if pairs < 40 {
		t.Errorf("%d pairs of points: the test proves too little", pairs)
	}
}
