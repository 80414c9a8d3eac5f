package replay_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/internal/replay"
	"github.com/proxybd/proxybd/internal/replaytest"
	"github.com/proxybd/proxybd/internal/wire"
)

// addition adds a number to a sum. The answer is the sum.
type addition int

func (a addition) Write(w *wire.Writer) { w.Int(int(a)) }

// adder has sums, one for each key.
type adder struct{ done *int }

type sum = replay.State[addition, *int]

func (a adder) Hold(uint64, []byte) (any, error) {
	return &sum{
		New:  func(int) (*int, error) { return new(int), nil },
		Read: func(r *wire.Reader) addition { return addition(r.Int()) },
		Do: func(_ context.Context, total *int, op addition) ([]byte, error) {
			if op < 0 {
				return nil, fmt.Errorf("%d is negative", op)
			}
			*total += int(op)
			return fmt.Append(nil, *total), nil
		},
	}, nil
}

func (a adder) Work(ctx context.Context, state any, payload []byte) ([]byte, error) {
	return state.(*sum).Work(ctx, payload)
}

// TestLosses adds numbers to sums that are lost now and then: every answer is that of a sum that was never lost.
func TestLosses(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		done := make([]int, 3)
		next := 0
		c := replaytest.New(3, func() replaytest.Worker { next++; return adder{&done[next-1]} })
		if seed > 0 {
			c.Lose = func() bool { return rng.IntN(5) == 0 }
		}

		// Two runs, one after the other, have the same team.
		for range 2 {
			l := replay.NewLog[addition](c)
			want := map[uint64]int{}
			for range 50 {
				var keys []uint64
				var ops []addition
				for key := range uint64(8) {
					if rng.IntN(2) == 0 {
						keys = append(keys, key+1)
						ops = append(ops, addition(rng.IntN(100)))
						want[key+1] += int(ops[len(ops)-1])
					}
				}
				out, err := l.Run(t.Context(), keys, ops)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				for k, key := range keys {
					if got := string(out[k]); got != fmt.Sprint(want[key]) {
						t.Fatalf("seed %d: the sum of %d is %s, want %d", seed, key, got, want[key])
					}
				}
			}
		}
		if seed > 0 && c.Lost == 0 {
			t.Errorf("seed %d: no worker was lost", seed)
		}
	}
}

// TestErrors has an operation that fails: the error arrives, and the state begins anew for the next run.
func TestErrors(t *testing.T) {
	done := 0
	c := replaytest.New(1, func() replaytest.Worker { return adder{&done} })
	l := replay.NewLog[addition](c)
	for _, op := range []addition{3, -1} {
		if _, err := l.Run(t.Context(), []uint64{1}, []addition{op}); (err != nil) != (op < 0) {
			t.Fatalf("%d: %v", op, err)
		}
	}
	out, err := replay.NewLog[addition](c).Run(t.Context(), []uint64{1}, []addition{4})
	if err != nil || string(out[0]) != "4" {
		t.Fatalf("%s, %v", out, err)
	}
}

// FuzzState gives a state damaged messages: an error or an answer, and no panic.
func FuzzState(f *testing.F) {
	done := 0
	c := replaytest.New(1, func() replaytest.Worker { return adder{&done} })
	c.See = func(payload []byte) { f.Add(payload) }
	l := replay.NewLog[addition](c)
	for k := range 3 {
		if _, err := l.Run(f.Context(), []uint64{1}, []addition{addition(k)}); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		a := adder{&done}
		state, _ := a.Hold(1, nil)
		_, _ = a.Work(t.Context(), state, payload)
	})
}
