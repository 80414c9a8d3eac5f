package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
)

// logRow is a row of a table of a log, by heading; "mark" is what it begins with.
type logRow map[string]string

// logRows reads the rows of the tables that have an incumbent.
func logRows(log string) (rows []logRow) {
	var heads []string
	for _, line := range strings.Split(log, "\n") {
		cells := strings.Fields(strings.NewReplacer("LP iter", "iter", "dual nodes", "nodes").Replace(line))
		switch {
		case len(cells) > 0 && cells[len(cells)-1] == "time" && strings.Contains(line, "incumbent"):
			heads = cells
		case heads == nil || len(line) < 2 || len(cells) == 0 || strings.Trim(line[:2], " *HS") != "" || !strings.HasSuffix(line, "s"):
			heads = nil
		default:
			row := logRow{"mark": strings.TrimSpace(line[:2])}
			cells = strings.Fields(line[2:])
			for k, h := range heads {
				if k < len(cells) {
					row[h] = cells[k]
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// shown reads a cell, NaN for --.
func shown(cell string) float64 {
	v, err := strconv.ParseFloat(strings.TrimSuffix(cell, "%"), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// agrees reports whether a cell says what a field of the object does; null stands for none and for an infinity.
func agrees(cell string, field any, show func(float64) string) bool {
	if v, ok := field.(float64); ok {
		return cell == show(v)
	}
	return cell == "--" || cell == "+inf" || cell == "-inf"
}

// checkLog compares the log of a solve with its object: the last row says the same, and so does the summary; no row is
// better than the result, and the gap of each is that of its incumbent and bound.
func checkLog(log string, got map[string]any) error {
	rows := logRows(log)
	if len(rows) == 0 {
		return fmt.Errorf("no rows in the log")
	}
	last := rows[len(rows)-1]
	if !agrees(last["incumbent"], got["objective"], showValue) || !agrees(last["bound"], got["bound"], showValue) || !agrees(last["gap"], got["gap"], showGap) {
		return fmt.Errorf("the last row is %v", last)
	}
	if nodes, ok := got["nodes"].(float64); ok && last["nodes"] != strconv.Itoa(int(nodes)) {
		return fmt.Errorf("the last row is %v, and there were %v nodes", last, nodes)
	}
	for _, field := range []string{"objective", "bound"} {
		if v, ok := got[field].(float64); ok && !strings.Contains(log, fmt.Sprintf("%-14s%s\n", field, showExact(v))) {
			return fmt.Errorf("the summary has another %s than %v", field, v)
		}
	}
	if !strings.Contains(log, fmt.Sprintf("%-14s%s\n", "status", got["status"])) {
		return fmt.Errorf("the summary has another status than %v", got["status"])
	}
	for _, row := range rows {
		cost, bound := shown(row["incumbent"]), shown(row["bound"])
		objective, ok := got["objective"].(float64)
		if math.IsNaN(cost) {
			continue
		}
		if !ok || cost < objective-1e-6*math.Abs(objective) || bound > objective+1e-6*math.Abs(objective) {
			return fmt.Errorf("the row %v is better than the result", row)
		}
		if gap := shown(row["gap"]); math.Abs(gap-100*lp.RelativeGap(cost, bound)) > 0.011 {
			return fmt.Errorf("the gap of the row %v is not that of its incumbent and bound", row)
		}
	}
	return nil
}

// agreement solves one instance in many ways.
type agreement struct {
	family   families.Family
	in       families.Instance
	path     string
	model    string
	statuses map[string]int
}

// agreeClass is a class of every family: a run takes some hundredths of a second, and not every run one node.
var agreeClass = map[string]string{"mps": "4x100x36", "ufl": "30x20", "cap": "15x8", "mcndp": "5x12x4", "netdes": "5x3-L",
	"scflp": "6x5:3", "sslp": "4x8:3"}

func newAgreement(t *testing.T, f families.Family) *agreement {
	t.Helper()
	dir := t.TempDir()
	o := invoke(t, t.Context(), "generate", "--family", f.Name, "--class", agreeClass[f.Name], "--seed", "5", "-o", dir)
	g := &agreement{family: f, path: strings.TrimSpace(o.stdout), model: filepath.Join(dir, "m.safetensors"), statuses: map[string]int{}}
	var err error
	if g.in, err = f.Read(g.path, families.ReadOptions{}); err != nil {
		t.Fatal(err)
	}
	m, _, err := pipeline.NewModel(f, g.in, families.ModelOptions{Preset: families.Fast, Seed: 1, Hidden: []int{8}})
	if errors.Is(err, families.ErrUnsupported) {
		g.model = "" // no network is for integer recourse
		return g
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Save(g.model); err != nil { // untrained: no proxy run comes near the optimum
		t.Fatal(err)
	}
	return g
}

// design is the point that the field open names.
func (g *agreement) design(open []any) []float64 {
	master, err := pipeline.Master(g.in)
	if err != nil {
		panic(err)
	}
	y := make([]float64, len(master.Cols))
	for _, v := range open {
		if j, ok := v.(float64); ok {
			y[int(j)] = 1
		}
		for j := range y {
			if master.ColName(lp.Var(j)) == v {
				y[j] = 1
			}
		}
	}
	return y
}

// run solves the instance once, and checks what the command says of it.
func (g *agreement) run(t *testing.T, ctx context.Context, flags ...string) {
	t.Helper()
	o := invoke(t, ctx, append([]string{"solve", g.path, "--json", "--log-every", "0s", "--gap", "1e-6"}, flags...)...)
	if o.code == exitBadInput && (strings.Contains(o.stderr, "not supported") || strings.Contains(o.stderr, "--scheme dual")) {
		return
	}
	got := o.object(t)
	status, _ := got["status"].(string)
	g.statuses[status]++
	want := exitLimit
	if status == "optimal" || status == "fixed_point" || status == "stalled" {
		want = exitSolved
	}
	if err := checkLog(o.stderr, got); err != nil || o.code != want {
		t.Errorf("%s %v: %v, exit code %d, %v\n%s", g.family.Name, flags, status, o.code, err, o.stderr+o.stdout)
	}
	objective, ok := got["objective"].(float64)
	if !ok {
		return
	}
	cost, feasible, err := pipeline.Price(t.Context(), g.in, g.design(got["open"].([]any)))
	if err != nil || !feasible || !near(cost, objective, 1e-7) {
		t.Errorf("%s %v: the objective is %v, what is open costs %v (%v, %v)", g.family.Name, flags, objective, cost, feasible, err)
	}
}

// ways are the methods with their schemes as flags.
func (g *agreement) ways() (list [][]string) {
	for _, m := range decompose.Methods {
		flags := []string{"--method", string(m)}
		switch m {
		case decompose.Full:
			list = append(list, flags)
			continue
		case decompose.Started, decompose.Decoupled: // have no rows of a master, and mps no start and no scenarios
			continue
		case decompose.Proxy, decompose.Hybrid:
			if g.model == "" {
				continue
			}
			flags = append(flags, "--model", g.model)
		}
		for _, s := range decompose.Schemes {
			// not every family has them, and none has a heuristic there
			if s == decompose.Paper || s == decompose.Classic || s == decompose.Nested {
				continue
			}
			if s != decompose.Dual || m == decompose.Exact {
				list = append(list, append(flags[:len(flags):len(flags)], "--scheme", string(s)))
			}
		}
	}
	return list
}

// TestLogAgreesWithResult solves an instance of every family by every method and scheme, to the end, to limits and
// until it is interrupted: the log and the object say the same, and the objective is what the design costs.
func TestLogAgreesWithResult(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	statuses := map[string]int{}
	for _, f := range Families() {
		g := newAgreement(t, f)
		for _, way := range g.ways() {
			last := way[len(way)-1]
			limits := [][]string{nil, {"--time-limit", "0s"}, {"--time-limit", "3ms"}}
			switch last {
			case "outer":
				limits = append(limits, []string{"--iteration-limit", "0"}, []string{"--iteration-limit", "2"})
			case "dual":
				limits = append(limits, []string{"--node-limit", "0"}, []string{"--node-limit", "2"})
			default:
				limits = append(limits, []string{"--node-limit", "0"}, []string{"--node-limit", "2"}, []string{"--stall-nodes", "1"})
			}
			for _, limit := range limits {
				g.run(t, t.Context(), append(way[:len(way):len(way)], limit...)...)
				if last != "dual" {
					g.run(t, t.Context(), append(append(way[:len(way):len(way)], limit...), "--no-heuristic")...)
				}
			}
			g.run(t, cancelled, way...)
		}
		for s, n := range g.statuses {
			statuses[s] += n
		}
	}
	t.Log(statuses)
	for _, s := range []string{"optimal", "fixed_point", "stalled", "node_limit", "time_limit", "iteration_limit", "interrupted"} {
		if statuses[s] == 0 {
			t.Errorf("no run had the status %s", s)
		}
	}
}

// TestMIPLogAgreesWithResult does the same for proxybd mip.
func TestMIPLogAgreesWithResult(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	hard := hardModel(t)
	for _, c := range []struct {
		ctx  context.Context
		args []string
	}{
		{t.Context(), []string{"testdata/knapsack.mps"}}, {t.Context(), []string{"testdata/infeasible.mps"}}, {t.Context(), []string{"testdata/unbounded.mps"}}, {t.Context(), []string{"testdata/product_mix.mps"}},
		{t.Context(), []string{hard, "--node-limit", "0"}}, {t.Context(), []string{hard, "--node-limit", "30"}},
		{t.Context(), []string{hard, "--time-limit", "0s"}}, {t.Context(), []string{hard, "--time-limit", "150ms"}}, {cancelled, []string{hard}},
	} {
		o := invoke(t, c.ctx, append([]string{"mip", "--json", "--log-every", "0s"}, c.args...)...)
		got := o.object(t)
		rows := logRows(o.stderr)
		if len(rows) == 0 {
			t.Errorf("%v: no rows in\n%s", c.args, o.stderr)
			continue
		}
		last := rows[len(rows)-1]
		if !agrees(last["incumbent"], got["objective"], showValue) || !agrees(last["bound"], got["bound"], showValue) ||
			!agrees(last["gap"], got["gap"], showGap) || last["nodes"] != strconv.Itoa(int(got["nodes"].(float64))) {
			t.Errorf("%v: the last row is %v, the object %v", c.args, last, got)
		}
	}
}
