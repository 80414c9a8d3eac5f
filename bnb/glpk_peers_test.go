//go:build peers

package bnb

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
)

// glpsol solves a model with GLPK's command; ok is false where it does not finish.
func glpsol(t *testing.T, m *lp.Model) (objective float64, feasible, ok bool) {
	t.Helper()
	dir := t.TempDir()
	model, solution := filepath.Join(dir, "m.mps"), filepath.Join(dir, "m.sol")
	f, err := os.Create(model)
	if err != nil {
		t.Fatal(err)
	}
	if err := mps.Write(f, m); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("glpsol", "--freemps", model, "--tmlim", "5", "--mir", "--write", solution).CombinedOutput()
	if err != nil {
		return 0, false, false
	}
	if strings.Contains(string(out), "NO PRIMAL FEASIBLE") || strings.Contains(string(out), "NO INTEGER FEASIBLE") {
		return 0, false, true
	}
	text, err := os.ReadFile(solution)
	if err != nil {
		return 0, false, false
	}
	for _, line := range strings.Split(string(text), "\n") {
		if fields := strings.Fields(line); len(fields) == 6 && fields[0] == "s" && fields[1] == "mip" {
			_, err := fmt.Sscan(fields[5], &objective)
			return objective, true, fields[4] == "o" && err == nil
		}
	}
	return 0, false, false
}

// TestAgainstGLPK compares models too large for enumeration with GLPK, where its command is installed.
func TestAgainstGLPK(t *testing.T) {
	if _, err := exec.LookPath("glpsol"); err != nil {
		t.Skip("glpsol is not installed")
	}
	compared := 0
	for seed := range uint64(80) {
		m := randomMedium(rand.New(rand.NewPCG(seed, 31)))
		want, feasible, ok := glpsol(t, m)
		if !ok {
			continue
		}
		opt := DefaultOptions()
		opt.Gap, opt.TimeLimit = 0, 20*time.Second
		res, err := Solve(context.Background(), m, opt, Hooks{})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		if res.Status.Limited() {
			continue
		}
		compared++
		if feasible != (res.Status == lp.Optimal) ||
			feasible && !(math.Abs(res.Objective-want) <= 1e-5*math.Max(1, math.Abs(want))) {
			t.Errorf("seed %d: %v, objective %.9g; GLPK finds %.9g (feasible %v)", seed, res.Status, res.Objective,
				want, feasible)
		}
	}
	if compared < 60 {
		t.Errorf("only %d models compared", compared)
	}
}
