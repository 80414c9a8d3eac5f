package verify_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/cap"
	"github.com/proxybd/proxybd/families/mcndp"
	"github.com/proxybd/proxybd/families/mpsmodel"
	"github.com/proxybd/proxybd/families/netdes"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/families/ufl"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/record"
)

// honest is a record of a run, line by line.
type honest struct {
	name, family string
	lines        []line
}

// honestRecords are small records of all families: of generated instances, of one without a feasible design, of runs
// that were stopped, and of random two-stage models.
func honestRecords(tb testing.TB) (out []honest) {
	add := func(in families.Instance, method decompose.Method, nodes int) {
		if in == nil {
			return
		}
		if text := recordOf(tb, in, method, nodes); text != nil {
			out = append(out, honest{fmt.Sprintf("%s %s %s %d", in.Label().Family, in.Label().Name, method, nodes), in.Label().Family, parseLines(text)})
		}
	}
	for seed := range uint64(4) {
		for _, c := range []struct {
			family families.Family
			class  string
		}{{ufl.Family, "4x3"}, {cap.Family, "3x3:1.5"}, {mcndp.Family, "3x5x2"}, {netdes.Family, "3x3-H"}} {
			in, err := c.family.Generate(c.class, seed)
			if err != nil {
				tb.Fatal(err)
			}
			add(in, decompose.Exact, math.MaxInt)
			if seed == 0 {
				add(in, decompose.Aggregated, math.MaxInt)
				add(in, decompose.Exact, 1)
			}
		}
	}
	random, err := mcndp.Family.Generate("3x4x1:2", 2)
	if err != nil {
		tb.Fatal(err)
	}
	add(random, decompose.Exact, math.MaxInt)
	add(read(tb, cap.Family, "none.txt", []byte("2 2\n3 5\n2 6\n4 1 2\n3 2 1\n"), ""), decompose.Exact, math.MaxInt)
	for k, text := range networks {
		for _, method := range decompose.Methods[:2] {
			add(read(tb, netdes.Family, fmt.Sprintf("n%d.dat", k), []byte(text), ""), method, math.MaxInt)
		}
	}
	rng := rand.New(rand.NewPCG(13, 4))
	for k := range 120 {
		var b bytes.Buffer
		m := randomModel(rng)
		switch {
		case k >= 110:
			m = freeModel(rng)
		case k >= 60: // a column without bounds: weights are fractions
			m.Cols[0].Integer, m.Cols[0].Lower, m.Cols[0].Upper = k < 90, math.Inf(-1), math.Inf(1)
		}
		if err := mps.Write(&b, m); err != nil {
			tb.Fatal(err)
		}
		add(read(tb, mpsmodel.Family, fmt.Sprintf("m%d.mps", k), b.Bytes(), "y*"), decompose.Methods[k%2], math.MaxInt)
	}
	return out
}

// networks are such that of the three arcs from a node to the others any two suffice in all scenarios, which no scenario
// says alone; and one with numbers that are no integers.
var networks = []string{"+\n4\n1\n1\n0,1,1,1;0,0,0,1;0,0,0,1;0,0,0,0\n0,9,8,7;0,0,0,1;0,0,0,2;0,0,0,0\n2\n0.5,0.5\n--Scenarios--\n" +
	"0,1,2,3;0,0,0,1;0,0,0,1;0,0,0,0\n0,9,5,5;0,0,0,9;0,0,0,9;0,0,0,0\n9,0,0,-9\n--- 0\n" +
	"0,3,2,1;0,0,0,1;0,0,0,1;0,0,0,0\n0,5,9,5;0,0,0,9;0,0,0,9;0,0,0,0\n9,0,0,-9\n--- 1\n",
	"+\n3\n1\n1\n0,1,1;0,0,1;1,0,0\n0,9.1,8.3;0,0,1.7;2.3,0,0\n2\n0.3,0.7\n--Scenarios--\n" +
		"0,1.1,2.3;0,0,0.1;1,0,0\n0,2.7,1.9;0,0,2.4;3,0,0\n2.5,-0.75,-1.75\n--- 0\n" +
		"0,0.3,2.9;0,0,1.7;1,0,0\n0,3.1,1.3;0,0,2.2;3,0,0\n2.5,0,-2.5\n--- 1\n"}

// read reads an instance from a text, nil where it is none.
func read(tb testing.TB, f families.Family, name string, text []byte, first string) families.Instance {
	path := filepath.Join(tb.TempDir(), name)
	if err := os.WriteFile(path, text, 0o666); err != nil {
		tb.Fatal(err)
	}
	in, err := f.Read(path, families.ReadOptions{Set: map[string]string{"first-stage": first}})
	if err != nil {
		return nil
	}
	return in
}

// recordOf records a run; nil where the run cannot be recorded.
func recordOf(tb testing.TB, in families.Instance, method decompose.Method, nodes int) []byte {
	o := decompose.DefaultOptions()
	o.Method, o.Benders.MaxNodes = method, nodes
	_, rec, err := pipeline.Record(tb.Context(), in, o)
	if err != nil || rec == nil {
		return nil
	}
	var b bytes.Buffer
	if err := record.Encode(&b, rec); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// freeModel has a slope that is a fraction on a column without bounds: x = (3y - 10)/5 and x - y <= 6, so y >= -20, and
// the like.
func freeModel(rng *rand.Rand) *lp.Model {
	m := &lp.Model{Name: "free"}
	y := lp.Col{Name: "y", Integer: rng.IntN(2) == 0, Lower: math.Inf(-1), Upper: math.Inf(1)}
	x := y
	x.Name, x.Integer, x.Cost = "x", false, float64(1+rng.IntN(6))
	m.AddCol(y)
	m.AddCol(x)
	side := float64(rng.IntN(30))
	m.AddRow(lp.Row{Lower: side, Upper: side}, []int32{0, 1}, []float64{float64(1 + rng.IntN(4)), -5})
	m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: 6}, []int32{0, 1}, []float64{-1, 1})
	return m
}

// randomModel has small whole numbers, first-stage columns y of both kinds, and recourse columns x with every kind of
// bounds and rows.
func randomModel(rng *rand.Rand) *lp.Model {
	m := &lp.Model{Name: "random"}
	n, r := 1+rng.IntN(3), 2+rng.IntN(3)
	for j := range n {
		c := lp.Col{Name: fmt.Sprintf("y%d", j), Cost: float64(rng.IntN(9) - 2), Upper: float64(1 + rng.IntN(3)), Integer: j == 0 || rng.IntN(3) > 0}
		if rng.IntN(4) == 0 {
			c.Lower, c.Upper = c.Lower-1.5, c.Upper+0.5
		}
		m.AddCol(c)
	}
	for j := range r {
		c := lp.Col{Name: fmt.Sprintf("x%d", j), Cost: float64(1 + rng.IntN(6)), Upper: math.Inf(1)}
		switch rng.IntN(4) {
		case 0:
			c.Upper = float64(2 + rng.IntN(5))
		case 1:
			c.Cost, c.Lower, c.Upper = float64(rng.IntN(5)-2), -2, 3
		}
		m.AddCol(c)
	}
	for i := range 2 + rng.IntN(3) {
		row := lp.Row{Name: fmt.Sprintf("r%d", i), Lower: float64(rng.IntN(7) - 1), Upper: math.Inf(1)}
		switch rng.IntN(5) {
		case 0:
			row.Upper = row.Lower
		case 1:
			row.Upper = row.Lower + 2
		case 2:
			row.Lower, row.Upper = math.Inf(-1), row.Lower+3
		}
		var index []int32
		var value []float64
		for j := range n + r {
			if v := rng.IntN(7) - 2; v != 0 && rng.IntN(3) > 0 && (i > 0 || j < n || j == n) {
				index, value = append(index, int32(j)), append(value, float64(v))
			}
		}
		m.AddRow(row, index, value)
	}
	return m
}
