package families_test

import (
	"errors"
	"testing"

	"github.com/proxybd/proxybd/families"
)

// TestReadOptions checks values that are given, that are not, and that are no numbers.
func TestReadOptions(t *testing.T) {
	o := families.ReadOptions{Set: map[string]string{"a": "1.5", "n": "12", "seed": "18446744073709551615", "word": "x"}}
	a, errA := o.Float("a")
	n, errN := o.Int("n")
	seed, errS := o.Uint64("seed")
	none, errNone := o.Int("none")
	if err := errors.Join(errA, errN, errS, errNone); err != nil || a != 1.5 || n != 12 || seed != 1<<64-1 || none != 0 {
		t.Errorf("%v %v %v %v, %v", a, n, seed, none, err)
	}
	_, errA = o.Float("word")
	_, errN = o.Int("a")
	_, errS = families.ReadOptions{Set: map[string]string{"seed": "-1"}}.Uint64("seed")
	for _, err := range []error{errA, errN, errS} {
		if !errors.Is(err, families.ErrOptions) {
			t.Errorf("a value that is no number: %v", err)
		}
	}
}
