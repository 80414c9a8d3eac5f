package mcndp

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
)

const dataFolder = "../../../shared/data/mcnd"

// published is a line of OPTIMA.tsv: the optimum, +Inf where there is no design, and the strong bound, NaN where
// unknown.
type published struct {
	in              *Instance
	optimum, strong float64
}

// optima reads the instances with a known optimum that keep accepts, or skips the test.
func optima(t *testing.T, keep func(name string) bool) (list []published) {
	f, err := os.Open(filepath.Join(dataFolder, "OPTIMA.tsv"))
	if err != nil {
		t.Skip("no data")
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		part := strings.Split(sc.Text(), "\t")
		if len(part) < 5 || strings.HasPrefix(part[0], "#") || part[1] == "" || !keep(part[0]) {
			continue
		}
		of, err := Family.Read(filepath.Join(dataFolder, part[0]+".dow"), families.ReadOptions{})
		in, _ := of.(*Instance)
		if errors.Is(err, fs.ErrNotExist) {
			continue // kept back
		}
		if err != nil {
			t.Fatal(err)
		}
		p := published{in: in, optimum: math.Inf(1), strong: math.NaN()}
		if part[1] != "infeasible" {
			if p.optimum, err = strconv.ParseFloat(part[1], 64); err != nil {
				t.Fatal(err)
			}
		}
		if v, err := strconv.ParseFloat(part[4], 64); err == nil {
			p.strong = v
		}
		list = append(list, p)
	}
	return list
}

// TestPublishedOptima solves r01 to r03, all of them proven optimal or infeasible within 10 s; with PROXYBD_MCND=all
// also r04 to r09, within 60 s each, which must give bounds and designs on the right sides of the optimum.
func TestPublishedOptima(t *testing.T) {
	all := os.Getenv("PROXYBD_MCND") == "all"
	for _, p := range optima(t, func(name string) bool { return all || name < "r04" && (name < "r03" || !testing.Short()) }) {
		o := decompose.Options{Method: decompose.Exact, Scheme: decompose.Auto, Benders: benders.DefaultOptions()}
		if o.Benders.TimeLimit = time.Minute; p.in.Name < "r04" {
			o.Benders.TimeLimit = 5 * time.Minute // the processor may be shared
		}
		r, err := pipeline.Solve(context.Background(), p.in, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %v, objective %.9g, bound %.9g, optimum %.9g, %d nodes, %v", p.in.Name, r.Status, r.Objective, r.Bound, p.optimum, r.Nodes, r.Elapsed)
		switch {
		case math.IsInf(p.optimum, 1):
			if r.Status != lp.Infeasible {
				t.Errorf("%s: %v, want infeasible", p.in.Name, r.Status)
			}
		case r.Bound > p.optimum*(1+1e-6) || r.Objective < p.optimum*(1-1e-6):
			t.Errorf("%s: objective %.9g and bound %.9g, the optimum is %.9g", p.in.Name, r.Objective, r.Bound, p.optimum)
		case r.Status == lp.Optimal && r.Objective > p.optimum*(1+1.01e-4), r.Status != lp.Optimal && p.in.Name < "r04":
			t.Errorf("%s: %v with objective %.9g, the optimum is %.9g", p.in.Name, r.Status, r.Objective, p.optimum)
		}
	}
}

// TestStrongBound compares the bound of the master at the root, without branching, and the best Lagrangian bound with
// the strong linear relaxation: they are at least that, but for what tailing-off leaves.
func TestStrongBound(t *testing.T) {
	for _, p := range optima(t, func(name string) bool { return name == "r01.4" || name == "r02.3" || name == "r03.2" }) {
		o := decompose.DefaultOptions()
		o.Benders.Heuristic, o.Benders.MaxNodes, o.Benders.RootRounds, o.Benders.InOut.Stalls = false, 1, 1000, 20
		r, err := pipeline.Solve(context.Background(), p.in, o)
		if err != nil {
			t.Fatal(err)
		}
		d := dualOptions
		d.Steps, d.Probe = 3000, 0
		pre, err := prepare(context.Background(), p.in, p.in.cutSets(cutset.Proven), quietStart, d)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: root %.9g, Lagrangian %.9g, strong %.9g, optimum %.9g", p.in.Name, r.Bound, pre.Bound, p.strong, p.optimum)
		if !(r.Bound >= p.strong*(1-1e-5)) || !(pre.Bound >= p.strong*(1-1e-3)) || max(r.Bound, pre.Bound) > p.optimum*(1+1e-6) {
			t.Errorf("%s: root bound %.9g, Lagrangian bound %.9g, strong relaxation %.9g", p.in.Name, r.Bound, pre.Bound, p.strong)
		}
	}
}
