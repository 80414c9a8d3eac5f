package prove_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/cap"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/families/ufl"
	"github.com/proxybd/proxybd/record"
	"github.com/proxybd/proxybd/verify"
)

// sealed closes the lines of a record with the end that belongs to them, as a forger would.
func sealed(lines []byte) []byte {
	sum := sha256.Sum256(lines)
	return fmt.Appendf(bytes.Clone(lines), `{"kind":"end","Lines":%d,"SHA256":"%s"}`+"\n", bytes.Count(lines, []byte("\n")), hex.EncodeToString(sum[:]))
}

// FuzzVerify proves forged records: whatever they say, the checker does not panic, and what it calls proven is no
// better than the optimum of the instance, which only a changed instance can change. A forgery is a few numbers
// replaced.
func FuzzVerify(f *testing.F) {
	optima := make(map[string]float64)
	var files [][]byte
	for _, family := range []families.Family{cap.Family, ufl.Family} {
		for seed := range uint64(3) {
			in, err := family.Generate("4x3", seed)
			if err != nil {
				f.Fatal(err)
			}
			optima[in.Hash()] = enumerate(in)
			files = append(files, bytesOf(f, family, seed))
		}
	}
	for seed := range uint64(300) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 1))
		lines := files[rng.IntN(len(files))]
		for range 1 + rng.IntN(3) {
			lines = forge(lines, rng)
		}
		rec, err := record.Decode(bytes.NewReader(sealed(lines)), "fuzz")
		if err != nil {
			return
		}
		report, err := verify.Verify(t.Context(), rec, nil)
		if best, ok := optima[rec.Instance.Hash]; ok && err == nil && (report.Bound > best*(1+1e-9) || report.Objective < best*(1-1e-9)) {
			t.Errorf("seed %d: proven %g >= %g, but the optimum is %g", seed, report.Objective, report.Bound, best)
		}
	})
}

// enumerate returns the cost of the best design of an instance with three facilities.
func enumerate(in families.Instance) float64 {
	best := math.Inf(1)
	for design := range 1 << 3 {
		y := []float64{float64(design & 1), float64(design >> 1 & 1), float64(design >> 2)}
		if cost, feasible, err := pipeline.Price(context.Background(), in, y); err == nil && feasible {
			best = min(best, cost)
		}
	}
	return best
}

var number = regexp.MustCompile(`-?\d+(\.\d+)?(e[+-]?\d+)?`)

// forge replaces one number.
func forge(lines []byte, rng *rand.Rand) []byte {
	all := number.FindAllIndex(lines, -1)
	at := all[rng.IntN(len(all))]
	old, _ := strconv.ParseFloat(string(lines[at[0]:at[1]]), 64)
	other := all[rng.IntN(len(all))]
	text := [...]string{"0", "1", "-1", "1e300", "2.5", string(lines[other[0]:other[1]]), strconv.FormatFloat(old*(1+1e-9), 'g', -1, 64),
		strconv.FormatFloat(-old, 'g', -1, 64), strconv.FormatFloat(old+1, 'g', -1, 64), strconv.FormatFloat(old/2, 'g', -1, 64)}[rng.IntN(10)]
	return slices.Concat(lines[:at[0]], []byte(text), lines[at[1]:])
}

// bytesOf returns the lines of the record of a small run, without the last.
func bytesOf(tb testing.TB, family families.Family, seed uint64) []byte {
	_, rec, _ := recorded(tb, family, "4x3", seed, decompose.Exact)
	var b bytes.Buffer
	if err := record.Encode(&b, rec); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()[:bytes.LastIndex(bytes.TrimSpace(b.Bytes()), []byte("\n"))+1]
}
