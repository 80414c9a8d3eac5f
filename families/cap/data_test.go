package cap

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

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
)

const dataFolder = "../../../shared/data/cap"

// optima reads the published values, or skips the test.
func optima(t *testing.T) (names []string, values []float64) {
	f, err := os.Open(filepath.Join(dataFolder, "OPTIMA.tsv"))
	if err != nil {
		t.Skip("no data")
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if part := strings.Fields(sc.Text()); len(part) >= 2 && !strings.HasPrefix(part[0], "#") {
			v, err := strconv.ParseFloat(part[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			names, values = append(names, part[0]), append(values, v)
		}
	}
	return names, values
}

func readNamed(t *testing.T, name string) *Instance {
	base, capacity, open := strings.Cut(name, "_")
	path, s := filepath.Join(dataFolder, base+".txt"), 0.0
	if open {
		path += ".gz"
		s, _ = strconv.ParseFloat(capacity, 64)
	}
	in, err := read(path, s)
	if err != nil {
		t.Fatal(err)
	}
	if in.Name != name {
		t.Errorf("the name of %s is %s", name, in.Name)
	}
	return in
}

// TestPublishedOptima solves the OR-Library instances: the large ones unless -short.
func TestPublishedOptima(t *testing.T) {
	names, values := optima(t)
	for k, name := range names {
		if testing.Short() && strings.Contains(name, "_") {
			continue
		}
		in := readNamed(t, name)
		began := time.Now()
		r, err := pipeline.Solve(context.Background(), in, decompose.DefaultOptions())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		t.Logf("%-10s %15.3f %15.3f bound %15.3f gap %.1e %6.3f s presolve %.3f nodes %d visited %d cuts %+v", name, r.Objective, values[k], r.Bound, r.Gap,
			time.Since(began).Seconds(), r.Parts.Presolve.Seconds(), r.Nodes, r.Visited, r.Cuts)
		if r.Status != lp.Optimal || !(math.Abs(r.Objective-values[k]) <= 1e-6*values[k]) || !(r.Bound <= values[k]*(1+1e-6)) {
			t.Errorf("%s: %v, objective %v, bound %v, published %v", name, r.Status, r.Objective, r.Bound, values[k])
		}
	}
}
