//go:build peers

package iis

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
)

// tasks returns a model of tasks that have to be assigned to machines, each with a capacity in two resources, among
// rows that are no part of the trouble. It is infeasible, most often by integrality alone.
func tasks(rng *rand.Rand) *lp.Model {
	var m lp.Model
	machines, jobs := 2+rng.IntN(2), 5+rng.IntN(4)
	load := make([][2][]lp.Expr, machines)
	for k := range jobs {
		var sum []lp.Expr
		for j := range machines {
			x := m.Binary(fmt.Sprintf("x%d_%d", k, j), 1)
			sum = append(sum, x.Times(1))
			for r := range 2 {
				load[j][r] = append(load[j][r], x.Times(float64(3+rng.IntN(5))))
			}
		}
		m.Equal(1, sum...)
		m.AtMost(3, sum...)
	}
	for j := range machines {
		for r := range 2 {
			m.AtMost(float64(4*jobs/machines)+float64(rng.IntN(4)), load[j][r]...)
		}
	}
	for range 5 {
		z := m.Integer("", 1, 0, 4)
		m.AtLeast(float64(rng.IntN(5)), append([]lp.Expr{z.Times(2)}, load[0][0]...)...)
	}
	return &m
}

// highs runs HiGHS on a model and returns what it prints.
func highs(t *testing.T, m *lp.Model, options string) string {
	t.Helper()
	bin := filepath.Join(os.Getenv("PROXYBD_PEERS"), "highs")
	if _, err := os.Stat(bin); err != nil {
		t.Skip("PROXYBD_PEERS has no highs")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "m.mps")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := mps.Write(f, m); err != nil {
		t.Fatal(err)
	}
	f.Close()
	opts := filepath.Join(dir, "options")
	if err := os.WriteFile(opts, []byte("time_limit = 60\nthreads = 1\n"+options), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), bin, file, "--options_file", opts).CombinedOutput()
	if err != nil && len(out) == 0 {
		t.Fatal(err)
	}
	return string(out)
}

var status = regexp.MustCompile(`(?m)^(?:Model status\s*:\s*|\s*Status\s+)(.*)$`)

// says returns the status that HiGHS gives a model.
func says(t *testing.T, m *lp.Model) string {
	t.Helper()
	found := status.FindStringSubmatch(highs(t, m, ""))
	if found == nil {
		return "unknown"
	}
	return found[1]
}

// mostChecked is how many sides of a set are left out in turn for HiGHS.
const mostChecked = 30

// TestHiGHSAgrees has HiGHS solve the sets of Netlib's infeasible programs and of 50 mixed-integer ones, whole and
// without each of their sides (a sample of large ones), and find sets of its own.
func TestHiGHSAgrees(t *testing.T) {
	list, _ := filepath.Glob("../../shared/data/netlib/infeasible/*.mps.gz")
	var ours, theirs []int
	spent := 0.0
	compare := func(name string, m *lp.Model) {
		began := time.Now()
		s, err := Find(t.Context(), m, DefaultOptions())
		if err != nil {
			t.Logf("%s: %v", name, err)
			return
		}
		seconds := time.Since(began).Seconds()
		if got := says(t, s.Only(m)); got != "Infeasible" {
			t.Errorf("%s: HiGHS calls the set %s", name, got)
		}
		rng := rand.New(rand.NewPCG(1, 1))
		checked, wrong := 0, 0
		for _, k := range rng.Perm(len(s.Sides))[:min(mostChecked, len(s.Sides))] {
			rest := Set{Sides: slices.Delete(slices.Clone(s.Sides), k, k+1)}
			checked++
			if s.Irreducible && says(t, rest.Only(m)) == "Infeasible" {
				wrong++
			}
		}
		if wrong > 0 {
			t.Errorf("%s: without %d of %d sides HiGHS calls the rest infeasible", name, wrong, checked)
		}

		// Its own set, in sides.
		file := filepath.Join(t.TempDir(), "iis.lp")
		out := highs(t, m, "iis_strategy = 2\nwrite_iis_model_file = "+file+"\n")
		size := -1
		if own, _, err := mps.ReadFile(file); err == nil {
			size = len((&filter{given: own}).sides())
		}
		t.Logf("%-18s %4d sides, irreducible %v, %.2f s; HiGHS %4d sides, %s", name, len(s.Sides), s.Irreducible, seconds, size,
			took.FindString(out))
		spent += seconds
		if size > 0 {
			ours = append(ours, len(s.Sides))
			theirs = append(theirs, size)
		}
	}
	for _, path := range list {
		m, _, err := mps.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		compare(filepath.Base(path), m)
	}
	for seed, found := uint64(1), 0; found < 50; seed++ {
		m := tasks(rand.New(rand.NewPCG(seed, 5)))
		if says(t, m) == "Infeasible" {
			found++
			compare(fmt.Sprintf("tasks %d", seed), m)
		}
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	if len(ours) > 0 {
		t.Logf("where HiGHS finds a set (%d): median of ours %d sides, of HiGHS's %d; %.1f s in all", len(ours),
			ours[len(ours)/2], theirs[len(theirs)/2], spent)
	}
}

var took = regexp.MustCompile(`HiGHS run time\s*:\s*\S+`)
