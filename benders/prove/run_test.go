package prove_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/prove"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/cap"
	"github.com/proxybd/proxybd/families/mcndp"
	"github.com/proxybd/proxybd/families/mpsmodel"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/families/ufl"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/record"
	"github.com/proxybd/proxybd/verify"
)

// recorded runs a generated instance and returns its record.
func recorded(t testing.TB, f families.Family, class string, seed uint64, method decompose.Method) (*benders.Result, *record.Record, families.Instance) {
	t.Helper()
	in, err := f.Generate(class, seed)
	if err != nil {
		t.Fatal(err)
	}
	o := decompose.Options{Method: method, Scheme: decompose.Auto, Benders: benders.DefaultOptions()}
	res, rec, err := pipeline.Record(t.Context(), in, o)
	if err != nil {
		t.Fatalf("%s seed %d: %v", class, seed, err)
	}
	return res, rec, in
}

// roundTrip writes and reads a record.
func roundTrip(t *testing.T, rec *record.Record) *record.Record {
	t.Helper()
	var b bytes.Buffer
	if err := record.Write(&b, rec); err != nil {
		t.Fatal(err)
	}
	got, err := record.Read(&b, "record")
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestRecordedRunsAreProven(t *testing.T) {
	for _, c := range []struct {
		family families.Family
		class  string
		method decompose.Method
	}{
		{ufl.Family, "20x12", decompose.Exact}, {ufl.Family, "20x12", decompose.Aggregated}, {cap.Family, "25x10", decompose.Exact},
		{cap.Family, "20x12:1.5", decompose.Exact}, {mcndp.Family, "6x14x6", decompose.Exact},
		{mpsmodel.Family, "4x75x27", decompose.Exact}, {mpsmodel.Family, "4x75x27", decompose.Aggregated},
	} {
		for seed := range uint64(4) {
			res, rec, in := recorded(t, c.family, c.class, seed, c.method)
			report, err := verify.Verify(t.Context(), roundTrip(t, rec), nil)
			if err != nil {
				t.Fatalf("%s %s seed %d: %v", c.family.Name, c.class, seed, err)
			}

			// The same instance is solved once more, as one compact model without a decomposition.
			o := decompose.DefaultOptions()
			o.Method = decompose.Full
			full, err := pipeline.Solve(t.Context(), in, o)
			if err != nil {
				t.Fatal(err)
			}

			// The proof must reach the bound of the run and price its design at the same value.
			if res.Status != lp.Optimal || report.Bound < res.Bound || report.Objective != res.Objective {
				t.Errorf("%s %s seed %d: result %v %g %g, proven %g %g", c.family.Name, c.class, seed, res.Status, res.Objective, res.Bound, report.Objective, report.Bound)
			}

			// Both runs end within a gap of 1e-4, so that their objectives may differ by two gaps.
			if d := math.Abs(full.Objective-res.Objective) / full.Objective; d > 2e-4 {
				t.Errorf("%s %s seed %d: %g, but the compact model has %g", c.family.Name, c.class, seed, res.Objective, full.Objective)
			}

			if len(rec.Tree) == 0 || len(rec.Cuts) == 0 {
				t.Errorf("%s %s seed %d: an empty record", c.family.Name, c.class, seed)
			}
		}
	}
}

// TestForgedRecordsFail changes one thing at a time so that what the record says is no longer true.
func TestForgedRecordsFail(t *testing.T) {
	_, rec, _ := recorded(t, cap.Family, "20x12:1.5", 3, decompose.Exact)
	up := func(v float64) float64 { return v + 1e-9*math.Max(1, math.Abs(v)) }
	last := len(rec.Cuts) - 1

	// A leaf whose bound is proven by a combination of rows.
	leaf := slices.IndexFunc(rec.Tree, func(n record.Node) bool { return n.Split < 0 && !n.Infeasible && len(n.Weights) > 0 })

	// The first entries change the last cut and the header.
	for name, forge := range map[string]func(r *record.Record){
		"alpha":       func(r *record.Record) { r.Cuts[last].Alpha = up(r.Cuts[last].Alpha) },
		"slope":       func(r *record.Record) { r.Cuts[last].Beta[0] = up(r.Cuts[last].Beta[0]) },
		"certificate": func(r *record.Record) { r.Cuts[last].Certificate[0] = -1 },
		"bound":       func(r *record.Record) { r.Header.Bound = record.Number(up(float64(r.Header.Bound))) },
		"objective": func(r *record.Record) {
			r.Header.Objective = record.Number(math.Nextafter(float64(r.Header.Objective), 0))
		},

		// The others change the tree, a row of the master, the instance, the design and the epigraph of a cut.
		"weight":        func(r *record.Record) { r.Tree[leaf].Weights[0] *= 0.5 },
		"negative":      func(r *record.Record) { r.Tree[leaf].Weights[0] = -1e-9 },
		"missing leaf":  func(r *record.Record) { r.Tree = r.Tree[:len(r.Tree)-1] },
		"surplus leaf":  func(r *record.Record) { r.Tree = append(r.Tree, r.Tree[leaf]) },
		"empty leaf":    func(r *record.Record) { r.Tree[leaf].Infeasible = true },
		"row":           func(r *record.Record) { r.Rows[0].Lower = up(r.Rows[0].Lower) },
		"instance":      func(r *record.Record) { r.Instance.Data = bytes.Replace(r.Instance.Data, []byte("1"), []byte("2"), 1) },
		"hash":          func(r *record.Record) { r.Instance.Hash = "0" + r.Instance.Hash[1:] },
		"design":        func(r *record.Record) { r.Design.Y[0] = 0.5 },
		"closed design": func(r *record.Record) { clear(r.Design.Y) },
		"epigraph":      func(r *record.Record) { r.Cuts[last].Theta = 5 },
	} {
		forged := roundTrip(t, rec)
		forge(forged)
		if _, err := verify.Verify(t.Context(), forged, nil); !errors.Is(err, verify.ErrProof) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestEveryByteCounts flips every byte of a record in turn.
func TestEveryByteCounts(t *testing.T) {
	_, rec, _ := recorded(t, ufl.Family, "4x3", 1, decompose.Exact)
	var b bytes.Buffer
	if err := record.Write(&b, rec); err != nil {
		t.Fatal(err)
	}
	file := b.Bytes()
	for k := range file {
		for _, flip := range []byte{0x01, 0x20, 0x80} {
			altered := slices.Clone(file)
			altered[k] ^= flip
			if _, err := record.Read(bytes.NewReader(altered), "record"); err == nil {
				t.Fatalf("byte %d, %q made %q, was not noticed", k, file[k], altered[k])
			}
		}
	}
	for _, altered := range [][]byte{file[:len(file)-1], append(slices.Clone(file), '\n'), nil} {
		if _, err := record.Read(bytes.NewReader(altered), "record"); !errors.Is(err, record.ErrFormat) {
			t.Errorf("length %d: %v", len(altered), err)
		}
	}
}

// TestLimitsLeaveAProof stops a run at once: the record still holds, with a bound that may be weaker than that of the
// run, which is then named.
func TestLimitsLeaveAProof(t *testing.T) {
	in, err := cap.Family.Generate("30x20:1.5", 5)
	if err != nil {
		t.Fatal(err)
	}

	// A run that ends after a few nodes may claim a bound that the record does not prove.
	for _, nodes := range []int{1, 3} {
		o := decompose.DefaultOptions()
		o.Benders.MaxNodes, o.Benders.Heuristic = nodes, false
		res, rec, err := pipeline.Record(t.Context(), in, o)
		if err != nil {
			t.Fatal(err)
		}

		report, err := verify.Verify(t.Context(), rec, nil)
		if sound := err == nil || errors.Is(err, verify.ErrClaim); !sound || math.IsInf(report.Bound, 0) ||
			report.Bound > res.Objective {
			t.Errorf("%d nodes: %+v, %v", nodes, report, err)
		}

		// There is an error exactly where the proven bound is below that of the run.
		if short := report.Bound < res.Bound*(1-1e-9); short != (err != nil) {
			t.Errorf("%d nodes: the run has the bound %g, proven is %g, and the error is %v", nodes, res.Bound, report.Bound, err)
		}
	}

	// A run that is cancelled before it begins leaves a record that is proven.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, rec, err := pipeline.Record(ctx, in, decompose.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verify.Verify(t.Context(), rec, nil); err != nil {
		t.Error(err)
	}
}

// interrupted is a separator that an interrupt ends at one of its calls, as one of many linear programs is.
type interrupted struct {
	benders.Separator
	calls  int // left before the interrupt
	cancel context.CancelFunc
}

// Separate implements benders.Separator.
func (s *interrupted) Separate(ctx context.Context, p benders.Point) (benders.Separation, error) {
	if s.calls--; s.calls < 0 {
		s.cancel()
		return benders.Separation{}, ctx.Err()
	}
	return s.Separator.Separate(ctx, p)
}

// TestInterruptedProofs ends the context in the tree of the proof, at every call of its separator: the run keeps its
// result, and its record what was proven before.
func TestInterruptedProofs(t *testing.T) {
	for _, family := range []families.Family{cap.Family, mcndp.Family} {
		in, err := family.Generate(map[string]string{"cap": "12x6", "mcndp": "5x12x3"}[family.Name], 1)
		if err != nil {
			t.Fatal(err)
		}
		for calls := range 8 {
			p, err := in.Program()
			if err != nil {
				t.Fatal(err)
			}
			s, err := p.Record.Subject(t.Context(), false)
			if err != nil {
				t.Fatal(err)
			}
			exact, err := p.Recourse.Exact(false)
			if err != nil {
				t.Fatal(err)
			}

			// The run goes to its end, without cuts for the tree, which separates its own until the interrupt.
			ctx, cancel := context.WithCancel(t.Context())
			s.Label = prove.Label{Family: family.Name, Name: in.Label().Name, Hash: in.Hash()}
			s.Data = p.Record.Data()
			s.Separator = &interrupted{exact, calls, cancel}
			s.Solve = func(ctx context.Context, o benders.Options) (*benders.Result, error) {
				o.Recorder = nil
				return benders.BranchAndCut(ctx, s.Problem, exact, o)
			}
			res, rec, err := prove.Run(ctx, s, benders.DefaultOptions())
			if err != nil || ctx.Err() == nil {
				t.Fatalf("%s, %d calls: %v", family.Name, calls, cmp.Or(err, errors.New("no interrupt")))
			}
			if res.Status != lp.Optimal || res.Design == nil || rec.Design == nil {
				t.Errorf("%s, %d calls: %v, the design %v", family.Name, calls, res.Status, rec.Design)
			}
			_, err = verify.Verify(t.Context(), roundTrip(t, rec), nil)
			if err != nil && !errors.Is(err, verify.ErrClaim) {
				t.Errorf("%s, %d calls: %v", family.Name, calls, err)
			}
		}
	}
}
