package sparse

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// TestCompress compares a compressed matrix and its transpose with the entries they were made of.
func TestCompress(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 3))
		major, minor := rng.IntN(12), rng.IntN(12)
		want := map[[2]int]float64{}
		var entries []Triplet
		for _, p := range rng.Perm(major * minor) {
			if rng.IntN(3) == 0 {
				e := Triplet{int32(p / minor), int32(p % minor), rng.Float64()}
				entries = append(entries, e)
				want[[2]int{p / minor, p % minor}] = e.Value
			}
		}
		a, err := Compress(major, minor, entries)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		b := a.Transpose()
		for _, c := range []struct {
			m    *Matrix
			flip bool
		}{{a, false}, {b, true}, {b.Transpose(), false}} {
			if c.m.NNZ() != len(want) {
				t.Fatalf("seed %d: %d entries, want %d", seed, c.m.NNZ(), len(want))
			}
			for k := range c.m.Major {
				index, value := c.m.Vec(k)
				for p, i := range index {
					if p > 0 && index[p-1] >= i {
						t.Fatalf("seed %d: indices of vector %d not ascending", seed, k)
					}
					key := [2]int{k, int(i)}
					if c.flip {
						key = [2]int{int(i), k}
					}
					if v, ok := want[key]; !ok || v != value[p] {
						t.Fatalf("seed %d: entry %v is %g, want %g", seed, key, value[p], v)
					}
				}
			}
		}
	}
}

func TestCompressRefuses(t *testing.T) {
	if _, err := Compress(2, 2, []Triplet{{0, 2, 1}}); err == nil {
		t.Error("an entry outside the matrix was accepted")
	}
	_, err := Compress(2, 2, []Triplet{{0, 1, 1}, {1, 1, 1}, {0, 1, 2}})
	var dup *DuplicateError
	if !errors.As(err, &dup) || dup.Major != 0 || dup.Minor != 1 {
		t.Errorf("error %v for a repeated entry", err)
	}
}

// TestCompressOrdered compresses entries in the order of the matrix, which is a way of its own, and in the opposite one.
func TestCompressOrdered(t *testing.T) {
	var entries []Triplet
	for k := range int32(40) {
		for i := k % 3; i < 30; i += 1 + k%7 {
			if k%5 > 0 { // some vectors are empty
				entries = append(entries, Triplet{Major: k, Minor: i, Value: float64(100*k + i)})
			}
		}
	}
	if ordered(40, 30, entries) == nil {
		t.Fatal("the entries are not taken as ordered")
	}
	a, errA := Compress(40, 30, entries)
	backwards := slices.Clone(entries)
	slices.Reverse(backwards)
	b, errB := Compress(40, 30, backwards)
	if errA != nil || errB != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("%v, %v, or the matrices differ", errA, errB)
	}
	twice := slices.Insert(slices.Clone(entries), 7, entries[6])
	if _, err := Compress(40, 30, twice); err == nil {
		t.Error("no error for two entries in the same place")
	}
}
