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
	Name    string
	Family  string
	Record  func(context.Context, decompose.Options) (*benders.Result, *record.Record, error)
	Layouts []any    // the program in each of the layouts that a record may have
	Columns []lp.Col // of the first stage
	Optimum float64  // of the whole model, +Inf where it is infeasible
	// Price returns what a design costs, and false where it has no recourse.
	Price  func(ctx context.Context, y []float64) (cost float64, feasible bool, err error)
	Models []*proxy.Model // that runs by a network are made with; none where these cannot be recorded
	Other  *Recorded      // another instance of the family; nil for none
	// MayFallShort allows a record that proves less than the run claims, if the checker says so.
	MayFallShort bool
}

// RecordCount is what runs of RunRecorded looked at.
type RecordCount struct {
	Runs       int // that were recorded
	Proven     int // records that prove the whole result of their run
	Short      int // records that prove less than the run claims, which the checker reports
	Infeasible int // runs that are proven infeasible
	Forged     int // forged copies
	Taken      int // forged copies that were accepted and should not have been
	Refused    int // methods and schemes that cannot be recorded
}

// recorder is a running test of recorded runs. The record of a run is written and read back before it is proven, since
// what a checker gets is a file.
type recorder struct {
	*Recorded
	t     testing.TB
	rng   *rand.Rand
	count *RecordCount
}

// RunRecorded records runs by every method and scheme that can be recorded, proves the records, proves that they are
// about the instance and no other, and forges copies, which must be refused. Other methods and schemes must be refused.
// It adds to total what it looked at.
func RunRecorded(t testing.TB, f *Recorded, seed uint64, total *RecordCount) {
	t.Helper()
	r := &recorder{
		Recorded: f,
		t:        t,
		rng:      rand.New(rand.NewPCG(seed, 0x7265636f7264)),
		count:    total,
	}
	for _, method := range decompose.Methods {
		for _, scheme := range decompose.Schemes {
			o := decompose.DefaultOptions()
			o.Method, o.Scheme = method, scheme

			// A record has the cuts of one tree over a master: other schemes, and methods without cuts, have none.
			networked := method == decompose.Proxy || method == decompose.Hybrid
			possible := method.HasCuts() && (scheme == decompose.Auto || scheme == decompose.BBC)

			switch {
			case possible && networked && len(f.Models) > 0:
				for _, m := range f.Models {
					o.Model = m
					r.run(o)
				}
			case possible && !networked:
				r.run(o)
			default:
				// With a model the refusal is about the method or the scheme alone.
				if len(f.Models) > 0 {
					o.Model = f.Models[0]
				}
				r.refused(o)
			}
		}
	}
}

// fail fails the test, which goes on, for the run of these options.
func (r *recorder) fail(o *decompose.Options, format string, args ...any) {
	r.t.Helper()
	r.failIf(o, true, format, args...)
}

// failIf is fail where a result is bad.
func (r *recorder) failIf(o *decompose.Options, bad bool, format string, args ...any) {
	r.t.Helper()
	if bad {
		r.t.Errorf(r.Name+", "+string(o.Method)+" by "+string(o.Scheme)+": "+format, args...)
	}
}

// refused fails if a record is made that cannot be proven.
func (r *recorder) refused(o decompose.Options) {
	r.count.Refused++
	_, _, err := r.Record(r.t.Context(), o)
	r.failIf(&o, !errors.Is(err, decompose.ErrUnsupported), "a record that cannot be made: %v", err)
}

// run records a run, proves the record and forges it.
func (r *recorder) run(o decompose.Options) {
	r.count.Runs++
	res, rec, err := r.Record(r.t.Context(), o)
	if err != nil || rec == nil {
		r.fail(&o, "no record: %v", err)
		return
	}

	// The file is kept: each forgery begins with a fresh copy of the record.
	var file bytes.Buffer
	if err := record.Write(&file, rec); err != nil {
		r.fail(&o, "%v", err)
		return
	}
	rec = r.read(file.Bytes())

	// The record is proven as it was read from its file. A record that falls short is allowed for some families.
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

	// It is about this instance, and about no other.
	err = verify.About(rec, r.Family, r.Layouts...)
	r.failIf(&o, err != nil, "the record is not about its instance: %v", err)
	r.failIf(&o, r.Other != nil && !errors.Is(verify.About(rec, r.Family, r.Other.Layouts...), verify.ErrProof),
		"the record is about another instance")
	r.forge(&o, file.Bytes(), &report)
}

// read returns a copy of a record, which may be changed without an effect on other copies.
func (r *recorder) read(file []byte) *record.Record {
	rec, err := record.Read(bytes.NewReader(file), "record")
	if err != nil {
		r.t.Fatalf("%s: %v", r.Name, err)
	}
	return rec
}

// slack is how far two values of the objective may be apart.
func (r *recorder) slack() float64 {
	// Infinite values are equal or not.
	if math.IsInf(r.Optimum, 0) {
		return 0
	}
	return 1e-6 * max(1, math.Abs(r.Optimum))
}

// holds compares what was proven with the optimum of the whole model.
func (r *recorder) holds(o *decompose.Options, res *benders.Result, rec *record.Record, report *verify.Report,
	proven bool) {
	// Whatever the run claims, what was proven encloses the optimum.
	slack := r.slack()
	r.failIf(o, report.Bound > r.Optimum+slack || report.Objective < r.Optimum-slack,
		"proven is %g >= %g, the optimum is %g", report.Objective, report.Bound, r.Optimum)

	// Runs by predictions alone may end above the optimum, and a record that falls short proves less.
	if !proven || o.Method == decompose.Proxy {
		return
	}
	if math.IsInf(r.Optimum, 1) {
		r.count.Infeasible++
		r.failIf(o, res.Status != lp.Infeasible, "%v, the whole model is infeasible", res.Status)
		return
	}
	objective := rec.Header.Run.Objective
	r.failIf(o, res.Status != lp.Optimal || float64(objective) > r.Optimum+slack+2*o.Benders.Gap*math.Abs(r.Optimum),
		"%v, objective %g, the optimum is %g", res.Status, objective, r.Optimum)
}

// forgery changes a record so that one of its claims is false; false where there is nothing to change.
type forgery struct {
	name   string
	change func(rec *record.Record, report *verify.Report) bool
}

// forge makes one copy for each forgery and has it refused. A checker that accepts any of them would prove nothing, so
// that each kind of claim and of evidence in a record has a forgery of its own.
func (r *recorder) forge(o *decompose.Options, file []byte, report *verify.Report) {
	for _, f := range []forgery{
		{"bound", r.raiseBound},
		{"bound of the run", r.raiseRunBound},
		{"objective", r.lowerObjective},
		{"objective of the run", r.lowerRunObjective},
		{"status", r.otherStatus},
		{"fractional design", r.halfDesign},
		{"costlier design", r.costlierDesign},
		{"no design", r.noDesign},
		{"constant of a cut", r.raiseCut},
		{"slope of a cut", r.raiseSlope},
		{"row", r.raiseRow},
		{"tree", r.shortTree},
		{"instance", r.otherNumber},
	} {
		rec := r.read(file)
		if !f.change(rec, report) {
			continue
		}

		// The proof fails, and that of another instance is not about this one either.
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

// step is a difference that is more than rounding at a value, and more than the checker tolerates.
func step(v float64) float64 { return 1e-6 * max(1, math.Abs(v)) }

// above returns a bound that is not proven, false where every one is.
func above(proven float64) (record.Number, bool) {
	// Any finite bound is above none.
	if math.IsInf(proven, -1) {
		return 0, true
	}
	return record.Number(proven + step(proven)), !math.IsInf(proven, 1)
}

// raiseBound claims a higher bound than the one that is proven.
func (r *recorder) raiseBound(rec *record.Record, report *verify.Report) (ok bool) {
	rec.Header.Bound, ok = above(report.Bound)
	return ok
}

// raiseRunBound claims that the run proved a higher bound.
func (r *recorder) raiseRunBound(rec *record.Record, report *verify.Report) (ok bool) {
	rec.Header.Run.Bound, ok = above(report.Bound)
	return ok
}

// lowerObjective claims that the design costs less than it does. A record without a design has no objective that could
// be too low.
func (r *recorder) lowerObjective(rec *record.Record, report *verify.Report) bool {
	rec.Header.Objective = record.Number(report.Objective - step(report.Objective))
	return rec.Design != nil
}

// lowerRunObjective claims that the run found a cheaper design.
func (r *recorder) lowerRunObjective(rec *record.Record, report *verify.Report) bool {
	rec.Header.Run.Objective = record.Number(report.Objective - step(report.Objective))
	return rec.Design != nil
}

// otherStatus has the run claim that there is a design where there is none, or none where there is one.
func (r *recorder) otherStatus(rec *record.Record, report *verify.Report) bool {
	// A bound of +Inf is a proof that there is no design.
	rec.Header.Run.Status = lp.Infeasible.String()
	if math.IsInf(report.Bound, 1) {
		rec.Header.Run.Status = lp.Optimal.String()
	}
	return true
}

// halfDesign makes an integer column of the design fractional.
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

			// The design stays within the bounds, so that only its price can show that the record is wrong.
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

// noDesign takes the design out, on which the objective of the record rests.
func (r *recorder) noDesign(rec *record.Record, _ *verify.Report) bool {
	was := rec.Design != nil
	rec.Design = nil
	return was
}

// far is more than the certificate of a cut can give, and false where nothing is feasible: there every cut is valid.
func (r *recorder) far(c *record.Cut) (float64, bool) {
	size := 1 + math.Abs(c.Alpha)
	for _, b := range c.Beta {
		size += math.Abs(b)
	}
	return 1e6 * size, !math.IsInf(r.Optimum, 1)
}

// raiseCut raises the constant of a cut.
func (r *recorder) raiseCut(rec *record.Record, _ *verify.Report) bool {
	if len(rec.Cuts) == 0 {
		return false
	}
	c := &rec.Cuts[r.rng.IntN(len(rec.Cuts))]
	far, ok := r.far(c)
	c.Alpha += far
	return ok
}

// raiseSlope raises a slope of a cut, which excludes more where the column is positive.
func (r *recorder) raiseSlope(rec *record.Record, _ *verify.Report) bool {
	for _, k := range r.rng.Perm(len(rec.Cuts)) {
		// Cuts without a slope of such a column are left out.
		c := &rec.Cuts[k]
		far, ok := r.far(c)
		for i, j := range c.Index {
			if upper := r.Columns[j].Upper; !ok || !(upper > 0) {
				continue
			}

			// A slope in rationals takes precedence over the float, and has to go.
			if c.Beta[i] += far; len(c.Slopes) > i {
				c.Slopes[i] = ""
			}
			return true
		}
	}
	return false
}

// raiseRow raises the side of a row of the master.
func (r *recorder) raiseRow(rec *record.Record, _ *verify.Report) bool {
	if len(rec.Rows) == 0 || math.IsInf(r.Optimum, 1) {
		return false
	}

	// Rows of the record have a lower side.
	row := &rec.Rows[r.rng.IntN(len(rec.Rows))]
	row.Lower += 1e6 * (1 + math.Abs(row.Lower))
	return true
}

// shortTree leaves out the last leaf.
func (r *recorder) shortTree(rec *record.Record, _ *verify.Report) bool {
	if len(rec.Tree) == 0 {
		return false
	}
	rec.Tree = rec.Tree[:len(rec.Tree)-1]
	return true
}

// otherNumber changes a probability, a cost or another number of the embedded instance. The record is one of another
// instance then, whose cuts have other certificates.
func (r *recorder) otherNumber(rec *record.Record, _ *verify.Report) bool {
	fields := map[string]json.RawMessage{}
	must(r.t, json.Unmarshal(rec.Instance.Data, &fields))

	// The layouts have different fields: the first of these that is a list of numbers is changed, in a random order.
	names := []string{"Probability", "Cost", "Fixed", "Value"}
	for _, k := range r.rng.Perm(len(names)) {
		var list []float64
		if json.Unmarshal(fields[names[k]], &list) != nil || len(list) == 0 {
			continue
		}

		// A list of finite floats can always be written.
		list[r.rng.IntN(len(list))] += 0.5
		fields[names[k]], _ = json.Marshal(list)
		rec.Instance.Data, _ = json.Marshal(fields)
		return true
	}
	return false
}
