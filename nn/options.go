package nn

import (
	"fmt"
	"math"
	"time"
)

// Options control Train.
type Options struct {
	// The budget of optimiser steps, and the steps between validation checks; the last step is always checked.
	Steps         int
	ValidateEvery int

	Rate         float64 // first learning rate
	Beta1, Beta2 float64 // Adam's decay rates, in [0, 1)
	Epsilon      float64 // Adam's term in the denominator

	// Decoupled weight decay: each step multiplies weights by 1 - rate*WeightDecay; 0 for none.
	WeightDecay float64

	// The gradient's Euclidean norm is cut to this; +Inf for no clipping.
	ClipNorm float64

	// A plateau multiplies the rate by Factor, in (0, 1], but not below Floor.
	Factor float64
	Floor  float64

	// Checks without improvement that make a plateau, and that end the run.
	Plateau   int
	StopAfter int

	// Relative to |best|: a smaller improvement is kept as best but resets no count.
	MinImprovement float64

	// The seed of the random numbers that Task.Fill gets.
	Seed uint64

	// The file to keep the state in, "" for none; the steps between checkpoints; one is also written at every check,
	// after a minute and at the end; whether to continue from the file if it exists.
	Checkpoint      string
	CheckpointEvery int
	Resume          bool

	// A name of the task and its data, such as their hash. It is kept in the checkpoint, and to resume from the checkpoint
	// of another task is an error that wraps ErrFormat. A checkpoint without a name fits every task.
	Task string

	// Called, if not nil, when all is built and read and the first step is to be made, after every validation check, and
	// after every checkpoint between two checks.
	Started  func()
	Progress func(Progress)
	Saved    func(step int)
}

// DefaultOptions returns the paper's training options: Adam at 1e-3, plateau decay to 1e-5, early stopping after
// eight checks that do not improve, a check every 2048 of 2^20 steps.
func DefaultOptions() Options {
	return Options{
		Steps:           1 << 20,
		ValidateEvery:   2048,
		Rate:            1e-3,
		Beta1:           0.9,
		Beta2:           0.999,
		Epsilon:         1e-8,
		ClipNorm:        math.Inf(1),
		Factor:          0.5,
		Floor:           1e-5,
		Plateau:         2,
		StopAfter:       8,
		MinImprovement:  1e-5,
		CheckpointEvery: 1 << 14,
	}
}

// Validate returns an error that names the first option out of range.
func (o *Options) Validate() error {
	// Comparisons are written so that NaN is out of every range.
	checks := []struct {
		ok   bool
		name string
		v    any
	}{
		{o.Steps >= 1, "Steps", o.Steps},
		{o.ValidateEvery >= 1, "ValidateEvery", o.ValidateEvery},
		{o.Rate > 0 && !math.IsInf(o.Rate, 0), "Rate", o.Rate},
		{o.Beta1 >= 0 && o.Beta1 < 1, "Beta1", o.Beta1},
		{o.Beta2 >= 0 && o.Beta2 < 1, "Beta2", o.Beta2},
		{o.Epsilon > 0, "Epsilon", o.Epsilon},
		{o.WeightDecay >= 0 && o.WeightDecay*o.Rate < 1, "WeightDecay", o.WeightDecay},
		{o.ClipNorm > 0, "ClipNorm", o.ClipNorm},
		{o.Factor > 0 && o.Factor <= 1, "Factor", o.Factor},
		{o.Floor >= 0 && o.Floor <= o.Rate, "Floor", o.Floor},
		{o.Plateau >= 1, "Plateau", o.Plateau},
		{o.StopAfter >= 1, "StopAfter", o.StopAfter},
		{o.MinImprovement >= 0 && o.MinImprovement < 1, "MinImprovement", o.MinImprovement},
		{o.CheckpointEvery >= 1, "CheckpointEvery", o.CheckpointEvery},
		{!o.Resume || o.Checkpoint != "", "Resume without Checkpoint", o.Resume},
	}

	// The first option out of range is named, in the order of the fields.
	for _, c := range checks {
		if !c.ok {
			return fmt.Errorf("nn: option %s is %v", c.name, c.v)
		}
	}
	return nil
}

// Status is the reason why Train stopped.
type Status uint8

const (
	NotRun       Status = iota
	Completed           // the budget of steps is used up
	StoppedEarly        // StopAfter checks brought no improvement
	Interrupted         // the context was cancelled
)

// String returns the status in words.
func (s Status) String() string {
	if s > Interrupted {
		return "unknown"
	}
	return [...]string{"not run", "completed", "stopped early", "interrupted"}[s]
}

// Progress is the argument of Options.Progress, after a validation check.
type Progress struct {
	Step, Steps int
	Loss        float64 // mean training loss since the last check
	Validation  float64
	Best        float64 // lowest validation loss so far
	BestStep    int
	Rate        float64       // learning rate of the next step
	StepsPerSec float64       // since the run was started or resumed
	ETA         time.Duration // until the budget is used up, at that pace
}

// Result is the outcome of Train.
type Result struct {
	Status   Status
	Step     int     // steps done, those before a resumption included
	Best     float64 // lowest validation loss; +Inf if no check was reached
	BestStep int     // 0 if no check was reached
	Rate     float64
	Elapsed  time.Duration // of this call
}
