package ufl

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/location"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/internal/fields"
)

// Decode reads an instance from any reader.
func Decode(r io.Reader, path string) (*Instance, error) {
	s, err := fields.New(r, path, name, errFormat)
	if err != nil {
		return nil, err
	}
	return decode(s, path, path)
}

func equal(a, b *Instance) bool {
	return a.Facilities == b.Facilities && a.Clients == b.Clients && slices.Equal(a.Fixed, b.Fixed) && slices.Equal(a.Cost, b.Cost)
}

// fileLayout is one of the two file layouts of UflLib; see Decode.
type fileLayout uint8

const (
	simple    fileLayout = iota // Koerkel-Ghosh and most other classes
	orLibrary                   // the M class; it has no place for the name
)

func encode(t testing.TB, in *Instance, layout fileLayout) []byte {
	t.Helper()
	var b bytes.Buffer
	if layout == orLibrary {
		encodeORLibrary(&b, in)
		return b.Bytes()
	}
	if err := in.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func encodeORLibrary(w *bytes.Buffer, in *Instance) {
	const perLine = 8
	fmt.Fprintf(w, "%d %d\n", in.Facilities, in.Clients)
	for _, f := range in.Fixed {
		w.WriteString("0 ")
		w.WriteString(strconv.FormatFloat(f, 'g', -1, 64))
		w.WriteByte('\n')
	}
	for i := range in.Clients {
		w.WriteString("0\n")
		for j, c := range in.Row(i) {
			w.WriteString(strconv.FormatFloat(c, 'g', -1, 64))
			if (j+1)%perLine == 0 || j+1 == in.Facilities {
				w.WriteByte('\n')
			} else {
				w.WriteByte(' ')
			}
		}
	}
}

func TestRoundTripIsExact(t *testing.T) {
	seeds(t, 4, func(t *testing.T, rng *rand.Rand, in *Instance) {
		for _, layout := range []fileLayout{simple, orLibrary} {
			got, err := Decode(bytes.NewReader(encode(t, in, layout)), "there")
			if err != nil {
				t.Fatal(err)
			}
			if !equal(in, got) {
				t.Fatalf("layout %d: %+v became %+v", layout, in, got)
			}
			if want := map[fileLayout]string{simple: in.Name, orLibrary: "there"}[layout]; got.Name != want {
				t.Fatalf("the name is %q, want %q", got.Name, want)
			}
		}
	})
}

func TestWriteAndReadFiles(t *testing.T) {
	dir := t.TempDir()
	in := randomInstance(rand.New(rand.NewPCG(5, 5)), 30, 20, "uniform")
	for _, name := range []string{"plain.txt", "packed.gz"} {
		for _, layout := range []fileLayout{simple, orLibrary} {
			path := filepath.Join(dir, name)
			err := instance.WriteFile(path, func(w io.Writer) error {
				_, err := w.Write(encode(t, in, layout))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			got, err := Read(path)
			if err != nil || !equal(in, got) {
				t.Fatalf("%s: %v", name, err)
			}
			if layout == orLibrary && got.Name != strings.TrimSuffix(name, ".gz") {
				t.Errorf("the name is %q", got.Name)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if packed := data[0] == 0x1f; packed != strings.HasSuffix(name, ".gz") {
				t.Errorf("%s: packed is %v", name, packed)
			}
		}
	}
	if err := pipeline.Write(filepath.Join(dir, "none", "x"), in); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("writing into a missing directory: %v", err)
	}
	in.Name = "two\nlines"
	if err := in.Encode(new(bytes.Buffer)); !errors.Is(err, instance.ErrInstance) {
		t.Errorf("a name with a line break: %v", err)
	}
}

// small is 2 facilities and 3 clients, once in each layout.
const (
	smallSimple = "FILE: small one\n2 3 0\n1 10 1 2 3\n2 20 4.5 5e0 1000000000\n"
	smallCap    = "2 3\n0 10\n0 20.\n7\n1 4.5\n8 2 5\n9\n3\n+1e9\n"
)

func TestDecodeSmall(t *testing.T) {
	want := &Instance{&location.Location{Facilities: 2, Clients: 3, Fixed: []float64{10, 20}, Cost: []float64{1, 4.5, 2, 5, 3, 1e9}}}
	for _, text := range []string{smallSimple, smallCap, strings.ReplaceAll(smallSimple, "\n", "\r\n"), "\n " + smallCap, strings.TrimSpace(smallSimple)} {
		in, err := Decode(strings.NewReader(text), "x")
		if err != nil || !equal(in, want) {
			t.Errorf("%q: %v %+v", text, err, in)
		}
	}
	in, err := Decode(strings.NewReader(smallSimple), "x")
	if err != nil || in.Name != "small one" {
		t.Errorf("the name: %v %q", err, in.Name)
	}
	if in, err = Decode(strings.NewReader(strings.Replace(smallSimple, " small one", "", 1)), "x"); err != nil || in.Name != "x" {
		t.Errorf("without a name: %v", err)
	}
}

func TestDecodeErrors(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(strings.Repeat(smallSimple, 1))); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	half := packed.String()[:packed.Len()-9]
	tests := []struct {
		name, text string
		sentinel   error
		want       string // part of the message
	}{
		{"empty", "", errFormat, "empty"},
		{"blank", " \n\n", errFormat, "empty"},
		{"prose", "hello world", errFormat, "line 1, field 1"},
		{"no sizes", "FILE: x\n", errFormat, "ends before the number of facilities"},
		{"one size", "2", errFormat, "ends before the number of clients"},
		{"zero size", "FILE: x\n0 3 0\n", errFormat, "line 2, field 1"},
		{"negative size", "2 -3\n", errFormat, "line 1, field 2"},
		{"no zero", "FILE: x\n2 3 1\n", errFormat, "line 2, field 3"},
		{"fraction size", "2 3.5\n", errFormat, "line 1, field 2"},
		{"giant size", "2 99999999999999999999\n", errFormat, "line 1, field 2"},
		{"sizes without data", "60000000 60000000\n0 1\n", errFormat, "line 3, field 1"},
		{"wrong index", strings.Replace(smallSimple, "\n2 20", "\n3 20", 1), errFormat, "line 4, field 1"},
		{"one cost too few", strings.Replace(smallSimple, "1 2 3\n", "1 2\n", 1), errFormat, "line 4, field 2"},
		{"one cost too many", strings.Replace(smallSimple, "1 2 3\n", "1 2 3 4\n", 1), errFormat, "line 3, field 6"},
		{"truncated simple", smallSimple[:len(smallSimple)-12], errFormat, "ends before the cost of facility 2 for client 3"},
		{"truncated cap", smallCap[:len(smallCap)-5], errFormat, "ends before the cost of client 3 at facility 2"},
		{"trailing", smallSimple + "1\n", errFormat, "line 5, field 1"},
		{"trailing cap", smallCap + "x", errFormat, "text after the last cost"},
		{"text for number", strings.Replace(smallSimple, "4.5", "four", 1), errFormat, "line 4, field 3"},
		{"NaN", strings.Replace(smallSimple, "4.5", "NaN", 1), errFormat, `"NaN"`},
		{"Inf", strings.Replace(smallCap, "4.5", "Inf", 1), errFormat, "line 5, field 2"},
		{"hexadecimal", strings.Replace(smallCap, "4.5", "0x1p3", 1), errFormat, "line 5, field 2"},
		{"overflow", strings.Replace(smallCap, "4.5", "1e999", 1), errFormat, "line 5, field 2"},
		{"bare sign", strings.Replace(smallCap, "4.5", "-", 1), errFormat, "line 5, field 2"},
		{"negative cost", strings.Replace(smallCap, "4.5", "-4.5", 1), errFormat, "negative"},
		{"negative fixed", strings.Replace(smallSimple, "1 10", "1 -10", 1), errFormat, "fixed cost of facility 1 is negative"},
		{"negative capacity", strings.Replace(smallCap, "0 10", "-1 10", 1), errFormat, "capacity"},
		{"capacitated", strings.Replace(smallCap, "0 20", "58268 20", 1), errCapacitated, "line 3, field 1"},
		{"open capacity", strings.Replace(smallCap, "0 10", "capacity 10", 1), errCapacitated, "line 2, field 1"},
		{"sum overflows", "2 1\n0 1e308\n0 1e308\n1 1 1\n", errFormat, "beyond what sums in float64 can hold"},
		{"binary", "\x00\x01\x02\xff", errFormat, "line 1"},
		{"half of a gzip", half, errFormat, "gzip: the file is truncated"},
		{"gzip header only", "\x1f\x8b\x08", errFormat, "gzip: the file is truncated"},
		{"gzip and rubbish", packed.String() + "rubbish that is longer", errFormat, "gzip"},
	}
	for _, test := range tests {
		in, err := Decode(strings.NewReader(test.text), "dir/file.txt")
		if !errors.Is(err, test.sentinel) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "dir/file.txt") {
			t.Errorf("%s: want %q in the error, have %v (%v)", test.name, test.want, err, in)
		}
		if errors.Is(err, errCapacitated) != (test.sentinel == errCapacitated) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if _, err := Read(t.TempDir()); !errors.Is(err, errFormat) || !strings.Contains(err.Error(), "directory") {
		t.Errorf("a directory: %v", err)
	}
	if _, err := Read(filepath.Join(t.TempDir(), "no")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// TestTruncation cuts both layouts after every byte: nothing but the whole may be read, except where what is
// cut off is the end of the last number or the line break after it.
func TestTruncation(t *testing.T) {
	for _, text := range []string{smallSimple, smallCap} {
		last := strings.LastIndexAny(strings.TrimSpace(text), " \n") + 1
		for k := range last {
			if _, err := Decode(strings.NewReader(text[:k]), "x"); !errors.Is(err, errFormat) {
				t.Errorf("%q: %v", text[:k], err)
			}
		}
	}
}

func TestReadTestdata(t *testing.T) {
	for _, test := range []struct {
		name  string
		class class
		hash  string // of the content; a change means that the generator, the readers or the hash changed
	}{
		{"tiny", customClass(5, 8), "aa1d5d0e638e2a3709a53c3e2876310e0b1f70ae066fb4c0f0d3e5994f5a527a"},
		{"small", customClass(30, 40), "4a8da67f71661713c8b7e18fe096ff5bc3d58bbc6acfe99493278adb7a9409f3"},
	} {
		made, err := generate(test.class, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, ending := range []string{".simple", ".cap.gz"} {
			in, err := Read(filepath.Join("testdata", test.name+ending))
			if err != nil {
				t.Fatal(err)
			}
			if in.Hash() != test.hash || !equal(in, made) {
				t.Errorf("%s%s: hash %s", test.name, ending, in.Hash())
			}
		}
	}
}

func TestReadLibrary(t *testing.T) {
	values := optima(t)
	read := 0
	for name := range values {
		in := load(t, name)
		if in.Facilities < 50 || in.Clients < 100 {
			t.Errorf("%s: %d facilities, %d clients", name, in.Facilities, in.Clients)
		}
		if strings.HasPrefix(name, "BildeKrarup") && (in.Facilities != 50 || in.Clients != 100) {
			t.Errorf("%s: %d facilities, %d clients", name, in.Facilities, in.Clients)
		}
		read++
	}
	if read != 61 && read != len(values) {
		t.Errorf("read %d of %d instances", read, len(values))
	}
	capacitated, err := filepath.Glob("../../../shared/data/cap/cap*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range capacitated {
		if _, err := Read(path); !errors.Is(err, errCapacitated) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(smallSimple))
	f.Add([]byte(smallCap))
	f.Add([]byte("FILE: \n1 1 0\n1 0 0"))
	f.Add([]byte("FILE: a\rb\n1 1 0\n1 0 0"))
	f.Add([]byte("1 1 capacity 5"))
	f.Add([]byte{0x1f, 0x8b, 8})
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := Decode(bytes.NewReader(data), "fuzz")
		if err != nil {
			if !errors.Is(err, errFormat) && !errors.Is(err, errCapacitated) {
				t.Fatalf("error without a sentinel: %v", err)
			}
			return
		}
		for _, layout := range []fileLayout{simple, orLibrary} {
			again, err := Decode(bytes.NewReader(encode(t, in, layout)), "fuzz")
			if err != nil || !equal(in, again) {
				t.Fatalf("layout %d: %v", layout, err)
			}
		}
	})
}

func TestGenerate(t *testing.T) {
	for _, c := range append(classes()[:3], customClass(7, 31), customClass(400, 10), customClass(1, 4)) {
		in, err := generate(c, 11)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := generate(c, 11)
		other, _ := generate(c, 12)
		if in.Hash() != again.Hash() || in.Hash() == other.Hash() {
			t.Errorf("%s: the seed does not decide the instance", c.Name)
		}
		checkFormula(t, c, in)
	}
	if c := customClass(500, 500); c.FixedLow != 100 || c.FixedHigh != 600 || c.UnitLow != 0.5 {
		t.Errorf("500 facilities: %+v", c)
	}
	if c := customClass(200, 200); c.FixedLow != 100 || c.FixedHigh != 600 || c.UnitLow != 2 {
		t.Errorf("200 facilities: %+v", c)
	}
	if c, err := classOf("MT"); err != nil || c.Facilities != 2000 || c.FixedHigh != 2400 {
		t.Errorf("MT: %+v %v", c, err)
	}
	if _, err := classOf("mo"); !errors.Is(err, errClass) {
		t.Error("an unknown class is accepted")
	}
	if _, err := generate(class{Facilities: 2, Clients: 2, UnitLow: 3, UnitHigh: 1}, 1); !errors.Is(err, errClass) {
		t.Error("an empty range is accepted")
	}
}

// checkFormula checks what the definition of the M class says of the costs, without the generator's code.
func checkFormula(t *testing.T, c class, in *Instance) {
	t.Helper()
	n := c.Facilities
	sums := make([]float64, n)
	for i := range c.Clients {
		low, high := math.Inf(1), 0.0
		for j, v := range in.Row(i) {
			sums[j] += v
			low, high = min(low, v), max(high, v)
		}
		fits := false
		for d := 1.0; d <= 5; d++ {
			fits = fits || low >= d*c.UnitLow && high <= d*c.UnitHigh
		}
		if !fits {
			t.Errorf("%s: no demand explains the costs [%g, %g] of client %d", c.Name, low, high, i)
		}
	}
	smin, smax := slices.Min(sums), slices.Max(sums)
	for j, f := range in.Fixed {
		want := c.FixedLow
		if smax > smin {
			want += (c.FixedHigh - c.FixedLow) * (smax - sums[j]) / (smax - smin)
		}
		if !(math.Abs(f-want) <= 1e-9*c.FixedHigh) {
			t.Errorf("%s: fixed cost %g of facility %d, want %g", c.Name, f, j, want)
		}
	}
}

// TestGenerateMatchesLibrary checks the formula on the real M instances: demands are not given, but the fixed
// costs follow from the column sums.
func TestGenerateMatchesLibrary(t *testing.T) {
	for _, name := range []string{"MO", "MP", "MQ", "MR"} {
		c, err := classOf(name)
		if err != nil {
			t.Fatal(err)
		}
		in := load(t, name+"1")
		sums := make([]float64, in.Facilities)
		for i := range in.Clients {
			for j, v := range in.Row(i) {
				sums[j] += v
			}
		}
		smin, smax := slices.Min(sums), slices.Max(sums)
		for j, f := range in.Fixed {
			want := c.FixedLow + (c.FixedHigh-c.FixedLow)*(smax-sums[j])/(smax-smin)
			if !(math.Abs(f-want) <= 2e-3*want) { // the files carry six digits
				t.Errorf("%s1: fixed cost %g of facility %d, want %g", name, f, j, want)
			}
		}
	}
}

func TestPerturb(t *testing.T) {
	in := randomInstance(rand.New(rand.NewPCG(9, 9)), 100, 200, "uniform")
	in.Cost[5] = 0
	out, err := perturb(in, 0.2, 4)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := perturb(in, 0.2, 4)
	if out.Hash() != again.Hash() || out.Cost[5] != 0 {
		t.Error("not reproducible, or a zero cost changed")
	}
	var sum, square, count float64
	for k, c := range in.Cost {
		if c > 0 {
			z := math.Log(out.Cost[k]/c) / 0.2
			sum, square, count = sum+z, square+z*z, count+1
		}
	}
	if mean, variance := sum/count, square/count; math.Abs(mean) > 0.03 || math.Abs(variance-1) > 0.05 {
		t.Errorf("the factors have mean %g and variance %g of the logarithm, want 0 and 1", mean, variance)
	}
	if same, err := perturb(in, 0, 4); err != nil || !equal(same, in) {
		t.Errorf("sigma 0 changes the instance: %v", err)
	}
	for _, sigma := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := perturb(in, sigma, 1); !errors.Is(err, families.ErrOptions) {
			t.Errorf("sigma %g: %v", sigma, err)
		}
	}
}
