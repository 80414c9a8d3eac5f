package mcndp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/internal/fields"
)

const tiny = `MULTIGEN.DAT:
3 4 2
1 2 10 5 100 1 1
2 3 11 6 90 1 2
3 1 2.5 7 80 1 3
1 3 40 8 70 1 4
1 3 4
2 1 1.5
`

// Decode reads a network from any reader.
func Decode(r io.Reader, path string) (*Instance, error) {
	s, err := fields.New(r, path, name, errFormat)
	if err != nil {
		return nil, err
	}
	in, err := decodeNetwork(s, path)
	if err != nil {
		return nil, err
	}
	return in, s.End("the last demand")
}

// TestDecode reads a small file field by field.
func TestDecode(t *testing.T) {
	in, err := Decode(strings.NewReader(tiny), "tiny")
	if err != nil {
		t.Fatal(err)
	}
	want := &Instance{Name: "tiny", Nodes: 3, Tail: []int32{0, 1, 2, 0}, Head: []int32{1, 2, 0, 2}, Cost: []float64{10, 11, 2.5, 40},
		Capacity: []float64{5, 6, 7, 8}, Fixed: []float64{100, 90, 80, 70}, Origin: []int32{0, 1}, Destination: []int32{2, 0}, Demand: []float64{4, 1.5}}
	if in.Hash() != want.Hash() || !reflect.DeepEqual(in.Clone(), want) {
		t.Errorf("%+v", in.Clone())
	}
	want.Demand[1] = 2
	if in.Hash() == want.Hash() {
		t.Error("the hash does not see the demand")
	}
}

// TestDecodeErrors spoils the file in many places; the error names the line and field.
func TestDecodeErrors(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"MULTIGEN.DAT:", "FILE:", "line 1, field 1"},
		{"MULTIGEN.DAT:", "10 5", "MULTIGEN"},
		{"3 4 2", "0 4 2", "line 2, field 1"},
		{"3 4 2", "3 x 2", "line 2, field 2"},
		{"3 4 2", "3 4 99999999999", "line 2, field 3"},
		{"1 2 10", "1 4 10", "line 3, field 2"},
		{"1 2 10", "2 2 10", "line 3, field 2"},
		{"11 6 90", "-11 6 90", "line 4, field 3"},
		{"11 6 90", "11 NaN 90", "line 4, field 4"},
		{"70 1 4", "70 1 b", "line 6, field 7"},
		{"1 3 4\n", "1 3 0\n", "line 7, field 3"},
		{"2 1 1.5\n", "2 1\n", "the demand of commodity 2"},
		{"2 1 1.5\n", "2 1 1.5 7\n", "line 8, field 4"},
	} {
		_, err := Decode(strings.NewReader(strings.Replace(tiny, c.from, c.to, 1)), "tiny")
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "tiny") {
			t.Errorf("%q for %q: %v", c.to, c.from, err)
		}
		if !errors.Is(err, errFormat) && !errors.Is(err, families.ErrForeign) {
			t.Errorf("%v wraps no sentinel", err)
		}
	}
}

// TestRoundTrip writes and reads instances, plain and gzipped.
func TestRoundTrip(t *testing.T) {
	in, err := Family.Generate("r01.5", 7)
	if err != nil {
		t.Fatal(err)
	}
	v, raised, err := in.Perturb("variant", 0.5, 3)
	if err != nil || v.Hash() == in.Hash() || raised < 1 || v.Label().Name != "variant" || v.Label().Shape != "10x35x10" {
		t.Fatal(v, raised, err)
	}
	for _, name := range []string{"a.dow", "b.dow.gz"} {
		path := filepath.Join(t.TempDir(), name)
		if err := pipeline.Write(path, v); err != nil {
			t.Fatal(err)
		}
		back, err := Family.Read(path, families.ReadOptions{})
		if err != nil || back.Hash() != v.Hash() || back.Label().Name != name[:1] {
			t.Errorf("%s: %v, %v", name, back, err)
		}
	}
}

// TestPerturbRoutes perturbs a tight instance until capacities have to be raised; then they suffice, barely.
func TestPerturbRoutes(t *testing.T) {
	in, err := generate(context.Background(), class{Nodes: 6, Arcs: 12, Commodities: 8, FixedRatio: 0.05, Tightness: 2.2}, 2)
	if err != nil {
		t.Fatal(err)
	}
	some := false
	for seed := range uint64(12) {
		v, raised, err := perturb(in, 0.6, seed)
		if err != nil {
			t.Fatal(err)
		}
		load, err := congestionOf(context.Background(), v)
		if err != nil || load > 1 || raised > 1 && load < 1-1e-6 {
			t.Errorf("seed %d: congestion %g after raising by %g, %v", seed, load, raised, err)
		}
		some = some || raised > 1
		again, _, err := perturb(in, 0.6, seed)
		if err != nil || again.Hash() != v.Hash() {
			t.Errorf("seed %d: another variant the second time", seed)
		}
	}
	if !some {
		t.Error("no variant needed more capacity: the test shows nothing")
	}
}

// TestClasses makes an instance of each small class; names that are none are refused.
func TestClasses(t *testing.T) {
	for _, name := range []string{"r01.1", "r01.6", "r05.3", "10x35x50", "5x8x3"} {
		in, err := Family.Generate(name, 1)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again, err := Family.Generate(name, 1); err != nil || again.Hash() != in.Hash() {
			t.Errorf("%s: another instance the second time, %v", name, err)
		}
	}
	for _, name := range []string{"", "r1.1", "r19.1", "r01.0", "10x35", "2x1x1", "r01.7"} {
		if _, err := Family.Generate(name, 1); !errors.Is(err, families.ErrOptions) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// FuzzDecode feeds the reader anything: what it accepts is valid, and is read back as it was.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(tiny))
	f.Add([]byte("MULTIGEN.DAT: 2 1 1 1 2 0 0 0 0 0 2 1 1e-9"))
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := Decode(bytes.NewReader(data), "fuzz")
		if err != nil {
			return
		}
		if err := in.Validate(); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := in.Encode(&out); err != nil {
			t.Fatal(err)
		}
		back, err := Decode(&out, "fuzz")
		if err != nil || back.Hash() != in.Hash() {
			t.Fatalf("read back: %v", err)
		}
	})
}

// FuzzCertifier certifies anything on small instances; the cuts are proven in rationals.
func FuzzCertifier(f *testing.F) {
	f.Add(uint64(1), uint64(2), 1.0, 2.0)
	f.Add(uint64(3), uint64(5), 1e-30, 1e30)
	f.Fuzz(func(t *testing.T, shape, seed uint64, a, b float64) {
		in := random(shape % 1000)
		rng := randomSource(seed)
		for j := range in.Cost {
			in.Cost[j] = spread(in.Cost[j], a)
			in.Capacity[j] = spread(in.Capacity[j], b)
		}
		if in.Validate() != nil {
			return
		}
		heads := newTwoHeads(in)
		u := noise(rng, heads.Dim())
		u[0], u[len(u)-1] = a, b
		heads.Project(u)
		for kind, v := range [][]float64{u[:in.size()], u[in.size():]} {
			cut, err := heads.certifier.Cut(kindOf(kind), v)
			if err != nil {
				t.Fatal(err)
			}
			if err := check(in, &cut); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func randomSource(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 11)) }

func kindOf(k int) benders.Kind { return benders.Kind(k) }

// spread moves a number by orders of magnitude.
func spread(v, by float64) float64 {
	if by > 0 && by < 1e60 {
		return v * by
	}
	return v
}
