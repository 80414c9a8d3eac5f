package conformance_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/conformance"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/cap"
	"github.com/proxybd/proxybd/families/mcndp"
	"github.com/proxybd/proxybd/families/mpsmodel"
	"github.com/proxybd/proxybd/families/netdes"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/families/scflp"
	"github.com/proxybd/proxybd/families/ufl"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/record"
)

// kind is a kind of instances whose runs are recorded.
type kind struct {
	name      string
	family    families.Family
	make      func(tb testing.TB, seed uint64) (families.Instance, error)
	networked bool // runs with a network can be recorded
}

func generated(f families.Family, class string) func(testing.TB, uint64) (families.Instance, error) {
	return func(_ testing.TB, seed uint64) (families.Instance, error) { return f.Generate(class, seed) }
}

var recordedKinds = []kind{
	{"ufl", ufl.Family, generated(ufl.Family, "5x4"), true},
	{"cap", cap.Family, generated(cap.Family, "5x4:1.5"), true},
	{"ufl with forbidden pairs", ufl.Family, restricted(ufl.Family, "5x4"), true},
	{"cap with forbidden pairs", cap.Family, restricted(cap.Family, "5x4:2"), true},
	{"mcndp", mcndp.Family, generated(mcndp.Family, "4x8x2"), true},
	{"mcndp with scenarios", mcndp.Family, generated(mcndp.Family, "4x8x2:3"), false},
	{"netdes", netdes.Family, generated(netdes.Family, "4x3-H"), false},
	{"scflp", scflp.Family, generated(scflp.Family, "4x3:3"), false},
	{"model", mpsmodel.Family, generated(mpsmodel.Family, "3x24x12"), true},
	{"SMPS program", mpsmodel.Family, plant, false},
}

// restricted writes an instance of a class as tables from which a third of the costs are left out, and reads it.
func restricted(f families.Family, class string) func(tb testing.TB, seed uint64) (families.Instance, error) {
	return func(tb testing.TB, seed uint64) (families.Instance, error) {
		in, err := f.Generate(class, seed)
		if err != nil {
			return nil, err
		}
		d, err := in.Capabilities().Tabled.Tables()
		if err != nil {
			return nil, err
		}
		rng := rand.New(rand.NewPCG(seed, 0x666f7262))
		costs := &d.Tables[len(d.Tables)-1]
		all := costs.Value
		costs.Value = func(i, j int) float64 {
			if rng.IntN(3) == 0 {
				return math.NaN()
			}
			return all(i, j)
		}

		var text bytes.Buffer
		if err := d.WriteCSV(&text); err != nil {
			return nil, err
		}
		path := filepath.Join(tb.TempDir(), "restricted.csv")
		if err := os.WriteFile(path, text.Bytes(), 0o666); err != nil {
			return nil, err
		}
		return f.Read(path, families.ReadOptions{})
	}
}

// plant writes an SMPS program and reads it: capacities y and w, the larger one of a fixed size, serve demands that are
// random, at costs that are.
func plant(tb testing.TB, seed uint64) (families.Instance, error) {
	rng := rand.New(rand.NewPCG(seed, 0x736d7073))
	n := func(low, width int) int { return low + rng.IntN(width) }
	files := map[string]string{
		".cor": fmt.Sprintf("NAME plant\nROWS\n N cost\n G least\n L cap\n G need\nCOLUMNS\n M1 'MARKER' 'INTORG'\n"+
			" y cost %d least 1\n y cap -1\n w cost %d least 2\n w cap -%d\n M2 'MARKER' 'INTEND'\n x cost 2 cap 1\n x need 1\n"+
			" z cost 9 need 1\nRHS\n RHS least 1 need 5\nBOUNDS\n UP B y %d\n UP B w 2\nENDATA\n",
			n(2, 4), n(5, 20), n(3, 4), n(2, 4)),
		".tim": "TIME plant\nPERIODS\n y least today\n x cap tomorrow\nENDATA\n",
		".sto": fmt.Sprintf("STOCH plant\nINDEP DISCRETE\n RHS need %d 0.25\n RHS need %d 0.5\n RHS need %d 0.25\n"+
			" z cost %d 0.5\n z cost %d 0.5\nENDATA\n", n(1, 4), n(5, 3), n(8, 5), n(4, 4), n(9, 5)),
	}
	stem := filepath.Join(tb.TempDir(), "plant")
	for ext, text := range files {
		if err := os.WriteFile(stem+ext, []byte(text), 0o666); err != nil {
			return nil, err
		}
	}
	return mpsmodel.Family.Read(stem+".cor", families.ReadOptions{})
}

// recordedOf makes the fixture of an instance; nil where the kind has none of this seed.
func recordedOf(tb testing.TB, k kind, seed uint64) *conformance.Recorded {
	tb.Helper()
	in, err := k.make(tb, seed)
	if errors.Is(err, families.ErrOptions) { // the draw cannot be routed
		return nil
	}
	if err != nil {
		tb.Fatalf("%s, seed %d: %v", k.name, seed, err)
	}
	must := func(err error) {
		if err != nil {
			tb.Fatalf("%s, seed %d: %v", k.name, seed, err)
		}
	}

	f := &conformance.Recorded{Name: fmt.Sprintf("%s, seed %d", k.name, seed), Family: in.Label().Family}
	f.Record = func(ctx context.Context, o decompose.Options) (*benders.Result, *record.Record, error) {
		return pipeline.Record(ctx, in, o)
	}
	f.Price = func(ctx context.Context, y []float64) (float64, bool, error) { return pipeline.Price(ctx, in, y) }
	f.Layouts, err = pipeline.Data(in)
	must(err)
	master, err := pipeline.Master(in)
	must(err)
	f.Columns = master.Cols

	compact, err := pipeline.Compact(in)
	must(err)
	o := bnb.DefaultOptions()
	o.Gap = 1e-9
	whole, err := bnb.Solve(tb.Context(), compact, o, bnb.Hooks{})
	must(err)
	switch whole.Status {
	case lp.Optimal:
		f.Optimum = whole.Objective
	case lp.Infeasible:
		f.Optimum = math.Inf(1)
	default:
		tb.Fatalf("%s, seed %d: the whole model is %v", k.name, seed, whole.Status)
	}
	if k.networked {
		f.Models = networks(tb, k.family, in, seed)
	}
	return f
}

// networks returns a network of random weights, and one of zeros.
func networks(tb testing.TB, f families.Family, in families.Instance, seed uint64) []*proxy.Model {
	random, _, err := pipeline.NewModel(f, in, families.ModelOptions{Hidden: []int{4}, Seed: seed})
	if err != nil {
		tb.Fatal(err)
	}
	zero, err := random.Control(proxy.Zero, seed)
	if err != nil {
		tb.Fatal(err)
	}
	return []*proxy.Model{random, zero}
}

// TestRecordedRuns holds the records of every family to the same: proven, about their instance, and refused when forged.
// PROXYBD_BULK gives the number of recorded runs, PROXYBD_SEED the first seed.
func TestRecordedRuns(t *testing.T) {
	least, seed := 0, uint64(1)
	if v, err := strconv.Atoi(os.Getenv("PROXYBD_BULK")); err == nil {
		least = v
	}
	if v, err := strconv.ParseUint(os.Getenv("PROXYBD_SEED"), 10, 64); err == nil {
		seed = v
	}

	runs := 0
	counts := make([]conformance.RecordCount, len(recordedKinds))
	for last := seed + 1; seed <= last || runs < least; seed++ {
		for i, k := range recordedKinds {
			f := recordedOf(t, k, seed)
			if f == nil {
				continue
			}
			f.Other = recordedOf(t, k, seed+1000003)
			before := counts[i].Runs
			conformance.RunRecorded(t, f, seed, &counts[i])
			runs += counts[i].Runs - before
		}
	}

	for i, k := range recordedKinds {
		t.Logf("%s: %+v", k.name, counts[i])
		if counts[i].Proven == 0 || counts[i].Forged == 0 || counts[i].Refused == 0 {
			t.Errorf("%s: %+v: the suite had little to look at", k.name, counts[i])
		}
	}
}
