package netdes_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/netdes"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
)

func generate(t testing.TB, class string, seed uint64) *netdes.Instance {
	t.Helper()
	in, err := netdes.Generate(class, seed)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// textbook is the extensive form as the problem is stated: y <= u x, and no row that says more.
func textbook(d *netdes.Data) *lp.Model {
	m := &lp.Model{}
	for _, f := range d.Fixed {
		m.AddCol(lp.Col{Cost: f, Upper: 1, Integer: true})
	}
	for _, s := range d.Scenarios {
		flow := len(m.Rows)
		for _, b := range s.Demand {
			m.AddRow(lp.Row{Lower: b, Upper: b}, nil, nil)
		}
		for e := range d.Tail {
			j := m.AddCol(lp.Col{Cost: s.Probability * s.Cost[e], Upper: lp.Inf})
			m.AddEntry(lp.Con(flow+int(d.Tail[e])), j, 1)
			m.AddEntry(lp.Con(flow+int(d.Head[e])), j, -1)
			m.AddRow(lp.Row{Lower: 0, Upper: lp.Inf}, []int32{int32(e), int32(j)}, []float64{s.Capacity[e], -1})
		}
	}
	return m
}

// TestOptimaAreThoseOfTheTextbookModel solves small instances and compares with branch and cut on the problem as
// stated.
func TestOptimaAreThoseOfTheTextbookModel(t *testing.T) {
	feasible := 0
	for seed := range uint64(12) {
		in := generate(t, "5x3-L", seed)
		want, err := bnb.Solve(context.Background(), textbook(in.Data), bnb.DefaultOptions(), bnb.Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		o := decompose.DefaultOptions()
		o.Benders.Gap = 1e-7
		got, err := pipeline.Solve(context.Background(), in, o)
		if err != nil || got.Status != want.Status {
			t.Fatalf("seed %d: %v, %v; want %v", seed, got.Status, err, want.Status)
		}
		if want.Status == lp.Optimal {
			feasible++
			if !(math.Abs(got.Objective-want.Objective) <= 1e-5*(1+want.Objective)) {
				t.Errorf("seed %d: %.10g, want %.10g", seed, got.Objective, want.Objective)
			}
		}
	}
	if feasible < 6 {
		t.Errorf("%d of 12 instances are feasible", feasible)
	}
}

// TestFilesAreReadBack writes instances, plain and gzipped, and reads the same. The lines of those of many nodes or
// scenarios have more than 64 KiB.
func TestFilesAreReadBack(t *testing.T) {
	// Hash and label are those of the written instance, whether the file is compressed or not.
	in := generate(t, "6x4-H", 3)
	for _, end := range []string{".dat", ".dat.gz"} {
		path := filepath.Join(t.TempDir(), in.Label().Name+end)
		if err := pipeline.Write(path, in); err != nil {
			t.Fatal(err)
		}
		back, err := netdes.Family.Read(path, families.ReadOptions{})
		if err != nil || back.Hash() != in.Hash() || back.Label() != in.Label() {
			t.Fatalf("%v: %v", end, err)
		}
	}

	// A scanner of lines with its default buffer would fail on these files.
	for _, class := range []string{"190x2-L", "3x3500-L"} {
		large := generate(t, class, 1)
		path := filepath.Join(t.TempDir(), "large.dat")
		if err := pipeline.Write(path, large); err != nil {
			t.Fatal(err)
		}
		if back, err := netdes.Family.Read(path, families.ReadOptions{}); err != nil || back.Hash() != large.Hash() {
			t.Errorf("%s: %v", class, err)
		}
	}

	// The hash is of the data, so that it must change with them: otherwise the comparisons above mean nothing.
	other, _, err := in.Perturb("other", 0.3, 1)
	if err != nil || other.Hash() == in.Hash() {
		t.Errorf("a variant is the same, %v", err)
	}
}

const small = "+\n2\n0.3\n200\n0,1;1,0\n0,5;7,0\n2\n0.5,0.5\n--Scenarios--\n" +
	"0,1;2,0\n0,9;9,0\n3,-3\n---\n0,1;2,0\n0,9;9,0\n-4,4\n---\n"

// TestBadFilesAreRefused checks that every fault is named with its place.
func TestBadFilesAreRefused(t *testing.T) {
	// The file is correct as it stands, so that every error below is due to the one replacement.
	if _, err := netdes.Decode(strings.NewReader(small), "f"); err != nil {
		t.Fatal(err)
	}

	// Each case has the text that is replaced, its replacement, and a part of the message.
	for _, c := range [][3]string{
		{"+\n2\n", "+\n1\n", "2 rows, want 1"},
		{"+\n2\n", "+\n99999\n", "line 2, field 1: not a .dat file of stochastic network design: want the number of nodes"},
		{"0,1;1,0\n", "0,1;1,0,0\n", "line 5, field 1: not a .dat file of stochastic network design: the adjacency matrix: row 2: 3 entries, want 2"},
		{"0,1;1,0\n", "0,1;1,0;0,0\n", "3 rows, want 2"},
		{"0,1;1,0\n", "0,1\n", "1 rows, want 2"},
		{"0,1;1,0\n", "0,1;1\n", "row 2: 1 entries, want 2"},
		{"0,1;1,0\n", "-1,1;1,0\n", "row 1, entry 1: it is -1"},
		{"0,1;1,0\n", "0,0.5;1,0\n", "row 1, entry 2: it is 0.5"},
		{"0,5;7,0\n", "0,5;-7,0\n", "line 6, field 1: not a .dat file of stochastic network design: the fixed costs: row 2, entry 1: it is -7"},
		{"0,5;7,0\n", "0,NaN;7,0\n", `entry 2: want a number, have "NaN"`},
		{"0.5,0.5\n", "0.5,0.5,0\n", "the probabilities: row 1: 3 entries, want 2"},
		{"0.5,0.5\n", "1.5,-0.5\n", "the probability of scenario 1 is 1.5"},
		{"--Scenarios--", "Scenarios", "want the line --Scenarios--"},
		{"-4,4\n---\n", "-4,4\n", "want the line --- that marks the end of scenario 2"},
		{"-4,4\n---\n", "-4,4\n---\nmore", "text after the last scenario"},
		{"-4,4\n---\n", "", "the file ends before the demands of scenario 2"},
	} {
		// Some faults appear when the text is read, the others when the data are checked.
		text := strings.Replace(small, c[0], c[1], 1)
		d, err := netdes.Decode(strings.NewReader(text), "f")
		if err == nil {
			_, err = netdes.New(d)
		}
		if err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%q for %q: %v, want %q", c[1], c[0], err, c[2])
		}
	}

	// A text that is no file of this family has an error of its own, ErrForeign.
	if _, err := netdes.Decode(strings.NewReader("no data\n"), "f"); !errors.Is(err, families.ErrForeign) {
		t.Errorf("another file: %v", err)
	}

	// The demands of a scenario must sum to 0, or no flow meets them.
	d, err := netdes.Decode(strings.NewReader(strings.Replace(small, "-4,4", "-4,5", 1)), "f")
	if err == nil {
		_, err = netdes.New(d)
	}
	if !errors.Is(err, instance.ErrInstance) || !strings.Contains(err.Error(), "the demands sum to 1") {
		t.Errorf("demands that do not balance: %v", err)
	}
}

// TestProbabilitiesAreNormalised reads probabilities that do not sum to one.
func TestProbabilitiesAreNormalised(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.dat")
	if err := os.WriteFile(path, []byte(strings.Replace(small, "0.5,0.5", "0.5,0.75", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	var lines []string
	in, err := netdes.Read(path, func(s string) { lines = append(lines, s) })
	if err != nil || len(lines) != 1 || !strings.Contains(lines[0], "sum to 1.25") || in.Data.Scenarios[1].Probability != 0.6 {
		t.Errorf("%v, %v", err, lines)
	}
}

// TestLoopsAreLeftOut reads an arc from a node to itself, and says so.
func TestLoopsAreLeftOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.dat")
	text := strings.NewReplacer("0,1;1,0", "1,1;1,0", "0,5;7,0", "3,5;7,0", "0,9;9,0", "4,9;9,0").Replace(small)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var lines []string
	in, err := netdes.Read(path, func(s string) { lines = append(lines, s) })
	if err != nil || len(lines) != 1 || !strings.Contains(lines[0], "1 are left out") {
		t.Fatalf("%v, %v", err, lines)
	}
	plain, err := netdes.Decode(strings.NewReader(small), "f")
	if plain.Name = in.Data.Name; err != nil || !reflect.DeepEqual(in.Data, plain) {
		t.Errorf("%+v, want %+v, %v", in.Data, plain, err)
	}
}

// TestPublishedInstances solves small instances whose optimum is on record, to one decimal.
func TestPublishedInstances(t *testing.T) {
	const folder = "../../../shared/data/stoch/netdes"
	f, err := os.Open(filepath.Join(folder, "solutions.csv"))
	if err != nil {
		t.Skip("no ../shared/data")
	}
	defer f.Close()

	// The table has a name, the best known upper bound and the best known lower bound in each row.
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	solved := 0

	// These few are small enough to be solved in a test.
	for _, row := range rows {
		if !strings.HasSuffix(row[0], "10-10-L-01") && !strings.HasSuffix(row[0], "10-10-L-03") && row[0] != "network-10-10-H-01" && row[0] != "network-10-10-H-06" {
			continue
		}

		// The optimum is known where the two bounds are equal.
		want, err := strconv.ParseFloat(row[1], 64)
		if err != nil || row[1] != row[2] {
			continue
		}
		in, err := netdes.Read(filepath.Join(folder, row[0]+".dat"), nil)
		if err != nil {
			t.Fatal(err)
		}

		// The gap is smaller than the last digit of the published value, which is rounded to one decimal.
		o := decompose.DefaultOptions()
		o.Benders.Gap = 1e-7
		r, err := pipeline.Solve(context.Background(), in, o)
		if err != nil || r.Status != lp.Optimal || !(math.Abs(r.Objective-want) <= 0.051) {
			t.Errorf("%s: %v %.10g, %v; want %g", row[0], r.Status, r.Objective, err, want)
		}
		solved++
	}

	// Without this check a change of the names would leave nothing to compare.
	if solved < 4 {
		t.Errorf("%d instances", solved)
	}
}

// TestAllPublishedFilesAreRead reads every shared file and checks its sizes against its name.
func TestAllPublishedFilesAreRead(t *testing.T) {
	files, err := filepath.Glob("../../../shared/data/stoch/netdes/network-*-0[126].dat*")
	if err != nil || len(files) == 0 {
		t.Skip("no ../shared/data")
	}
	for _, path := range files {
		in, err := netdes.Read(path, func(line string) {
			if !strings.Contains(path, "10-10-H-06") || !strings.Contains(line, "left out") {
				t.Error(line)
			}
		})
		if err != nil {
			t.Error(err)
			continue
		}
		var nodes, scenarios int
		if _, err := fmt.Sscanf(in.Label().Name, "network-%d-%d", &nodes, &scenarios); err != nil {
			t.Fatal(err)
		}
		if in.Data.Nodes != nodes || len(in.Data.Scenarios) != scenarios {
			t.Errorf("%s: %d nodes, %d scenarios", path, in.Data.Nodes, len(in.Data.Scenarios))
		}
	}
}

// FuzzDecode reads files of any content: an error, or data that is written and read back as the same.
func FuzzDecode(f *testing.F) {
	// The seeds are a correct file and the same file compressed.
	f.Add([]byte(small))
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(small))
	z.Close()
	f.Add(b.Bytes())

	// A text that is refused, as a file or as an instance, needs no further check.
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := netdes.Decode(bytes.NewReader(data), "f")
		if err != nil {
			return
		}
		in, err := netdes.New(d)
		if err != nil {
			return
		}

		// What was accepted is written and read again, and the hash shows that the data are the same.
		var out bytes.Buffer
		if err := in.Encode(&out); err != nil {
			t.Fatal(err)
		}
		d, err = netdes.Decode(&out, "f")
		if err != nil {
			t.Fatal(err)
		}
		if back, err := netdes.New(d); err != nil || back.Hash() != in.Hash() {
			t.Errorf("read back: %v", err)
		}
	})
}
