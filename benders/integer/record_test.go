package integer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/integer"
	"github.com/proxybd/proxybd/benders/prove"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
	"github.com/proxybd/proxybd/record"
	"github.com/proxybd/proxybd/verify"
)

// recorded solves a program with a record, as a file has it.
func recorded(t *testing.T, p *stoch.Program) (*record.Record, lp.Status) {
	t.Helper()
	q, err := integer.New(p)
	if err != nil {
		t.Fatal(err)
	}
	o := decompose.DefaultOptions()
	o.Threads = 1
	o.Benders.MaxNodes = 20000
	res, rec, err := decompose.Record(t.Context(), q.Program(), o, prove.Label{Family: "stoch", Name: "random"})
	if err != nil {
		t.Fatal(err)
	}
	if rec == nil {
		return nil, res.Status
	}

	var b bytes.Buffer
	if err := record.Write(&b, rec); err != nil {
		t.Fatal(err)
	}
	if rec, err = record.Read(&b, "record"); err != nil {
		t.Fatal(err)
	}
	return rec, res.Status
}

// TestRecordsAgainstExtensiveForm records runs of random programs of every kind of first stage. Each record has to be
// proven, and its bound and objective to enclose the optimum of the extensive form, within the gap. PROXYBD_BULK is the
// number of programs, PROXYBD_SEED the first seed.
func TestRecordsAgainstExtensiveForm(t *testing.T) {
	count, first := 60, 1
	if v, err := strconv.Atoi(os.Getenv("PROXYBD_BULK")); err == nil {
		count = v
	}
	if v, err := strconv.Atoi(os.Getenv("PROXYBD_SEED")); err == nil {
		first = v
	}
	closed := 0
	for seed := first; seed < first+count; seed++ {
		kind := seed % kinds
		p := random(rand.New(rand.NewPCG(uint64(seed), 1)), kind)
		want, err := extensive(t.Context(), p)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}

		rec, status := recorded(t, p)
		if status != want.Status {
			t.Errorf("seed %d, kind %d: %v, and the extensive form is %v", seed, kind, status, want.Status)
		}
		if rec == nil {
			continue
		}
		report, err := verify.Verify(t.Context(), rec, nil)
		if err != nil {
			t.Errorf("seed %d, kind %d: %v", seed, kind, err)
			continue
		}

		// The record is that of the minimisation.
		optimum := want.Objective
		if p.Core.Maximize {
			optimum = -optimum
		}
		if want.Status != lp.Optimal {
			optimum = math.Inf(1)
		}
		slack := 1e-6 * max(1, math.Abs(optimum))
		if report.Bound > optimum+slack || report.Objective < optimum-slack {
			t.Errorf("seed %d, kind %d: proven are the bound %v and the objective %v, and the optimum is %v", seed, kind,
				report.Bound, report.Objective, optimum)
		}
		if math.IsInf(optimum, 1) && math.IsInf(report.Bound, 1) ||
			report.Objective-report.Bound <= 1.01e-4*math.Abs(report.Objective)+1e-9 {
			closed++
		} else {
			t.Logf("seed %d, kind %d: the gap from %v to %v is not proven", seed, kind, report.Bound, report.Objective)
		}
	}
	t.Logf("%d of %d programs are proven to the gap", closed, count)
	if closed < count*9/10 {
		t.Error("too few")
	}
}

// TestUnboundedHasNoRecord records a run of an unbounded program, which cuts do not prove: there is no record.
func TestUnboundedHasNoRecord(t *testing.T) {
	var b stoch.Builder
	y := b.First(b.Integer("y", -1, 0, lp.Inf))
	x := b.Integer("x", 1, 0, 5)
	z := b.Nonnegative("z", 0.5)
	need := b.AtLeast(2.5, y, x, z)
	b.Scenario("a", 0.5)
	b.Scenario("b", 0.5, stoch.SetRowLower(need, 7.5))
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	if rec, status := recorded(t, p); rec != nil || status != lp.Unbounded {
		t.Errorf("%v, with the record %v", status, rec)
	}
}

// TestFreeColumnsAreProven records programs with a free column in the first stage: leaves of the tree need weights in
// rationals, for which the prover asks for the certificates of cuts before they are written. These rest on rows of
// split.go: x + v <= 3y, where x and v are at most 2, implies x <= 2y and v <= 2y.
func TestFreeColumnsAreProven(t *testing.T) {
	for _, slope := range []float64{1, 1.0 / 3, 0.7} {
		for _, cost := range []float64{1, 2.5, 3.7, 5} {
			var b stoch.Builder
			y := b.First(b.Integer("y", cost, 0, 4))
			z := b.First(b.Free("z", 0.4))
			b.AtLeast(-10, z.Times(1))
			x := b.Integer("x", -2, 0, 2)
			v := b.Integer("v", -1, 0, 2)
			w := b.Nonnegative("w", 1)
			b.AtMost(0, x.Times(1), v.Times(1), y.Times(-3))
			need := b.AtLeast(1.3, w.Times(1), z.Times(slope), x.Times(0.1))
			b.Scenario("a", 0.5)
			b.Scenario("b", 0.5, stoch.SetRowLower(need, 2.7))
			p, err := b.Program()
			if err != nil {
				t.Fatal(err)
			}

			rec, status := recorded(t, p)
			if rec == nil || status != lp.Optimal {
				t.Fatalf("slope %v, cost %v: %v", slope, cost, status)
			}
			if _, err := verify.Verify(t.Context(), rec, nil); err != nil {
				t.Errorf("slope %v, cost %v: %v", slope, cost, err)
			}
		}
	}
}

// TestForgedTreesAreRefused changes records of programs with integer recourse so that they claim more than is true.
func TestForgedTreesAreRefused(t *testing.T) {
	forged := 0
	for seed := uint64(1); seed <= 40; seed++ {
		rng := rand.New(rand.NewPCG(seed, 2))
		rec, _ := recorded(t, random(rng, int(seed)%kinds))
		if rec == nil {
			continue
		}
		for _, change := range []func(r *record.Record) bool{raiseConstant, raiseBound, widenBox, dropLeaf, raiseDerived} {
			own := copied(t, rec)
			if !change(own) {
				continue
			}
			forged++
			if _, err := verify.Verify(t.Context(), own, nil); !errors.Is(err, verify.ErrProof) && !errors.Is(err, record.ErrFormat) {
				t.Errorf("seed %d: a forged record gave the error %v", seed, err)
			}
		}
	}
	if forged < 100 {
		t.Errorf("only %d records were forged", forged)
	}
}

// copied returns a copy of a record.
func copied(t *testing.T, rec *record.Record) *record.Record {
	t.Helper()
	var b bytes.Buffer
	if err := record.Write(&b, rec); err != nil {
		t.Fatal(err)
	}
	out, err := record.Read(&b, "record")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// raiseConstant raises the constant of the first optimality cut that has a tree.
func raiseConstant(r *record.Record) bool {
	for k := range r.Cuts {
		if c := &r.Cuts[k]; !c.Feasibility && len(c.Proof) > 0 {
			c.Alpha += 1e-3 * max(1, math.Abs(c.Alpha))
			return true
		}
	}
	return false
}

// raiseBound raises the bound that the tree is to prove.
func raiseBound(r *record.Record) bool {
	if v := float64(r.Header.Bound); !math.IsInf(v, 0) {
		r.Header.Bound = record.Number(v + 1e-3*max(1, math.Abs(v)))
		return true
	}
	return false
}

// widenBox lets a cut that holds in a box hold everywhere.
func widenBox(r *record.Record) bool {
	for k := range r.Cuts {
		c := &r.Cuts[k]
		for i := range c.Box {
			if d := &c.Box[i]; d.Upper < 1 && c.Feasibility {
				c.Box = nil
				return true
			}
		}
	}
	return false
}

// dropLeaf removes the last node of a tree of several.
func dropLeaf(r *record.Record) bool {
	for k := range r.Cuts {
		if c := &r.Cuts[k]; len(c.Proof) > 1 {
			c.Proof = c.Proof[:len(c.Proof)-1]
			return true
		}
	}
	return false
}

// raiseDerived raises the side of a derived row.
func raiseDerived(r *record.Record) bool {
	var m record.Model
	if err := r.Instance.Decode(&m); err != nil || len(m.Derived) == 0 {
		return false
	}
	m.Derived[0].Lower += 0.5
	data, err := json.Marshal(m)
	r.Instance.Data = data
	return err == nil
}
