package sparse

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// reference is a matrix as a map, for comparison.
type reference map[[2]int]float64

func (r reference) compare(t *testing.T, seed uint64, d *Dynamic) {
	t.Helper()
	count := 0
	for k := range d.Major() {
		index, value := d.Vec(k)
		for p, i := range index {
			if v, ok := r[[2]int{k, int(i)}]; !ok || v != value[p] {
				t.Fatalf("seed %d: entry (%d, %d) is %g, want %g (present %v)", seed, k, i, value[p], v, ok)
			}
			count++
		}
	}
	if count != len(r) || d.NNZ() != len(r) {
		t.Fatalf("seed %d: %d entries, NNZ %d, want %d", seed, count, d.NNZ(), len(r))
	}
}

// TestDynamic applies random changes to a Dynamic and to a map.
func TestDynamic(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 1))
		minor := 1 + rng.IntN(20)
		var entries []Triplet
		ref := reference{}
		for k := range 5 {
			for i := range minor {
				if rng.IntN(3) == 0 {
					v := rng.Float64()
					entries = append(entries, Triplet{int32(k), int32(i), v})
					ref[[2]int{k, i}] = v
				}
			}
		}
		a, err := Compress(5, minor, entries)
		if err != nil {
			t.Fatal(err)
		}
		d := NewDynamic(a)
		for range 200 {
			ref = changeDynamic(rng, d, ref, &minor)
			ref.compare(t, seed, d)
		}
	}
}

func changeDynamic(rng *rand.Rand, d *Dynamic, ref reference, minor *int) reference {
	switch k := rng.IntN(11); {
	case k < 6 && d.Major() > 0: // a new minor position, in some of the vectors
		for v := range d.Major() {
			if rng.IntN(2) == 0 {
				x := rng.Float64()
				d.Append(v, int32(*minor), x)
				ref[[2]int{v, *minor}] = x
			}
		}
		*minor++
	case k < 9:
		var index []int32
		var value []float64
		for i := range *minor {
			if rng.IntN(4) == 0 {
				index, value = append(index, int32(i)), append(value, rng.Float64())
			}
		}
		v := d.AddVec(index, value)
		for p, i := range index {
			ref[[2]int{v, int(i)}] = value[p]
		}
	case k == 9:
		drop := make([]bool, d.Major())
		to := renumber(rng, drop)
		d.DeleteVecs(drop)
		return ref.moved(func(major, minor int) (int, int) { return int(to[major]), minor })
	case k == 10:
		to := renumber(rng, make([]bool, *minor))
		d.Renumber(to)
		*minor = 0
		for _, v := range to {
			*minor = max(*minor, int(v)+1)
		}
		return ref.moved(func(major, minor int) (int, int) { return major, int(to[minor]) })
	}
	return ref
}

// renumber drops a quarter of the positions at random.
func renumber(rng *rand.Rand, drop []bool) []int32 {
	to := make([]int32, len(drop))
	next := int32(0)
	for k := range drop {
		to[k] = -1
		if drop[k] = rng.IntN(4) == 0; !drop[k] {
			to[k] = next
			next++
		}
	}
	return to
}

func (r reference) moved(to func(major, minor int) (int, int)) reference {
	out := reference{}
	for k, v := range r {
		if a, b := to(k[0], k[1]); a >= 0 && b >= 0 {
			out[[2]int{a, b}] = v
		}
	}
	return out
}

func TestVector(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 2))
		v, w := NewVector(1+rng.IntN(30)), NewVector(1)
		n := len(v.Value)
		w.Resize(n)
		dense := make([]float64, n)
		for range 200 {
			i, x := int32(rng.IntN(n)), float64(rng.IntN(5)-2)
			v.Add(i, x)
			dense[i] += x
			switch rng.IntN(20) {
			case 0:
				v.Clear()
				clear(dense)
			case 1:
				v.Pack(1e-14)
			case 2:
				v.N = -1
				v.Pack(1e-14)
			case 3:
				w.Copy(v)
				v, w = w, v
			}
			seen := map[int32]bool{}
			for _, p := range v.Index[:v.N] {
				if seen[p] {
					t.Fatalf("seed %d: position %d twice", seed, p)
				}
				seen[p] = true
			}
			for p, want := range dense {
				got := v.Value[p]
				if got > 1e-50 && got != want || got < -1e-50 && got != want || got != 0 && !seen[int32(p)] {
					t.Fatalf("seed %d: position %d holds %g, want %g", seed, p, got, want)
				}
			}
		}
		v.Resize(2 * n)
		for p, x := range v.Value {
			if x != 0 {
				t.Fatalf("seed %d: position %d holds %g after Resize", seed, p, x)
			}
		}
	}
}

// BenchmarkRenumber takes every fifth of 120 rows out of 70 columns, other rows each time.
func BenchmarkRenumber(b *testing.B) {
	const rows, columns, patterns = 120, 70, 256
	r := rand.New(rand.NewPCG(1, 2))
	var to [patterns][]int32
	for k := range to {
		to[k] = make([]int32, rows)
		next := int32(0)
		for i := range to[k] {
			if to[k][i] = -1; r.IntN(5) > 0 {
				to[k][i] = next
				next++
			}
		}
	}
	d := &Dynamic{}
	for range columns {
		var index []int32
		for i := range int32(rows) {
			if r.IntN(10) < 7 {
				index = append(index, i)
			}
		}
		d.AddVec(index, make([]float64, len(index)))
	}
	length, index := slices.Clone(d.Len), slices.Clone(d.Index)
	k := 0
	for b.Loop() {
		copy(d.Len, length)
		copy(d.Index, index)
		d.Renumber(to[k%patterns])
		k++
	}
}
