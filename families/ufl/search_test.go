package ufl

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
)

const dataDir = "../../../shared/data/ufl"

func optima(t testing.TB) map[string]float64 {
	f, err := os.Open(filepath.Join(dataDir, "OPTIMA.tsv"))
	if err != nil {
		t.Skip("no UflLib data")
	}
	defer f.Close()
	values := map[string]float64{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		field := strings.Split(sc.Text(), "\t")
		if v, err := strconv.ParseFloat(field[min(1, len(field)-1)], 64); err == nil {
			values[field[0]] = v
		}
	}
	return values
}

func load(t testing.TB, name string) *Instance {
	for _, dir := range []string{"m", "kg", "other"} {
		path := filepath.Join(dataDir, dir, name+".gz")
		if _, err := os.Stat(path); err == nil {
			in, err := Read(path)
			if err != nil {
				t.Fatal(err)
			}
			return in
		}
	}
	t.Skip("no UflLib data")
	return nil
}

func TestScratchM(t *testing.T) {
	opt := optima(t)
	for _, c := range []string{"MO", "MP", "MQ", "MR"} {
		for k := 1; k <= 4; k++ {
			name := c + strconv.Itoa(k)
			in := load(t, name)
			t0 := time.Now()
			in.Sorted()
			ts := time.Since(t0)
			t0 = time.Now()
			pi, _ := Ascent(in, 1)
			ta := time.Since(t0)
			s := 0.0
			for _, v := range pi {
				s += v
			}
			t0 = time.Now()
			d, _ := Search(context.Background(), in, DefaultSearchOptions())
			t.Logf("%s sort %v ascent %v lb gap %.2f%%; search %.6f opt %.6f %v open %d (%.2g)", name, ts, ta, 100*(1-s/opt[name]), d.Cost, opt[name], time.Since(t0), len(d.Open), d.Cost/opt[name]-1)
		}
	}
}

func TestScratchDual(t *testing.T) {
	opt := optima(t)
	for _, c := range []string{"MO", "MP", "MQ", "MR"} {
		for k := 1; k <= 4; k++ {
			name := c + strconv.Itoa(k)
			in := load(t, name)
			pi, _ := Ascent(in, 1)
			for _, it := range []int{0, 20, 40, 80} {
				t0 := time.Now()
				o := DefaultDualOptions()
				o.Probe = it
				r, err := Dual(context.Background(), in, pi, opt[name], o)
				if err != nil {
					t.Fatal(err)
				}
				t1 := time.Since(t0)
				o.Probe = 0
				r2, _ := Dual(context.Background(), in, pi, math.Inf(1), o)
				t.Logf("%s %d: gap %.3f%% (no ub %.3f%%) closed %d opened %d steps %d %v", name, it, 100*(1-r.Bound/opt[name]), 100*(1-r2.Bound/opt[name]), len(r.Fixing.Closed), len(r.Fixing.Opened), r.Steps, t1)
			}
		}
	}
}
