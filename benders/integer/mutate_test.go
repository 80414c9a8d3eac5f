package integer_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/record"
	"github.com/proxybd/proxybd/verify"
)

// TestChangedRecordsProveNothingFalse changes a number or two of records of programs with integer recourse, with the
// hash made right again. What is still proven has to hold for the program that the record then has.
func TestChangedRecordsProveNothingFalse(t *testing.T) {
	tries, accepted := 0, 0
	for seed := uint64(1); seed <= 20; seed++ {
		rng := rand.New(rand.NewPCG(seed, 3))
		rec, _ := recorded(t, random(rng, int(seed)%kinds))
		if rec == nil {
			continue
		}
		for range 30 {
			own := copied(t, rec)
			var data record.Model
			if err := own.Instance.Decode(&data); err != nil {
				t.Fatal(err)
			}

			// Without the claims of the run the record may prove less than before.
			own.Header.Schema = record.RunSchema - 1
			own.Header.Run = nil
			if rng.IntN(2) == 0 {
				own.Header.Bound = record.Number(math.Inf(-1))
			}
			for range 1 + rng.IntN(2) {
				parts := []any{&own.Header, &data, &data.Derived, &own.Cuts, &own.Tree, own.Design}
				if list := numbersOf(reflect.ValueOf(parts[rng.IntN(len(parts))])); len(list) > 0 {
					changeNumber(rng, list)
				}
			}
			text, err := json.Marshal(data)
			if err != nil {
				continue // a number that JSON does not have
			}
			own.Instance = record.Instance{Hash: data.Hash(), Data: text}

			tries++
			report, err := verify.Verify(t.Context(), own, nil)
			if err != nil {
				continue
			}
			accepted++
			best, known := optimumOf(t, &data)
			slack := 1e-5 * max(1, math.Abs(best))
			if math.IsInf(best, 0) {
				slack = 0
			}
			if known && (report.Bound > best+slack || report.Objective < best-slack) {
				t.Errorf("seed %d: proven are the bound %v and the objective %v, and the optimum is %v", seed, report.Bound,
					report.Objective, best)
			}
		}
	}
	t.Logf("%d of %d changed records are accepted", accepted, tries)
	if tries < 400 || accepted < 80 {
		t.Error("too few")
	}
}

// numbersOf lists the numbers and switches in a value.
func numbersOf(v reflect.Value) (out []reflect.Value) {
	switch v.Kind() {
	case reflect.Float64, reflect.Int, reflect.Int32, reflect.Bool:
		return []reflect.Value{v}
	case reflect.Pointer:
		if !v.IsNil() {
			return numbersOf(v.Elem())
		}
	case reflect.Struct:
		for k := range v.NumField() {
			out = append(out, numbersOf(v.Field(k))...)
		}
	case reflect.Slice:
		for k := range v.Len() {
			out = append(out, numbersOf(v.Index(k))...)
		}
	}
	return out
}

// changeNumber changes one number of a list.
func changeNumber(rng *rand.Rand, list []reflect.Value) {
	switch v := list[rng.IntN(len(list))]; v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Float64:
		x := v.Float()
		v.SetFloat([]float64{-x, 2 * x, x + 1, x - 1, x * (1 + 1e-6), 0, float64(rng.IntN(9) - 4)}[rng.IntN(7)])
	default:
		v.SetInt([]int64{v.Int() + 1, v.Int() - 1, int64(rng.IntN(6) - 1)}[rng.IntN(3)])
	}
}

// optimumOf solves the program of a record by branch and cut. It reports false where that decides nothing.
func optimumOf(t *testing.T, d *record.Model) (best float64, known bool) {
	t.Helper()
	m := &lp.Model{Offset: d.Offset}
	for j, c := range d.Cost {
		m.AddCol(lp.Col{Cost: c, Lower: float64(d.Lower[j]), Upper: float64(d.Upper[j]), Integer: d.Integer[j]})
	}
	for i := range d.RowLower {
		from, to := d.Start[i], d.Start[i+1]
		m.AddRow(lp.Row{Lower: float64(d.RowLower[i]), Upper: float64(d.RowUpper[i])}, d.Index[from:to], d.Value[from:to])
	}
	o := bnb.DefaultOptions()
	o.Gap = 1e-9
	o.MaxNodes = 10000
	out, err := bnb.Solve(t.Context(), m, o, bnb.Hooks{})
	switch {
	case errors.Is(err, lp.ErrModel):
		return 0, false
	case err != nil:
		t.Fatal(err)
	case out.Status == lp.Infeasible:
		return math.Inf(1), true
	case out.Status == lp.Unbounded:
		return math.Inf(-1), true
	}
	return out.Objective, out.Status == lp.Optimal
}
