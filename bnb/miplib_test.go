package bnb

import (
	"bufio"
	"context"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
)

const miplib = "../../shared/data/miplib"

// optima reads OPTIMA.tsv; it skips the test where the data are absent.
func optima(t *testing.T) map[string]float64 {
	f, err := os.Open(filepath.Join(miplib, "OPTIMA.tsv"))
	if err != nil {
		t.Skip("no ../shared/data (MIPLIB)")
	}
	defer f.Close()
	values := map[string]float64{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		fields := strings.Split(sc.Text(), "\t")
		if v, err := strconv.ParseFloat(fields[1], 64); err == nil {
			values[fields[0]] = v
		}
	}
	return values
}

// TestMIPLIB solves the quick models of MIPLIB 3 to the default gap.
func TestMIPLIB(t *testing.T) {
	values := optima(t)
	names := []string{"p0033", "lseu", "stein27", "flugpl", "p0282", "mod008", "p0548", "rgn", "gt2", "enigma",
		"khb05250", "misc06"}
	if testing.Short() {
		names = names[:5]
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			m, _, err := mps.ReadFile(filepath.Join(miplib, name+".mps.gz"))
			if err != nil {
				t.Fatal(err)
			}
			opt := DefaultOptions()
			opt.TimeLimit = 2 * time.Minute
			res, err := Solve(context.Background(), m, opt, Hooks{})
			if err != nil || res.Status != lp.Optimal {
				t.Fatalf("%v, %v", res.Status, err)
			}
			want := values[name]
			scale := math.Max(1, math.Abs(want))
			if !(math.Abs(res.Objective-want) <= (opt.Gap+1e-7)*scale) {
				t.Errorf("objective %.12g, want %.12g", res.Objective, want)
			}
			if !(res.Bound <= want+1e-7*scale) {
				t.Errorf("bound %.12g above the optimum %.12g", res.Bound, want)
			}
			if v := violationOf(t, m, res.X); v > 1e-6 {
				t.Errorf("the point violates the model by %g", v)
			}
		})
	}
}

// violationOf recomputes the violation of x from the model alone.
func violationOf(t *testing.T, m *lp.Model, x []float64) float64 {
	t.Helper()
	a, err := m.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	act, worst := make([]float64, len(m.Rows)), 0.0
	for j, c := range m.Cols {
		worst = math.Max(worst, math.Max(c.Lower-x[j], x[j]-c.Upper))
		if c.Integer && x[j] != math.Round(x[j]) {
			t.Errorf("column %s = %g is not integer", m.ColName(lp.Var(j)), x[j])
		}
		index, value := a.Vec(j)
		for k, i := range index {
			act[i] += value[k] * x[j]
		}
	}
	for i, r := range m.Rows {
		worst = math.Max(worst, math.Max(r.Lower-act[i], act[i]-r.Upper))
	}
	return worst
}
