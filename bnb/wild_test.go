package bnb

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// wildClass is what the coefficients of a wild model are.
type wildClass int

const (
	wholes   wildClass = iota // small integers
	decimals                  // of three places
	decades                   // from 1e-6 to 1e6
	wildClasses
)

func (c wildClass) coefficient(rng *rand.Rand) float64 {
	switch c {
	case wholes:
		return float64(rng.IntN(15) - 7)
	case decimals:
		return float64(rng.IntN(20001)-10000) / 1000
	}
	v := math.Pow(10, 12*rng.Float64()-6)
	return math.Copysign(math.Round(v*1e8)/1e8, rng.Float64()-0.5)
}

// wildTiny draws a model with up to three integer and two continuous columns, which may be free, around a point that
// satisfies most rows, many of them barely; others miss it by a hair or by far.
func wildTiny(rng *rand.Rand) *tiny {
	class := wildClass(rng.IntN(int(wildClasses)))
	ints, conts := rng.IntN(4), rng.IntN(3)
	if ints+conts == 0 {
		conts = 1
	}
	n := ints + conts
	t := &tiny{maximize: rng.IntN(2) == 0, box: 2 + rng.IntN(2), integer: make([]bool, n)}
	for _, j := range rng.Perm(n)[:ints] {
		t.integer[j] = true
	}
	x := make([]float64, n)
	for j := range n {
		t.cost = append(t.cost, class.coefficient(rng))
		lo, up := t.wildBounds(rng, j)
		t.lower, t.upper = append(t.lower, lo), append(t.upper, up)
		lo, up = math.Max(lo, -float64(t.box)), math.Min(up, float64(2*t.box))
		x[j] = lo + math.Floor(rng.Float64()*(up-lo+1))
		if !t.integer[j] && rng.IntN(2) == 0 {
			x[j] = lo + rng.Float64()*(up-lo)
		}
		x[j] = math.Min(x[j], up)
		if t.integer[j] {
			x[j] = math.Max(math.Floor(x[j]), math.Ceil(t.lower[j]))
		}
	}
	for range 1 + rng.IntN(4) {
		t.rows = append(t.rows, wildRow(rng, class, x))
	}
	t.noise = make([]float64, len(t.rows))
	for range rng.IntN(3) {
		r, noise := t.combination(rng)
		t.rows, t.noise = append(t.rows, r), append(t.noise, noise)
	}
	return t
}

func (t *tiny) wildBounds(rng *rand.Rand, j int) (lo, up float64) {
	if t.integer[j] {
		lo = float64(rng.IntN(2*t.box+1) - t.box)
		return lo, math.Min(float64(t.box), lo+float64(rng.IntN(5)))
	}
	switch rng.IntN(6) {
	case 0:
		return math.Inf(-1), lp.Inf
	case 1:
		return 0, lp.Inf
	case 2:
		return math.Inf(-1), float64(rng.IntN(4))
	case 3:
		return 0, 1
	}
	lo = float64(rng.IntN(7)-3) * rng.Float64()
	return lo, lo + float64(rng.IntN(20))*rng.Float64()
}

// hair is a small number of any size from 1e-10 to 1, or none.
func hair(rng *rand.Rand) float64 {
	if rng.IntN(3) == 0 {
		return 0
	}
	return math.Pow(10, -10*rng.Float64())
}

// wildRow draws a row on whose side, or near it, the point x lies.
func wildRow(rng *rand.Rand, class wildClass, x []float64) row {
	r := row{math.Inf(-1), lp.Inf, make([]float64, len(x))}
	at := 0.0
	for j := range x {
		if rng.IntN(3) > 0 {
			r.coef[j] = class.coefficient(rng)
			at += r.coef[j] * x[j]
		}
	}
	if class != decades && rng.IntN(2) == 0 {
		at = math.Round(at*1000) / 1000
	}
	switch rng.IntN(8) {
	case 0:
		at += hair(rng)
	case 1:
		at -= hair(rng)
	case 2:
		at += float64(rng.IntN(7) - 3)
	}
	switch rng.IntN(5) {
	case 0:
		r.lower, r.upper = at, at
	case 1:
		r.lower, r.upper = at, at+float64(rng.IntN(3))*rng.Float64()
	case 2:
		r.upper = at
	case 3:
		r.lower = at
	default:
		r.lower, r.upper = at-hair(rng), at+hair(rng)
	}
	return r
}

// combination is a multiple of a row, or the sum of two, whose sides differ from theirs by a hair: a parallel row, a
// redundant one, or one that nearly contradicts. noise is the rounding error of its coefficients.
func (t *tiny) combination(rng *rand.Rand) (r row, noise float64) {
	f := []float64{1, -1, 2, 0.37, -1000, 1e-3}[rng.IntN(6)]
	g := float64(rng.IntN(2) * (rng.IntN(3) - 1))
	ia, ib := rng.IntN(len(t.rows)), rng.IntN(len(t.rows))
	a, b := t.rows[ia], t.rows[ib]
	r.coef = make([]float64, len(t.cost))
	for j := range r.coef {
		r.coef[j] = f*a.coef[j] + g*b.coef[j]
		noise = math.Max(noise, math.Abs(f*a.coef[j])+math.Abs(g*b.coef[j]))
	}
	noise = 0x1p-52*noise + math.Abs(f)*t.noise[ia] + math.Abs(g)*t.noise[ib]
	side := func(p row, least bool, f float64) float64 {
		switch {
		case f == 0:
			return 0
		case f > 0 == least:
			return f * p.lower
		}
		return f * p.upper
	}
	lower, upper := side(a, true, f)+side(b, true, g), side(a, false, f)+side(b, false, g)
	if rng.IntN(2) == 0 { // against the other side
		lower, upper = upper, lower
	}
	r.lower, r.upper = lower+hair(rng)-hair(rng), upper+hair(rng)-hair(rng)
	if rng.IntN(2) == 0 || math.IsInf(r.lower, 1) {
		r.lower = math.Inf(-1)
	} else if rng.IntN(2) == 0 || math.IsInf(r.upper, -1) {
		r.upper = lp.Inf
	}
	if math.IsInf(r.upper, -1) {
		r.upper = lp.Inf
	}
	if r.lower > r.upper {
		r.lower, r.upper = r.upper, r.lower
	}
	return r, noise
}

// TestWildBulk judges the answers to wild models in rationals, statuses included: see judge. The environment variable
// PROXYBD_BULK gives the number of models (1000000 for the full run), PROXYBD_SEED the first seed. A failure names
// the seed that replays it. Numerical failures are counted; there may be few.
func TestWildBulk(t *testing.T) {
	count, first := uint64(3000), uint64(0)
	if v, err := strconv.ParseUint(os.Getenv("PROXYBD_BULK"), 10, 64); err == nil {
		count = v
	}
	if v, err := strconv.ParseUint(os.Getenv("PROXYBD_SEED"), 10, 64); err == nil {
		first = v
	}
	statuses, failed := map[lp.Status]int{}, 0
	for seed := first; seed < first+count; seed++ {
		rng := rand.New(rand.NewPCG(seed, 13))
		m := wildTiny(rng)
		opt := DefaultOptions()
		if rng.IntN(2) == 0 {
			opt = optionSet(rng)
		}
		opt.Gap, opt.AbsoluteGap, opt.Presolve = 0, judgeGap, rng.IntN(4) > 0
		res, err := Solve(context.Background(), m.model(nil), opt, Hooks{})
		switch {
		case errors.Is(err, ErrNumerical):
			failed++
			t.Logf("seed %d: %v", seed, err)
			continue
		case err != nil:
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		statuses[res.Status]++
		if err := newJudge(m).verdict(&res); err != nil {
			t.Errorf("seed %d, presolve %v: %v\n%+v", seed, opt.Presolve, err, m)
		}
	}
	t.Log(statuses, failed)
	if float64(failed) > 5+1e-3*float64(count) {
		t.Errorf("%d numerical failures", failed)
	}
	for _, s := range []lp.Status{lp.Optimal, lp.Infeasible, lp.Unbounded} {
		if 20*statuses[s] < int(count) {
			t.Errorf("only %d are %v", statuses[s], s)
		}
	}
}
