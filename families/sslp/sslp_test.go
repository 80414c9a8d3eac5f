package sslp_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/families/sslp"
	"github.com/proxybd/proxybd/lp"
)

// enumerate returns the least cost over all placements, with the assignments of every scenario enumerated too.
func enumerate(d *sslp.Data) float64 {
	best := math.Inf(1)
	for open := range 1 << d.Servers {
		cost, count := 0.0, 0
		for j, c := range d.Fixed {
			if open>>j&1 == 1 {
				cost += c
				count++
			}
		}
		if d.Most > 0 && count > d.Most {
			continue
		}
		for _, present := range d.Present {
			cost += assign(d, open, present, 0, make([]float64, d.Servers)) / float64(d.Scenarios)
		}
		best = min(best, cost)
	}
	return best
}

// assign returns the least cost of the clients from number i on, given the load of the servers.
func assign(d *sslp.Data, open int, present []float64, i int, load []float64) float64 {
	if i == d.Clients {
		cost := 0.0
		for j, v := range load {
			capacity := d.Capacity[j] * float64(open>>j&1)
			cost += d.Overflow[j] * max(0, v-capacity)
		}
		return cost
	}
	if present[i] == 0 {
		return assign(d, open, present, i+1, load)
	}
	best := math.Inf(1)
	for j := range load {
		load[j] += d.Demand[i][j]
		best = min(best, assign(d, open, present, i+1, load)-d.Revenue[i][j])
		load[j] -= d.Demand[i][j]
	}
	return best
}

// TestOptimaAreThoseOfEnumeration solves small instances and compares with all placements and assignments.
func TestOptimaAreThoseOfEnumeration(t *testing.T) {
	for seed := range uint64(12) {
		in, err := sslp.Generate("3x6:3", seed)
		if err != nil {
			t.Fatal(err)
		}
		d := *in.Data
		d.Most = int(seed % 3)
		for j := range d.Overflow {
			d.Overflow[j] = []float64{1000, 3}[seed%2] // with cheap overflow servers are overloaded
		}
		if in, err = sslp.New("p", &d); err != nil {
			t.Fatal(err)
		}
		o := decompose.DefaultOptions()
		o.Benders.Gap = 1e-7
		got, err := pipeline.Solve(t.Context(), in, o)
		if want := enumerate(&d); err != nil || got.Status != lp.Optimal || !(math.Abs(got.Objective-want) <= 1e-6*math.Abs(want)) {
			t.Errorf("seed %d: %v %v, %v; want %v", seed, got.Status, got.Objective, err, want)
		}

		// The tables show a recourse of that cost.
		s, err := pipeline.Explain(t.Context(), in, got.Design)
		if err != nil || !(math.Abs(s.First+s.Recourse-got.Objective) <= 1e-6*math.Abs(got.Objective)) {
			t.Errorf("seed %d: the solution costs %v, %v", seed, s, err)
		}
	}
}

const small = `{"n_servers":1,"n_clients":2,"n_scenarios":1,"max_servers":0,
"capacities":[5],"fixed_costs":[3],"overflow_costs":[9],
"demands":[[1],[2]],"revenues":[[4],[5]],"present":[[1,0]]}`

// TestBadFilesAreRefused checks that every fault is named with its place.
func TestBadFilesAreRefused(t *testing.T) {
	if _, err := sslp.Decode(strings.NewReader(small), "f"); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{
		{`"capacities":[5]`, `"capacities":["5"]`, "line 2: json: cannot unmarshal string into Go struct field Data.capacities"},
		{`"capacities":[5],`, ``, "capacities: 0 numbers in row 1, not 1"},
		{`[[1,0]]`, `[[1,0.5]]`, "present: number 2 of row 1 is 0.5"},
		{`[[1],[2]]`, `[[1],[-2]]`, "demands: number 1 of row 2 is -2"},
		{`"n_clients":2`, `"n_clients":0`, "1 servers, 0 clients"},
		{`"max_servers":0`, `"max_servers":-1`, "max_servers: -1"},
		{`[[1,0]]}`, `[[1,0]]`, "line 3: unexpected EOF"},
		{`[[1,0]]}`, `[[1,0]]}}`, "line 3: text after the object"},
		{`"present"`, `"pressent"`, `unknown field "pressent"`},
	} {
		_, err := sslp.Decode(strings.NewReader(strings.Replace(small, c[0], c[1], 1)), "f")
		if !errors.Is(err, instance.ErrFormat) || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%q for %q: %v, want %q", c[1], c[0], err, c[2])
		}
	}
	for _, other := range []string{"no data\n", `{"n_facilities":1}`} {
		if _, err := sslp.Decode(strings.NewReader(other), "f"); !errors.Is(err, families.ErrForeign) {
			t.Errorf("another file: %v", err)
		}
	}
}

// FuzzDecode reads files of any content: an error, or data that is written and read back as the same.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(small))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := sslp.Decode(bytes.NewReader(data), "f")
		if err != nil {
			return
		}
		in, err := sslp.New("f", d)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := in.Encode(&text); err != nil {
			t.Fatal(err)
		}
		again, err := sslp.Decode(&text, "f")
		if err != nil {
			t.Fatal(err)
		}
		if back, err := sslp.New("f", again); err != nil || back.Hash() != in.Hash() {
			t.Errorf("the instance changed: %v", err)
		}
	})
}
