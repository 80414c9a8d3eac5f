package cap

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/location"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/internal/fields"
	"github.com/proxybd/proxybd/internal/outward"
)

func same(a, b *Instance) bool {
	return a.Facilities == b.Facilities && a.Clients == b.Clients && slices.Equal(a.Capacity, b.Capacity) &&
		slices.Equal(a.Fixed, b.Fixed) && slices.Equal(a.Demand, b.Demand) && slices.Equal(a.Cost, b.Cost)
}

// TestDecode reads a file whose lines wrap.
// decodeFrom is decode of a text.
func decodeFrom(r io.Reader, path string, capacity float64) (*Instance, error) {
	s, err := fields.New(r, path, name, errFormat)
	if err != nil {
		return nil, err
	}
	return decode(s, path, capacity)
}

func TestDecode(t *testing.T) {
	in, err := decodeFrom(strings.NewReader(" 2 3 \r\n 5 1.5 \n 7 0.\n 4\n 1 2\n 3\n .5\n 6e1 1 8 9"), "tiny", 0)
	if err != nil {
		t.Fatal(err)
	}
	want := &Instance{&location.Location{Facilities: 2, Clients: 3, Capacity: []float64{5, 7}, Fixed: []float64{1.5, 0},
		Demand: []float64{4, 3, 1}, Cost: []float64{1, 2, 0.5, 60, 8, 9}}}
	if !same(in, want) || in.Name != "tiny" {
		t.Errorf("%+v", in)
	}
	for j := range 2 {
		for i, v := range in.Column(j) {
			if v != in.Row(i)[j] {
				t.Errorf("column %d, client %d: %v", j, i, v)
			}
		}
	}
}

// TestDecodeCapacity fills the word capacity.
func TestDecodeCapacity(t *testing.T) {
	const text = "2 1\ncapacity 5\n3 7\n2 1 1\n"
	in, err := decodeFrom(strings.NewReader(text), "capx", 8000)
	if err != nil || !slices.Equal(in.Capacity, []float64{8000, 3}) || in.Name != "capx_8000" {
		t.Errorf("%+v, %v", in, err)
	}
	if _, err := decodeFrom(strings.NewReader(text), "capx", 0); !errors.Is(err, openCapacity) || !strings.Contains(err.Error(), "capx: line 2, field 1") {
		t.Errorf("without a capacity: %v", err)
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := decodeFrom(strings.NewReader(text), "capx", bad); !errors.Is(err, instance.ErrInstance) {
			t.Errorf("capacity %v: %v", bad, err)
		}
	}
}

// TestDecodeErrors checks that every error names the place.
func TestDecodeErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "the file is empty"},
		{"x", "line 1, field 1: not an OR-Library cap file: want the number of facilities"},
		{"0 1", "want the number of facilities"},
		{"1 99999999999", "want the number of clients"},
		{"1", "the file ends before the number of clients"},
		{"1 1\n\n-5 1\n1 1", "line 3, field 1: not an OR-Library cap file: the capacity of facility 1 is negative"},
		{"1 1\n5 -1\n1 1", "line 2, field 2: not an OR-Library cap file: the fixed cost of facility 1 is negative"},
		{"1 1\n5 1\nNaN 1", "line 3, field 1: not an OR-Library cap file: want the demand of client 1"},
		{"2 1\n5 1\n5 1\n1 1", "the file ends before the cost of client 1 at facility 2"},
		{"1 1\n5 1\n1 1 1", "text after the last cost"},
		{"1 1\n5 1\n1 1e200", "the costs add up to"},
		{"1 1\n5 1\n1 0x10", "want the cost of client 1 at facility 1"},
	} {
		if _, err := decodeFrom(strings.NewReader(c.text), "f", 0); !errors.Is(err, errFormat) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "cap: f: ") {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
	for _, text := range []string{"2 1\n0 1\n0 1\n1 1 1\n", "FILE: x\n1 1 0\n1 2 3\n"} {
		if _, err := decodeFrom(strings.NewReader(text), "f", 0); !errors.Is(err, errUncapacitated) || errors.Is(err, errFormat) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestReadWrite writes random instances, plain and gzipped, and reads the same back.
func TestReadWrite(t *testing.T) {
	dir := t.TempDir()
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 41))
		in := randomInstance(rng, 1+rng.IntN(12), 1+rng.IntN(5))
		in.Capacity[0]++
		path := filepath.Join(dir, []string{"a.txt", "a.txt.gz"}[seed%2])
		if err := pipeline.Write(path, in); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		back, err := read(path, 0)
		if err != nil || !same(in, back) || back.Name != "a" || in.Hash() != back.Hash() {
			t.Fatalf("seed %d: %+v became %+v, %v", seed, in, back, err)
		}
	}
	none := randomInstance(rand.New(rand.NewPCG(1, 41)), 2, 2)
	clear(none.Capacity)
	if err := pipeline.Write(filepath.Join(dir, "none"), none); !errors.Is(err, instance.ErrInstance) {
		t.Errorf("without capacities: %v", err)
	}
	if _, err := read(filepath.Join(dir, "nowhere"), 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := read(dir, 0); !errors.Is(err, errFormat) {
		t.Errorf("folder: %v", err)
	}
	cut := filepath.Join(dir, "cut.gz")
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := errors.Join(randomInstance(rand.New(rand.NewPCG(3, 41)), 9, 9).Encode(z), z.Close(), os.WriteFile(cut, b.Bytes()[:b.Len()-12], 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := read(cut, 0); !errors.Is(err, errFormat) {
		t.Errorf("cut gzip: %v", err)
	}
}

// TestReadLibrary reads the public files.
func TestReadLibrary(t *testing.T) {
	names, _ := optima(t)
	for _, name := range names {
		in := readNamed(t, name)
		n, m := 16, 50
		switch {
		case strings.Contains(name, "_"):
			n, m = 100, 1000
		case name >= "cap81" && name <= "cap93", strings.HasPrefix(name, "cap10"):
			n = 25
		case strings.HasPrefix(name, "cap11"), strings.HasPrefix(name, "cap12"), strings.HasPrefix(name, "cap13"):
			n = 50
		}
		if in.Facilities != n || in.Clients != m {
			t.Errorf("%s: %d facilities and %d clients, want %d and %d", name, in.Facilities, in.Clients, n, m)
		}
	}
}

// TestGenerate checks ratio, shape and determinism.
func TestGenerate(t *testing.T) {
	for _, ratio := range []float64{1, 1.5, 10} {
		in, err := generate(class{Facilities: 20, Clients: 30, Ratio: ratio}, 7)
		if err != nil {
			t.Fatal(err)
		}
		if got := outward.Total(in.Capacity) / in.TotalDemand(); got < ratio || got > ratio*1.1 {
			t.Errorf("ratio %v: %v", ratio, got)
		}
		again, _ := generate(class{Facilities: 20, Clients: 30, Ratio: ratio}, 7)
		other, _ := generate(class{Facilities: 20, Clients: 30, Ratio: ratio}, 8)
		if in.Hash() != again.Hash() || in.Hash() == other.Hash() {
			t.Error("the seed does not decide")
		}
	}
	for _, c := range []class{{0, 1, 2}, {1, 0, 2}, {1, 1, 0.5}, {1, 1, math.NaN()}} {
		if _, err := generate(c, 1); !errors.Is(err, errClass) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestPerturb checks that zeros stay, that the base is left alone, and that capacities that fall short are raised
// by the one factor that is reported.
func TestPerturb(t *testing.T) {
	base, err := generate(class{Facilities: 10, Clients: 20, Ratio: 1}, 3)
	if err != nil {
		t.Fatal(err)
	}
	base.Fixed[4] = 0
	before, raised := base.Hash(), 0
	for seed := range uint64(20) {
		v, factor, err := perturb(base, 0.3, seed)
		if err != nil {
			t.Fatal(err)
		}
		if v.Fixed[4] != 0 || !slices.Equal(v.Demand, base.Demand) || slices.Equal(v.Cost, base.Cost) || v.Name == base.Name {
			t.Errorf("seed %d: %+v", seed, v)
		}
		if !v.feasible(slices.Repeat([]float64{1}, 10)) || factor < 1 {
			t.Errorf("seed %d: factor %v, capacity %v of %v", seed, factor, outward.Total(v.Capacity), v.TotalDemand())
		}
		if factor > 1 {
			raised++
			if total := outward.Total(v.Capacity); total > v.TotalDemand()*(1+1e-6) {
				t.Errorf("seed %d: raised by %v, more than needed: %v of %v", seed, factor, total, v.TotalDemand())
			}
		}
	}
	if base.Hash() != before || raised == 0 || raised == 20 {
		t.Errorf("base changed %v, %d of 20 variants raised", base.Hash() != before, raised)
	}
	same, factor, err := perturb(base, 0, 1)
	if err != nil || factor != 1 || same.Hash() != before {
		t.Errorf("sigma 0: factor %v, %v", factor, err)
	}
	if _, _, err := perturb(base, math.NaN(), 1); !errors.Is(err, families.ErrOptions) {
		t.Errorf("NaN sigma: %v", err)
	}
}

// FuzzDecode feeds the reader anything: what it accepts is valid and survives a round trip.
func FuzzDecode(f *testing.F) {
	f.Add("2 1\n10 5\n10 5\n3 1 2\n", 0.0)
	f.Add("2 1\ncapacity 5\n3 7\n2 1 1\n", 8000.0)
	f.Add("1 1\n1e-320 1e99\n5e-324 1e99\n", 0.0)
	f.Add("FILE: x\n1 1 0\n1 2 3\n", 1.0)
	f.Add("\x1f\x8b", 1.0)
	f.Fuzz(func(t *testing.T, text string, capacity float64) {
		in, err := decodeFrom(strings.NewReader(text), "fuzz", capacity)
		if err != nil {
			return
		}
		if err := in.Validate(); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := in.Encode(&b); err != nil {
			t.Fatal(err)
		}
		back, err := decodeFrom(&b, "back", 0)
		if err != nil || back.Hash() != in.Hash() {
			t.Fatalf("%+v became %+v: %v", in, back, err)
		}
	})
}
