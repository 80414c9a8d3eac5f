//go:build peers

package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/proxybd/proxybd/internal/unpack"
	"github.com/proxybd/proxybd/lp/mps"
)

// peer is another solver, where it is installed.
type peer struct {
	name, path string
	style      string // of bases and solutions that it reads

	warm  func(model, basis string) []string // solves from a basis
	cold  func(model, basis string) []string // solves, and writes a basis
	took  *regexp.Regexp                     // the iterations of a run
	start func(model, sol string) []string   // solves from a point; nil where it takes none
	took1 string                             // what it says of a point that it took
	relax func(model, sol string) []string   // solves the linear relaxation, and writes its point
	point func(model, sol string) []string   // solves, and writes a point
}

// relaxOptions is a file, in the folder of a run, that makes HiGHS solve the linear relaxation.
const relaxOptions = "relax.opt"

// peers lists the programs that are installed.
func peers(t *testing.T) (list []peer) {
	t.Helper()
	glpk := func(model string, more ...string) []string { return append([]string{"--mps", model}, more...) }
	for _, p := range []peer{
		{name: "clp", style: "mps", took: regexp.MustCompile(`Optimal objective \S+ - (\d+) iterations`),
			warm:  func(m, b string) []string { return []string{m, "-basisin", b, "-presolve", "off", "-dualsimplex"} },
			cold:  func(m, b string) []string { return []string{m, "-dualsimplex", "-basisout", b} },
			relax: func(m, s string) []string { return []string{m, "-dualsimplex", "-solu", s} }},
		{name: "cbc", style: "mps", took: regexp.MustCompile(`Optimal objective \S+ - (\d+) iterations`), took1: "MIPStart provided solution with cost",
			warm:  func(m, b string) []string { return []string{m, "-basisI", b, "-presolve", "off", "-dualS"} },
			cold:  func(m, b string) []string { return []string{m, "-dualS", "-basisO", b} },
			start: func(m, s string) []string { return []string{m, "-mips", s, "-solve"} },
			point: func(m, s string) []string { return []string{m, "-solve", "-solu", s} },
			relax: func(m, s string) []string { return []string{m, "-initialSolve", "-solu", s} }},
		{name: "highs", style: "highs", took: regexp.MustCompile(`Simplex\s+iterations:\s*(\d+)`), took1: "MIP start solution is feasible",
			warm: func(m, b string) []string {
				return []string{m, "--read_basis_file", b, "--options_file", relaxOptions, "--solver", "simplex"}
			},
			cold: func(m, b string) []string {
				return []string{m, "--write_basis_file", b, "--options_file", relaxOptions, "--solver", "simplex"}
			},
			start: func(m, s string) []string { return []string{m, "--read_solution_file", s} },
			point: func(m, s string) []string { return []string{m, "--solution_file", s} },
			relax: func(m, s string) []string { return []string{m, "--solution_file", s, "--options_file", relaxOptions} }},
		{name: "glpsol", style: "glpk", took: regexp.MustCompile(`(?s).*[* #]\s*(\d+): obj =`),
			warm:  func(m, b string) []string { return glpk(m, "--nomip", "--ini", b) },
			cold:  func(m, b string) []string { return glpk(m, "--nomip", "-w", b) },
			point: func(m, s string) []string { return glpk(m, "-w", s) },
			relax: func(m, s string) []string { return glpk(m, "--nomip", "-w", s) }},
	} {
		path, err := exec.LookPath(p.name)
		if err != nil {
			path, err = filepath.Abs(filepath.Join(dataDir, "../peers/bin", p.name))
			if _, bad := os.Stat(path); err != nil || bad != nil {
				t.Logf("%s is not installed", p.name)
				continue
			}
		}
		p.path = path
		list = append(list, p)
	}
	return list
}

// run runs the program in a folder and returns what it says.
func (p *peer) run(t *testing.T, dir string, args []string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if err := os.WriteFile(filepath.Join(dir, relaxOptions), []byte("solve_relaxation = true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(ctx, p.path, args...)
	c.Dir = dir
	out, _ := c.CombinedOutput() // clp and cbc end with codes of their own
	return string(out)
}

// plainModel unpacks a public model into a folder.
func plainModel(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := unpack.File(filepath.Join(dataDir, name+".mps.gz"))
	if err != nil {
		t.Skip(err)
	}
	path := filepath.Join(dir, filepath.Base(name)+".mps")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// fewIterations is what a solver may take from a basis that is optimal to the tolerances of another.
const fewIterations = 3

// TestBasesOfPeers has our final basis of ten models and two relaxations solved on by other programs, and theirs by us: nobody has more to
// do than a few iterations.
func TestBasesOfPeers(t *testing.T) {
	list, dir := peers(t), t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"netlib/afiro", "netlib/sc50a", "netlib/blend", "netlib/share2b", "netlib/recipe", "netlib/boeing2", "netlib/capri",
		"netlib/e226", "netlib/brandy", "netlib/scagr7", "miplib/p0033", "miplib/flugpl"} {
		model := plainModel(t, dir, name)
		row := fmt.Sprintf("%-8s", filepath.Base(name))
		for _, p := range list {
			own := file("own.bas")
			o := invoke(t, t.Context(), "lp", model, "-q", "--json", "--write-basis", own, "--basis-style", p.style)
			want := o.object(t)["objective"].(float64)
			out := p.run(t, dir, p.warm(model, own))
			there, err := strconv.Atoi(lastGroup(p.took, out))
			if p.name == "highs" && err != nil && strings.Contains(out, "useful basis") && strings.Contains(out, "Optimal") {
				there, err = 0, nil // no line of iterations where there were none
			}
			if err != nil || there > fewIterations {
				t.Errorf("%s: %s takes %d iterations from our basis (%v)\n%s", name, p.name, there, err, out)
			}
			theirs := file("their.bas")
			out = p.run(t, dir, p.cold(model, theirs))
			o = invoke(t, t.Context(), "lp", model, "-q", "--json", "--basis", theirs)
			got := o.object(t)
			here, ok := got["iterations"].(float64)
			if !ok || here > fewIterations || !near(got["objective"].(float64), want, 1e-7) {
				t.Errorf("%s: we take %v iterations from the basis of %s, to %v, not %v: %s\n%s", name, here, p.name, got["objective"], want, o.stderr, out)
			}
			row += fmt.Sprintf(" | %s %d there, %v here", p.name, there, here)
			os.Remove(theirs)
		}
		t.Log(row)
	}
}

// lastGroup is the group of the last match, "" for none.
func lastGroup(re *regexp.Regexp, text string) string {
	all := re.FindAllStringSubmatch(text, -1)
	if all == nil {
		return ""
	}
	return all[len(all)-1][1]
}

// TestPointsOfPeers has our points of small models accepted by other programs, and theirs by us.
func TestPointsOfPeers(t *testing.T) {
	list, dir := peers(t), t.TempDir()
	for _, name := range []string{"miplib/p0033", "miplib/flugpl"} {
		model := plainModel(t, dir, name)
		for _, p := range list {
			if p.start != nil {
				own := filepath.Join(dir, "own.sol")
				invoke(t, t.Context(), "mip", model, "-q", "--write-sol", own, "--sol-style", p.name)
				if out := p.run(t, dir, p.start(model, own)); !strings.Contains(out, p.took1) {
					t.Errorf("%s: %s does not take our point\n%s", name, p.name, out)
				}
			}
			if p.point == nil {
				continue
			}
			theirs := filepath.Join(dir, "their.sol")
			out := p.run(t, dir, p.point(model, theirs))
			log := invoke(t, t.Context(), "mip", model, "--start", theirs, "--log-every", "0s").stdout
			if !strings.Contains(log, "\nS ") {
				t.Errorf("%s: the point of %s is no incumbent\n%s%s", name, p.name, log, out)
			}
			os.Remove(theirs)
		}
	}
}

// TestRelaxationsOfPeers reads the points that other programs find for linear relaxations: they are in the bounds of the
// columns and cost what ours do.
func TestRelaxationsOfPeers(t *testing.T) {
	list, dir := peers(t), t.TempDir()
	for _, name := range []string{"miplib/p0033", "miplib/flugpl"} {
		model := plainModel(t, dir, name)
		want := invoke(t, t.Context(), "lp", model, "-q", "--json").object(t)["objective"].(float64)
		m, _, err := mps.ReadFile(model)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			theirs := filepath.Join(dir, "their.sol")
			out := p.run(t, dir, p.relax(model, theirs))
			f, err := os.Open(theirs)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			x, err := mps.ReadSol(f, theirs, m)
			f.Close()
			if err != nil || !near(m.Evaluate(x), want, 1e-6) {
				t.Errorf("%s: the point of %s costs %v, ours %v, %v\n%s", name, p.name, m.Evaluate(x), want, err, out)
			}
			for j, v := range x {
				if c := m.Cols[j]; !(v >= c.Lower-1e-6 && v <= c.Upper+1e-6) {
					t.Errorf("%s: %s gives the column %s the value %g", name, p.name, c.Name, v)
				}
			}
			os.Remove(theirs)
		}
	}
}
