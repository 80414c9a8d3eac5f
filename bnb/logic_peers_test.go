//go:build peers

package bnb

import (
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
)

// logicPeer is another program that reads a part of what puzzles have.
type logicPeer struct {
	name  string
	text  func(p *puzzle) string
	file  string
	args  []string
	knows func(p *puzzle) bool
	value *regexp.Regexp
	none  string // what it says of an infeasible model
	free  bool   // columns may lack bounds
	count int    // models to compare
}

var logicPeers = []logicPeer{
	{"scip", (*puzzle).lpText, "m.lp", []string{"-c", "read m.lp set limits gap 0 set limits time 5 optimize display solution quit"},
		func(p *puzzle) bool { return p.reads(true, true, true) }, regexp.MustCompile(`objective value:\s+(\S+)`), "infeasible", true, 400},
	{"cbc", (*puzzle).mpsText, "m.mps", []string{"m.mps", "ratio", "0", "allow", "0", "preprocess", "off", "solve", "quit"},
		func(p *puzzle) bool { return p.reads(true, false, false) && !p.maximize }, regexp.MustCompile(`Objective value:\s+(\S+)`), "infeasible", false, 25},
	{"highs", (*puzzle).lpText, "m.lp", []string{"--options_file", "m.opt", "m.lp"},
		func(p *puzzle) bool { return p.reads(false, true, false) }, regexp.MustCompile(`Primal bound\s+(\S+)`), "Infeasible", false, 25},
}

// reads reports whether the model has nothing beyond those, and is of a kind that all take alike: semi-continuous
// columns are above zero and not integer, and coefficients are moderate.
func (p *puzzle) reads(sets, semis, indicators bool) bool {
	any := false
	for j, c := range p.cols {
		large := c.Upper > 1e4 && !math.IsInf(c.Upper, 1) || c.Lower < -1e4 && !math.IsInf(c.Lower, -1)
		if p.semi[j] && (!semis || c.Integer || !(c.Lower > 0)) || large {
			return false
		}
		any = any || p.semi[j]
	}
	for _, r := range p.rows {
		if r.when >= 0 && !indicators {
			return false
		}
		any = any || r.when >= 0
	}
	return (sets || len(p.sets) == 0) && (any || len(p.sets) > 0)
}

// TestLogicAgainstPeers has SCIP, CBC and HiGHS, where they are installed, read the same files, each those whose
// sections it reads.
func TestLogicAgainstPeers(t *testing.T) {
	for _, peer := range logicPeers {
		t.Run(peer.name, func(t *testing.T) {
			path, err := exec.LookPath(peer.name)
			if err != nil {
				if path, err = filepath.Abs("../../shared/peers/bin/" + peer.name); err != nil {
					t.Fatal(err)
				}
				if _, err := os.Stat(path); err != nil {
					t.Skip(err)
				}
			}
			dir := t.TempDir()
			compared, unlimited := 0, 0
			for seed := uint64(0); compared < peer.count && seed < 6000; seed++ {
				p := randomPuzzle(rand.New(rand.NewPCG(seed, 77)))
				free := slices.ContainsFunc(p.cols, func(c lp.Col) bool { return math.IsInf(c.Lower, -1) || math.IsInf(c.Upper, 1) })
				if !peer.knows(p) || free && !peer.free {
					continue
				}
				text, read := p.lpText(), mps.ReadLP
				if strings.HasSuffix(peer.file, ".mps") {
					text, read = p.mpsText(), mps.Read
				}
				m, _, err := read(strings.NewReader(text), peer.file)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				opt := DefaultOptions()
				opt.Gap = 1e-9
				res, err := Solve(t.Context(), m, opt, Hooks{})
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				for name, text := range map[string]string{peer.file: text, "m.opt": "mip_rel_gap = 0\n"} {
					if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				c := exec.CommandContext(t.Context(), path, peer.args...)
				c.Dir = dir
				out, err := c.CombinedOutput()
				if err != nil {
					t.Logf("seed %d: %s ends with %v", seed, peer.name, err)
					continue
				}
				if strings.Contains(string(out), "time limit reached") {
					t.Logf("seed %d: %s reaches its time limit; %v %g", seed, peer.name, res.Status, res.Objective)
					continue
				}
				compared++
				if res.Status == lp.Unbounded {
					// Where the relaxation has a ray, peers need not decide whether there is a point.
					if !strings.Contains(string(out), "unbounded") {
						t.Errorf("seed %d: unbounded, but not for %s\n%s\n%s", seed, peer.name, text, out)
					}
					unlimited++
					continue
				}
				if res.Status == lp.Infeasible {
					if !strings.Contains(string(out), peer.none) {
						t.Errorf("seed %d: infeasible, but not for %s\n%s\n%s", seed, peer.name, text, out)
					}
					continue
				}
				found := peer.value.FindSubmatch(out)
				if found == nil {
					t.Errorf("seed %d: %v %g; no value from %s\n%s\n%s", seed, res.Status, res.Objective, peer.name, text, out)
					continue
				}
				got, err := strconv.ParseFloat(string(found[1]), 64)
				if err != nil || !(math.Abs(got-res.Objective) <= 1e-5*math.Max(1, math.Abs(got))) {
					t.Errorf("seed %d: %v %.9g, %s %.9g (%v)\n%s", seed, res.Status, res.Objective, peer.name, got, err, text)
				}
			}
			if t.Logf("%d models compared, %d of them unbounded", compared, unlimited); compared < peer.count*4/5 {
				t.Error("too few")
			}
		})
	}
}
