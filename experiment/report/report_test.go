package report

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/experiment"
	"github.com/proxybd/proxybd/internal/jsonl"
)

// run makes a record; cost is that of the design, 100 is the optimum.
func run(shape, id, method, status string, cost, bound, seconds float64, cuts int) experiment.Record {
	family, name, _ := strings.Cut(shape, ":")
	r := experiment.Record{Schema: experiment.Schema, Kind: "eval", Family: family, Shape: name, ID: id, Method: method, Status: status, Feasible: !math.IsNaN(cost),
		Objective: jsonl.Number(cost), TrueCost: jsonl.Number(cost), Terminal: jsonl.Number(cost * 1.1), Bound: jsonl.Number(bound), Gap: jsonl.Number((cost - bound) / cost), Seconds: jsonl.Number(seconds), Visited: 3}
	r.Cuts.Optimality = cuts
	r.Trace = []experiment.TracePoint{{Seconds: 0, Cuts: 1, Incumbent: jsonl.Number(cost * 1.2), Bound: jsonl.Number(bound * 0.5)},
		{Seconds: jsonl.Number(seconds), Cuts: cuts, Incumbent: jsonl.Number(cost), Bound: jsonl.Number(bound)}}
	return r
}

// sample is a report's data with medians that are known.
func sample() *Data {
	d := &Data{Title: "A test", Stages: []Stage{{"eval", 5}}}
	for k := range 3 {
		id := fmt.Sprint("i", k)
		d.Records = append(d.Records, run("ufl:200x200", id, "exact", "optimal", 100, 100, float64(2+k), 10),
			run("ufl:200x200", id, "proxy", "fixed_point", 100+float64(k), 80, 0.5, 5),
			run("ufl:200x200", id, "proxy/paper", "fixed_point", 103, 60, 0.00002, 4),
			run("ufl:200x200", id, "exact/paper", "time_limit", 101, 90, 0.00002*math.Pow(4, float64(k)), 40),
			run("ufl:200x200", id, "aggregated/paper", "optimal", 100, 100, 0.00004, 20),
			run("ufl:200x200", id, "start", "stalled", 101, 90, 0.1, 0),
			run("ufl:200x200", id, "proxy+zero/plain", "fixed_point", 130, 60, 0.1, 4), run("ufl:200x200", id, "exact/classic", "time_limit", 104, 50, 30, 99),
			run("ufl:200x200", id, "proxy/classic", "fixed_point", 102, 50, 3, 9))
	}
	d.Records = append(d.Records, run("cap:50x16", "a", "exact", "time_limit", math.NaN(), 90, 60, 7), run("cap:50x16", "a", "proxy", "fixed_point", 110, 101, 1, 2),
		run("mcndp:10x35x50", "m", "exact", "optimal", 50, 50, 1, 7), run("mcndp:10x35x50", "m", "proxy", "error", math.NaN(), math.NaN(), math.NaN(), 0),
		run("mcndp:10x35x50", "m", "exact/paper", "optimal", 50, 50, 4, 70), run("mcndp:10x35x50", "m", "proxy/paper", "fixed_point", 51, 40, 2, 30))
	d.Records[len(d.Records)-6].Feasible = false
	d.Trainings = []experiment.Training{{Family: "ufl", Shape: "200x200", Preset: "fast", Steps: 100, BestStep: 50, Status: "completed", Seconds: 25, Collecting: 25, Share: 0.99, Validation: -1,
		Score:   experiment.Score{Bases: 4, Trained: [2]jsonl.Number{0.9, 0.8}, OverZero: [2]jsonl.Number{0.05, 0.01}, OverRandom: [2]jsonl.Number{0.2, 0.1}, Helps: true},
		History: []experiment.TrainPoint{{Step: 50, Loss: -0.5, Validation: -1}, {Step: 100, Loss: -0.7, Validation: -0.9}}}}
	return d
}

// cell finds a value of a table by the values of its first columns.
func cell(t *testing.T, r *Report, table, column string, row ...string) string {
	t.Helper()
	for _, tab := range r.Tables {
		if tab.ID != table {
			continue
		}
		for k, c := range tab.Columns {
			if c.heading() != column {
				continue
			}
			last := ""
			for _, line := range tab.Rows {
				if line.Cells[0].Value != "" {
					last = line.Cells[0].Value
				}
				if last == row[0] && (len(row) == 1 || line.Cells[1].Value == row[1]) {
					return line.Cells[k].Text
				}
			}
		}
	}
	t.Errorf("no %s of %v in table %s", column, row, table)
	return ""
}

func TestTables(t *testing.T) {
	r := Make(sample())
	for _, c := range []struct{ table, column, first, second, want string }{
		{"results-ufl", "True gap (%) med", "200x200", "proxy", "1.00"},
		{"results-ufl", "True gap (%) mean", "200x200", "proxy", "1.00"},
		{"results-ufl", "Proven gap (%) med", "200x200", "proxy", "20.79"},
		{"results-ufl", "Time (s) med", "200x200", "exact", "3.00"},
		{"results-ufl", "Speedup med", "200x200", "proxy", "6.00×"},
		{"results-ufl", "Speedup mean", "200x200", "proxy", "6.00×"},
		{"results-ufl", "Speedup geometric", "200x200", "proxy", "5.77×"},         // the cube root of 4 * 6 * 8
		{"results-ufl", "Time (s) shifted geometric", "200x200", "exact", "2.91"}, // the cube root of 3 * 4 * 5, less 1
		{"results-cap", "Time (s) shifted geometric", "50x16", "exact", "≥60.0"},
		{"results-ufl", "Cuts med", "200x200", "proxy", "5"},
		{"results-ufl", "Optimal", "200x200", "exact", "3/3"},
		{"results-cap", "Time (s) med", "50x16", "exact", "≥60.0"},
		{"results-cap", "True gap (%) med", "50x16", "exact", "∞"},
		{"results-cap", "Censored", "50x16", "exact", "1/1"},
		{"ablation", "Without (gap %) med", "ufl 200x200", "proxy", "11.10"},
		{"upper-bounds", "P = O", "ufl 200x200", "proxy", "1"},
		{"upper-bounds", "P > O", "ufl 200x200", "proxy", "2"},
		{"upper-bounds", "Difference (%) max", "ufl 200x200", "proxy", "+2.00"},
		{"feasibility", "Errors", "mcndp 10x35x50", "proxy", "1"},
		{"feasibility", "Bounds too high", "ufl 200x200", "proxy", "0"},
		{"results-ufl", "Fixed point", "200x200", "proxy", "3/3"},
		{"results-ufl", "Stalled", "200x200", "start", "3/3"},
		{"results-ufl", "Time (s) med", "200x200", "proxy/paper", "2e-05"},
		{"against", "Bare proxy gap (%) paper", "ufl 200x200", "", "0.00"},
		{"against", "Bare proxy gap (%) ours", "ufl 200x200", "", "3.00"},
		{"against", "Ours with everything proxy gap (%)", "ufl 200x200", "", "1.00"},
		{"against", "Ours with everything start alone, gap (%)", "ufl 200x200", "", "1.00"},
		{"classic", "Time (s, med) oracle", "ufl 200x200", "ours", "≥30.0"},
		{"classic", "Speedup med", "ufl 200x200", "ours", "10.0×"},
		{"paper-table-5", "Peak speedup", "UFL", "ours", "≥4.00×"},
		{"paper-table-5", "Peak speedup", "UFL", "paper", "161×"},
		{"paper-table-7", "Speedup med", "200x200", "ours", "≥4.00×"},
		{"paper-table-7", "Speedup mean", "200x200", "ours", "≥7.00×"},
		{"paper-table-7", "Speedup geometric", "200x200", "ours", "≥4.00×"},
		{"paper-table-7", "Oracle cuts med", "200x200", "ours", "40"},
		{"paper-table-7", "Proxy cuts mean", "200x200", "paper", "184"},
		{"paper-table-8", "With selection (%) med", "200x200", "ours", "3.00"},
		{"paper-table-8", "Without selection (%) med", "200x200", "paper", "9.56"},
		{"paper-table-9", "Against the oracle's design (%)", "10x35x50", "ours", "2.00"},
		{"paper-table-9", "True gap, certified (%)", "10x35x50", "ours", "2.00"},
		{"paper-table-10", "Speedup med", "10x35x50", "ours", "2.00×"},
		{"paper-table-11", "P > O", "10x35x50", "ours", "1"},
		{"paper-table-11", "Difference (%) mean", "10x35x50", "paper", "+0.46"},
		{"paper-tables-1-2", "Facilities", "ufl", "200x200", "200"},
		{"paper-tables-1-2", "Arcs", "mcndp", "10x35x50", "35"},
		{"paper-tables-1-2", "N paper", "mcndp", "10x35x50", "120"},
		{"factor", "Factor all", "ufl 200x200", "", "4.00×"},
		{"factor", "Factor aggregation", "ufl 200x200", "", "2.00×"},
		{"factor", "Factor early stop", "ufl 200x200", "", "1.00×"},
		{"factor", "Factor network", "ufl 200x200", "", "2.00×"},
		{"factor", "Proxy's bound below its design (%)", "ufl 200x200", "", "41.75"},
		{"controls", "Lead over zero limit", "ufl 200x200", "", "+1.00"},
		{"controls", "Helps", "ufl 200x200", "", "yes"},
		{"training", "Solves to pay training", "ufl 200x200", "", "10"},
		{"training", "Solves to pay with states", "ufl 200x200", "", "20"},
		{"stages", "Time (s)", "together", "", "5"},
	} {
		row := []string{c.first}
		if c.second != "" {
			row = append(row, c.second)
		}
		if got := cell(t, r, c.table, c.column, row...); got != c.want {
			t.Errorf("%s, %s of %s %s: %s, want %s", c.table, c.column, c.first, c.second, got, c.want)
		}
	}
	for _, want := range []string{"beats zero and random weights on held-out bases for ufl 200x200 (certified share 5.00 points above zero weights).",
		"ufl 200x200 (2.50 s a solve, at a median gap of 1.00 %, training is paid back after 20 solves)"} {
		if !strings.Contains(r.verdict, want) {
			t.Errorf("the verdict is %q, and does not say %q", r.verdict, want)
		}
	}
	high := sample()
	high.Records[1].Bound = 101
	if got := cell(t, Make(high), "feasibility", "Bounds too high", "ufl 200x200", "proxy"); got != "1" {
		t.Errorf("a bound above the optimum is not seen: %s", got)
	}
}

// TestLaterRecordCounts gives two records of one run.
func TestLaterRecordCounts(t *testing.T) {
	d := sample()
	again := d.Records[0]
	again.Started, again.Cuts.Optimality = "2030-01-01T00:00:00Z", 99
	d.Records = append([]experiment.Record{again}, d.Records...)
	s := group(d.Records)
	for _, g := range s {
		if g.family == "ufl" && (len(g.instances) != 3 || g.instances[0].by["exact"].Cuts.Total() != 99) {
			t.Error("the earlier record counts")
		}
	}
}

// TestWrite writes a report and reads its files again: CSV of full width, well-formed SVG and HTML, no address in it.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	r := Make(sample())
	if err := r.Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, tab := range r.Tables {
		f, err := os.Open(filepath.Join(dir, "tables", tab.ID+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(f).ReadAll()
		f.Close()
		if err != nil || len(rows) != len(tab.Rows)+1 {
			t.Errorf("%s: %d rows, %v", tab.ID, len(rows), err)
		}
		filled(t, tab, rows)
	}
	if len(r.Figures) < 7 {
		t.Errorf("%d figures", len(r.Figures))
	}
	for _, f := range r.Figures {
		wellFormed(t, f.ID, f.SVG)
		if strings.Contains(f.SVG, "NaN") || strings.Contains(f.SVG, "Inf") {
			t.Errorf("%s has a coordinate that is no number", f.ID)
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for _, bad := range []string{"<script", "<link", "src=", "url(", "@import"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	var again bytes.Buffer
	if err := Make(sample()).writeHTML(&again); err != nil || again.String() != text {
		t.Error("the same data make another page")
	}
}

// filled checks that a CSV file has no empty field, numbers or NA in every column of figures, and that its columns of
// text before the first figure differ from row to row.
func filled(t *testing.T, tab *Table, rows [][]string) {
	t.Helper()
	seen := map[string]bool{}
	for i, row := range rows {
		key := ""
		keys := true
		for k, field := range row {
			if field == "" {
				t.Errorf("%s: column %d of row %d is empty", tab.ID, k, i)
			}
			keys = keys && tab.Columns[k].Left
			if keys {
				key += field + "\n"
			}
			if _, err := strconv.ParseFloat(field, 64); i > 0 && !tab.Columns[k].Left && field != notKnown && err != nil {
				t.Errorf("%s: %s is %q", tab.ID, tab.Columns[k].heading(), field)
			}
		}
		if seen[key] {
			t.Errorf("%s: two rows are of %q", tab.ID, key)
		}
		seen[key] = true
	}
}

func wellFormed(t *testing.T, name, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
	}
}

// TestHostileNames puts markup into everything that is free text.
func TestHostileNames(t *testing.T) {
	d := sample()
	d.Title = `<b>&"`
	for k := range d.Records {
		d.Records[k].ID += `<i>&"`
		d.Records[k].Shape = `1x<2&"`
		d.Records[k].Method = `exact/<u>`
	}
	r := Make(d)
	for _, f := range r.Figures {
		wellFormed(t, f.ID, f.SVG)
	}
	var b bytes.Buffer
	if err := r.writeHTML(&b); err != nil || strings.Contains(b.String(), "<u>") || strings.Contains(b.String(), "<i>") {
		t.Error("markup of a name is in the page", err)
	}
}

// TestRandomRecords makes reports of records with missing and extreme values.
func TestRandomRecords(t *testing.T) {
	values := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, 1, -1, 1e-300, 1e300, 100}
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 9))
		pick := func() float64 { return values[rng.IntN(len(values))] }
		d := &Data{}
		for range rng.IntN(12) {
			shape := []string{"cap:50x16", "ufl:200x200", "other:7"}[rng.IntN(3)]
			r := run(shape, fmt.Sprint(rng.IntN(3)), []string{"exact", "proxy", "hybrid/plain", "x"}[rng.IntN(4)], []string{"optimal", "error", "time_limit"}[rng.IntN(3)], pick(), pick(), pick(), rng.IntN(5))
			r.Feasible = rng.IntN(2) == 0
			d.Records = append(d.Records, r)
		}
		r := Make(d)
		for _, tab := range r.Tables {
			var b bytes.Buffer
			err := tab.writeCSV(&b)
			rows, again := csv.NewReader(&b).ReadAll()
			if err != nil || again != nil {
				t.Fatal(err, again)
			}
			filled(t, tab, rows)
		}
		if err := errors.Join(r.WriteText(io.Discard), r.writeHTML(io.Discard)); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, f := range r.Figures {
			soundPlot(t, "random", f.PGF)
			if strings.Contains(f.SVG, "NaN") || strings.Contains(f.SVG, "Inf") {
				t.Errorf("seed %d: %s has a coordinate that is no number", seed, f.ID)
			}
		}
	}
}

func TestStatistics(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		values []float64
		median float64
	}{{[]float64{3, 1, 2}, 2}, {[]float64{4, 1, 2, 3}, 2.5}, {[]float64{1, inf, inf}, inf}, {[]float64{inf, inf}, inf}} {
		if got := Median(c.values); got != c.median {
			t.Errorf("median of %v: %v", c.values, got)
		}
	}
	if !math.IsNaN(Median(nil)) || !math.IsNaN(mean(nil)) || mean([]float64{1, 2}) != 1.5 || quantile([]float64{0, 10}, .25) != 2.5 {
		t.Error("a statistic is wrong")
	}

	// The shifted means are sqrt(1*4)-1 and (2*2*16)^(1/3)-1, the geometric one sqrt(2*8).
	for _, c := range []struct {
		of     func([]float64) float64
		values []float64
		want   float64
	}{{shiftedGeometric, []float64{0, 3}, 1}, {shiftedGeometric, []float64{1, 1, 15}, 3}, {geometric, []float64{2, 8}, 4},
		{shiftedGeometric, []float64{1e-9}, 1e-9}, {shiftedGeometric, []float64{1, inf}, inf}, {geometric, []float64{0, 5}, 0},
		{shiftedGeometric, nil, math.NaN()}, {geometric, nil, math.NaN()}} {
		got := c.of(c.values)
		same := math.Abs(got-c.want) <= 1e-14*c.want || got == c.want || math.IsNaN(got) && math.IsNaN(c.want)
		if !same {
			t.Errorf("mean of %v: %v, want %v", c.values, got, c.want)
		}
	}
}

// TestStalledRunsAreNotCensored has a run that its stall rule ended, and one that a node limit did.
func TestStalledRunsAreNotCensored(t *testing.T) {
	r := Make(&Data{Records: []experiment.Record{run("ufl:200x200", "a", "exact", "optimal", 100, 100, 1, 5), run("ufl:200x200", "a", "proxy", "stalled", 100, 90, 3, 7),
		run("ufl:200x200", "a", "hybrid", "node_limit", 100, 90, 4, 7)}})
	for _, c := range [][3]string{{"Stalled", "proxy", "1/1"}, {"Censored", "proxy", "0/1"}, {"Time (s) med", "proxy", "3.00"},
		{"Stalled", "hybrid", "0/1"}, {"Censored", "hybrid", "1/1"}, {"Time (s) med", "hybrid", "≥4.00"}} {
		if got := cell(t, r, "results-ufl", c[0], "200x200", c[1]); got != c[2] {
			t.Errorf("%s of %s: %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
