package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/record"
	"github.com/proxybd/proxybd/verify"
)

// Recorded is a small instance whose runs are recorded. Values are those of a minimisation.
type Recorded struct {
	Name, Family string
	Record       func(context.Context, decompose.Options) (*benders.Result, *record.Record, error)
	Layouts      []any    // the program in each of the layouts that a record may have
	Columns      []lp.Col // of the first stage
	Optimum      float64  // of the whole model, +Inf where it is infeasible
	// Price returns what a design costs, and false where it has no recourse.
	Price  func(ctx context.Context, y []float64) (cost float64, feasible bool, err error)
	Models []*proxy.Model // that runs by a network are made with; none where these cannot be recorded
	Other  *Recorded      // another instance of the family; nil for none
	// MayFallShort allows a record that proves less than the run claims, if the checker says so.
	MayFallShort bool
}

// RecordCount is what RunRecorded looked at.
type RecordCount struct {
	Runs, Proven  int
	Short         int // records that prove less than the run claims, which the checker says
	Infeasible    int
	Forged, Taken int // forged copies; Taken are those that were accepted and should not have been
	Refused       int // methods and schemes that cannot be recorded
}

// Add adds another count.
func (c *RecordCount) Add(o RecordCount) {
	c.Runs += o.Runs
	c.Proven += o.Proven
	c.Short += o.Short
	c.Infeasible += o.Infeasible
	c.Forged += o.Forged
	c.Taken += o.Taken
	c.Refused += o.Refused
}

// recorder is a running test of recorded runs.
type recorder struct {
	*Recorded
	t     testing.TB
	rng   *rand.Rand
	count RecordCount
}

// RunRecorded records runs by every method and scheme that can be recorded, proves the records, proves that they are
// about the instance and no other, and forges copies, which must be refused. Other methods and schemes must be refused.
func RunRecorded(t testing.TB, f *Recorded, seed uint64) RecordCount {
	t.Helper()
	r := &recorder{Recorded: f, t: t, rng: rand.New(rand.NewPCG(seed, 0x7265636f7264))}
	for _, method := range decompose.Methods {
		for _, scheme := range decompose.Schemes {
			o := decompose.DefaultOptions()
			o.Method, o.Scheme = method, scheme
			networked := method == decompose.Proxy || method == decompose.Hybrid
			possible := method != decompose.Full && method != decompose.Started &&
				(scheme == decompose.Auto || scheme == decompose.BBC)

			switch {
			case possible && networked && len(f.Models) > 0:
				for _, m := range f.Models {
					o.Model = m
					r.run(o)
				}
			case possible && !networked:
				r.run(o)
			default:
				if len(f.Models) > 0 {
					o.Model = f.Models[0]
				}
				r.refused(o)
			}
		}
	}
	return r.count
}

func (r *recorder) fail(o *decompose.Options, format string, args ...any) {
	r.t.Helper()
	r.t.Errorf(r.Name+", "+string(o.Method)+" by "+string(o.Scheme)+": "+format, args...)
}

// refused asks for a record that cannot be made.
func (r *recorder) refused(o decompose.Options) {
	r.count.Refused++
	if _, _, err := r.Record(r.t.Context(), o); !errors.Is(err, decompose.ErrUnsupported) {
		r.fail(&o, "a record that cannot be made: %v", err)
	}
}

// run records a run, proves the record and forges it.
func (r *recorder) run(o decompose.Options) {
	r.count.Runs++
	res, rec, err := r.Record(r.t.Context(), o)
	if err != nil || rec == nil {
		r.fail(&o, "no record: %v", err)
		return
	}
	var file bytes.Buffer
	if err := record.Write(&file, rec); err != nil {
		r.fail(&o, "%v", err)
		return
	}
	rec = r.read(file.Bytes())

	report, err := verify.Verify(r.t.Context(), rec, nil)
	switch {
	case err == nil:
		r.count.Proven++
	case errors.Is(err, verify.ErrClaim) && r.MayFallShort:
		r.count.Short++
	default:
		r.fail(&o, "%v", err)
		return
	}
	r.holds(&o, res, rec, &report, err == nil)

	if err := verify.About(rec, r.Family, r.Layouts...); err != nil {
		r.fail(&o, "the record is not about its instance: %v", err)
	}
	if r.Other != nil && !errors.Is(verify.About(rec, r.Family, r.Other.Layouts...), verify.ErrProof) {
		r.fail(&o, "the record is about another instance")
	}
	r.forge(&o, file.Bytes(), &report)
}

// read returns a copy of its own of a record.
func (r *recorder) read(file []byte) *record.Record {
	rec, err := record.Read(bytes.NewReader(file), "record")
	if err != nil {
		r.t.Fatalf("%s: %v", r.Name, err)
	}
	return rec
}

// slack is how far two values of the objective may be apart.
func (r *recorder) slack() float64 {
	if math.IsInf(r.Optimum, 0) {
		return 0
	}
	return 1e-6 * max(1, math.Abs(r.Optimum))
}

// holds compares what was proven with the optimum of the whole model.
func (r *recorder) holds(o *decompose.Options, res *benders.Result, rec *record.Record, report *verify.Report,
	proven bool) {
	slack := r.slack()
	if report.Bound > r.Optimum+slack || report.Objective < r.Optimum-slack {
		r.fail(o, "proven is %g >= %g, the optimum is %g", report.Objective, report.Bound, r.Optimum)
	}
	if !proven || o.Method == decompose.Proxy {
		return
	}
	switch run := rec.Header.Run; {
	case math.IsInf(r.Optimum, 1):
		r.count.Infeasible++
		if res.Status != lp.Infeasible {
			r.fail(o, "%v, the whole model is infeasible", res.Status)
		}
	case res.Status != lp.Optimal || float64(run.Objective) > r.Optimum+slack+2*o.Benders.Gap*math.Abs(r.Optimum):
		r.fail(o, "%v, objective %g, the optimum is %g", res.Status, run.Objective, r.Optimum)
	}
}

// forgery changes a record so that it says what is false; false where there is nothing to change.
type forgery struct {
	name   string
	change func(rec *record.Record, report *verify.Report) bool
}

// forge makes one copy for each forgery and has it refused.
func (r *recorder) forge(o *decompose.Options, file []byte, report *verify.Report) {
	for _, f := range []forgery{
		{"bound", r.raiseBound}, {"bound of the run", r.raiseRunBound}, {"objective", r.lowerObjective},
		{"objective of the run", r.lowerRunObjective}, {"status", r.otherStatus}, {"fractional design", r.halfDesign},
		{"costlier design", r.costlierDesign}, {"no design", r.noDesign}, {"constant of a cut", r.raiseCut},
		{"slope of a cut", r.raiseSlope}, {"row", r.raiseRow}, {"tree", r.shortTree}, {"instance", r.otherNumber},
	} {
		rec := r.read(file)
		if !f.change(rec, report) {
			continue
		}
		r.count.Forged++
		if _, err := verify.Verify(r.t.Context(), rec, nil); !errors.Is(err, verify.ErrProof) {
			r.count.Taken++
			r.fail(o, "forged, %s: %v", f.name, err)
		}
		if f.name == "instance" && !errors.Is(verify.About(rec, r.Family, r.Layouts...), verify.ErrProof) {
			r.count.Taken++
			r.fail(o, "with another number the record is still about the instance")
		}
	}
}

// step is more than rounding at a value.
func step(v float64) float64 { return 1e-6 * max(1, math.Abs(v)) }

// above returns a bound that is not proven, false where every one is.
func above(proven float64) (record.Number, bool) {
	if math.IsInf(proven, -1) {
		return 0, true
	}
	return record.Number(proven + step(proven)), !math.IsInf(proven, 1)
}

func (r *recorder) raiseBound(rec *record.Record, report *verify.Report) (ok bool) {
	rec.Header.Bound, ok = above(report.Bound)
	return ok
}

func (r *recorder) raiseRunBound(rec *record.Record, report *verify.Report) (ok bool) {
	rec.Header.Run.Bound, ok = above(report.Bound)
	return ok
}

func (r *recorder) lowerObjective(rec *record.Record, report *verify.Report) bool {
	rec.Header.Objective = record.Number(report.Objective - step(report.Objective))
	return rec.Design != nil
}

func (r *recorder) lowerRunObjective(rec *record.Record, report *verify.Report) bool {
	rec.Header.Run.Objective = record.Number(report.Objective - step(report.Objective))
	return rec.Design != nil
}

// otherStatus has the run claim that there is a design where there is none, or none where there is one.
func (r *recorder) otherStatus(rec *record.Record, report *verify.Report) bool {
	rec.Header.Run.Status = lp.Infeasible.String()
	if math.IsInf(report.Bound, 1) {
		rec.Header.Run.Status = lp.Optimal.String()
	}
	return true
}

func (r *recorder) halfDesign(rec *record.Record, _ *verify.Report) bool {
	for j := range r.Columns {
		if rec.Design != nil && r.Columns[j].Integer {
			rec.Design.Y[j] += 0.5
			return true
		}
	}
	return false
}

// costlierDesign moves an integer column by one, to a design that costs more or has no recourse.
func (r *recorder) costlierDesign(rec *record.Record, report *verify.Report) bool {
	if rec.Design == nil {
		return false
	}
	y := rec.Design.Y
	for _, j := range r.rng.Perm(len(y)) {
		for _, by := range []float64{1, -1} {
			old := y[j]
			y[j] += by
			inside := r.Columns[j].Integer && y[j] >= r.Columns[j].Lower && y[j] <= r.Columns[j].Upper
			if inside {
				cost, feasible, err := r.Price(r.t.Context(), y)
				if err == nil && (!feasible || cost > report.Objective+step(report.Objective)) {
					return true
				}
			}
			y[j] = old
		}
	}
	return false
}

func (r *recorder) noDesign(rec *record.Record, _ *verify.Report) bool {
	was := rec.Design != nil
	rec.Design = nil
	return was
}

// far is more than the certificate of a cut can give. Where nothing is feasible, everything is true of the designs.
func (r *recorder) far(c *record.Cut) (float64, bool) {
	size := 1 + math.Abs(c.Alpha)
	for _, b := range c.Beta {
		size += math.Abs(b)
	}
	return 1e6 * size, !math.IsInf(r.Optimum, 1)
}

func (r *recorder) raiseCut(rec *record.Record, _ *verify.Report) bool {
	if len(rec.Cuts) == 0 {
		return false
	}
	c := &rec.Cuts[r.rng.IntN(len(rec.Cuts))]
	far, ok := r.far(c)
	c.Alpha += far
	return ok
}

// raiseSlope changes a slope so that the cut says more at an end of its column.
func (r *recorder) raiseSlope(rec *record.Record, _ *verify.Report) bool {
	for _, k := range r.rng.Perm(len(rec.Cuts)) {
		c := &rec.Cuts[k]
		far, ok := r.far(c)
		for i, j := range c.Index {
			if upper := r.Columns[j].Upper; !ok || !(upper > 0) {
				continue
			}
			if c.Beta[i] += far; len(c.Slopes) > i {
				c.Slopes[i] = ""
			}
			return true
		}
	}
	return false
}

func (r *recorder) raiseRow(rec *record.Record, _ *verify.Report) bool {
	if len(rec.Rows) == 0 || math.IsInf(r.Optimum, 1) {
		return false
	}
	row := &rec.Rows[r.rng.IntN(len(rec.Rows))]
	row.Lower += 1e6 * (1 + math.Abs(row.Lower))
	return true
}

func (r *recorder) shortTree(rec *record.Record, _ *verify.Report) bool {
	if len(rec.Tree) == 0 {
		return false
	}
	rec.Tree = rec.Tree[:len(rec.Tree)-1]
	return true
}

// otherNumber changes a probability, a cost or another number of the embedded instance.
func (r *recorder) otherNumber(rec *record.Record, _ *verify.Report) bool {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(rec.Instance.Data, &fields); err != nil {
		r.t.Fatal(err)
	}
	names := []string{"Probability", "Cost", "Fixed", "Value"}
	for _, k := range r.rng.Perm(len(names)) {
		var list []float64
		if json.Unmarshal(fields[names[k]], &list) != nil || len(list) == 0 {
			continue
		}
		list[r.rng.IntN(len(list))] += 0.5
		fields[names[k]], _ = json.Marshal(list)
		rec.Instance.Data, _ = json.Marshal(fields)
		return true
	}
	return false
}
