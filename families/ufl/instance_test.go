package ufl

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/location"
	"github.com/proxybd/proxybd/internal/outward"
)

const dataDir = "../../../shared/data/ufl"

// optima returns the published values by instance, or skips the test where the data is not there.
func optima(t testing.TB) map[string]float64 {
	t.Helper()
	f, err := os.Open(filepath.Join(dataDir, "OPTIMA.tsv"))
	if err != nil {
		t.Skip("no UflLib data")
	}
	defer f.Close()
	values := map[string]float64{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		field := strings.Split(sc.Text(), "\t")
		if len(field) > 1 && !strings.HasPrefix(field[0], "#") {
			v, err := strconv.ParseFloat(field[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			values[field[0]] = v
		}
	}
	return values
}

// load reads one instance of the library, or skips the test.
func load(t testing.TB, name string) *Instance {
	t.Helper()
	for _, dir := range []string{"m", "kg", "other"} {
		path := filepath.Join(dataDir, dir, name+".gz")
		if _, err := os.Stat(path); err == nil {
			in, err := Read(path)
			if err != nil {
				t.Fatal(err)
			}
			return in
		}
	}
	t.Skip("no UflLib data")
	return nil
}

// kinds of random instances, from tame to adversarial.
var kinds = []string{"uniform", "ties", "zeros", "forbidden", "magnitudes", "huge", "subnormal"}

func randomCost(rng *rand.Rand, kind string) float64 {
	switch kind {
	case "ties":
		return float64(rng.IntN(5))
	case "zeros":
		return float64(rng.IntN(2)) * rng.Float64()
	case "forbidden":
		if rng.IntN(3) == 0 {
			return 1e15
		}
		return 10 * rng.Float64()
	case "magnitudes":
		return rng.Float64() * math.Pow(10, float64(rng.IntN(30)-15))
	case "huge":
		return rng.Float64() * 1e306
	case "subnormal":
		return float64(rng.IntN(1000)) * math.SmallestNonzeroFloat64
	}
	return 100 * rng.Float64()
}

func randomInstance(rng *rand.Rand, n, m int, kind string) *Instance {
	in := &Instance{&location.Location{Name: kind, Facilities: n, Clients: m, Fixed: make([]float64, n), Cost: make([]float64, n*m)}}
	for j := range in.Fixed {
		in.Fixed[j] = 2 * randomCost(rng, kind)
	}
	for k := range in.Cost {
		in.Cost[k] = randomCost(rng, kind)
	}
	return in
}

// eachDesign calls f with every nonempty set of open facilities.
func eachDesign(n int, f func(open []int32)) {
	for mask := 1; mask < 1<<n; mask++ {
		var open []int32
		for j := range n {
			if mask>>j&1 == 1 {
				open = append(open, int32(j))
			}
		}
		f(open)
	}
}

func rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// exactTotal is f'y + Q(y) in rational arithmetic, straight from the definition.
func exactTotal(in *Instance, open []int32) *big.Rat {
	sum := new(big.Rat)
	for _, j := range open {
		sum.Add(sum, rat(in.Fixed[j]))
	}
	for i := range in.Clients {
		sum.Add(sum, rat(exactRecourse(in, i, open)))
	}
	return sum
}

func exactRecourse(in *Instance, i int, open []int32) float64 {
	best := math.Inf(1)
	for _, j := range open {
		if c := in.Cost[i*in.Facilities+int(j)]; c < best {
			best = c
		}
	}
	return best
}

// bruteForce returns the least exact total cost and all designs that have it.
func bruteForce(in *Instance) (*big.Rat, [][]int32) {
	var best *big.Rat
	var designs [][]int32
	eachDesign(in.Facilities, func(open []int32) {
		v := exactTotal(in, open)
		if best == nil || v.Cmp(best) < 0 {
			best, designs = v, nil
		}
		if v.Cmp(best) == 0 {
			designs = append(designs, open)
		}
	})
	return best, designs
}

func float(r *big.Rat) float64 {
	v, _ := r.Float64()
	return v
}

// seeds runs f on many small instances of every kind; a failure names the seed.
func seeds(t *testing.T, count int, f func(t *testing.T, rng *rand.Rand, in *Instance)) {
	t.Helper()
	for _, kind := range kinds {
		for seed := range uint64(count) {
			rng := rand.New(rand.NewPCG(seed, 7))
			in := randomInstance(rng, 1+rng.IntN(6), 1+rng.IntN(6), kind)
			if err := in.Validate(); err != nil {
				t.Fatal(err)
			}
			if !t.Run(fmt.Sprintf("%s/seed=%d", kind, seed), func(t *testing.T) { f(t, rng, in) }) {
				return
			}
		}
	}
}

func TestRecourseAndTotalCostAreExact(t *testing.T) {
	seeds(t, 8, func(t *testing.T, rng *rand.Rand, in *Instance) {
		q := make([]float64, in.Clients)
		eachDesign(in.Facilities, func(open []int32) {
			if !in.recourse(in.Design(open), q) {
				t.Fatal("a design with an open facility has no recourse")
			}
			for i, v := range q {
				if v != exactRecourse(in, i, open) {
					t.Fatalf("Q_%d of %v is %g, want %g", i, open, v, exactRecourse(in, i, open))
				}
			}
			want := float(exactTotal(in, open))
			if got := in.TotalCost(open); !(math.Abs(got-want) <= 2*outward.Ulp(want)) {
				t.Fatalf("cost of %v is %g, want %g", open, got, want)
			}
		})
	})
	in := randomInstance(rand.New(rand.NewPCG(1, 1)), 3, 2, "uniform")
	if in.recourse(make([]float64, 3), make([]float64, 2)) || !math.IsInf(in.TotalCost(nil), 1) {
		t.Error("the empty design has a recourse")
	}
}

func TestValidate(t *testing.T) {
	valid := func() *Instance {
		return &Instance{&location.Location{Facilities: 2, Clients: 1, Fixed: []float64{1, 2}, Cost: []float64{3, 4}}}
	}
	if err := valid().Validate(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(in *Instance){
		"no facility":      func(in *Instance) { in.Facilities, in.Fixed, in.Cost = 0, nil, nil },
		"no client":        func(in *Instance) { in.Clients, in.Cost = 0, nil },
		"short fixed":      func(in *Instance) { in.Fixed = in.Fixed[:1] },
		"short cost":       func(in *Instance) { in.Cost = in.Cost[:1] },
		"long cost":        func(in *Instance) { in.Cost = append(in.Cost, 1) },
		"negative fixed":   func(in *Instance) { in.Fixed[1] = -1 },
		"negative cost":    func(in *Instance) { in.Cost[0] = -1e-300 },
		"NaN":              func(in *Instance) { in.Cost[1] = math.NaN() },
		"infinite":         func(in *Instance) { in.Fixed[0] = math.Inf(1) },
		"sum overflows":    func(in *Instance) { in.Fixed[0], in.Fixed[1] = math.MaxFloat64, math.MaxFloat64 },
		"too many clients": func(in *Instance) { in.Clients = math.MaxInt },
	} {
		in := valid()
		spoil(in)
		if err := in.Validate(); !errors.Is(err, instance.ErrInstance) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestHash(t *testing.T) {
	in := randomInstance(rand.New(rand.NewPCG(3, 3)), 4, 500, "uniform")
	same := in.Clone()
	same.Name = "another"
	if in.Hash() != same.Hash() || len(in.Hash()) != 64 {
		t.Error("the name enters the hash, or it is no SHA-256")
	}
	seen := map[string]bool{in.Hash(): true}
	for k := 0; k < len(in.Cost); k += 97 {
		c := in.Clone()
		c.Cost[k] = math.Nextafter(c.Cost[k], 1e9)
		seen[c.Hash()] = true
	}
	turned := in.Clone()
	turned.Facilities, turned.Clients = 500, 4
	seen[turned.Hash()] = true
	if len(seen) != 2+(len(in.Cost)+96)/97 {
		t.Errorf("%d distinct hashes", len(seen))
	}
	zero, minus := in.Clone(), in.Clone()
	zero.Cost[0], minus.Cost[0] = 0, math.Copysign(0, -1)
	if zero.Hash() != minus.Hash() {
		t.Error("0 and -0 hash differently")
	}
}

func TestSortedRows(t *testing.T) {
	seeds(t, 4, func(t *testing.T, rng *rand.Rand, in *Instance) {
		s := in.Ranked()
		for i := range in.Clients {
			order, cost := s.Row(i)
			seen := make([]bool, in.Facilities)
			for k, j := range order {
				seen[j] = true
				if cost[k] != in.Row(i)[j] || k > 0 && (cost[k-1] > cost[k] || cost[k-1] == cost[k] && order[k-1] > j) {
					t.Fatalf("row %d is not sorted at %d: %v %v", i, k, order, cost)
				}
			}
			for j, ok := range seen {
				if !ok {
					t.Fatalf("facility %d is missing", j)
				}
			}
		}
	})
}
