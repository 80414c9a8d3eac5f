package bnb

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Tolerances are those to which points are verified.
type Tolerances struct {
	Feasibility float64 // absolute violation of a row or bound, in the model's units (default 1e-6)
	Integrality float64 // distance of an integer column from an integer (default 1e-6)
}

// CutOrder says when the cuts of this package are separated in a search with a user hook.
type CutOrder uint8

const (
	HookAlone CutOrder = iota // never: mostly they only slow the hook's cuts down
	HookFirst                 // where the hook finds nothing
	CutsFirst                 // at the root before the hook is called, and the hook only where they find nothing
)

// Options steer Solve. Start from DefaultOptions.
type Options struct {
	Tolerances Tolerances

	Gap         float64       // stop when |incumbent - bound| <= Gap |incumbent| (default 1e-4)
	AbsoluteGap float64       // or when |incumbent - bound| <= AbsoluteGap (default 1e-9)
	TimeLimit   time.Duration // wall clock; math.MaxInt64 for none (default)
	MaxNodes    int           // math.MaxInt for none (default)
	MaxWork     float64       // deterministic work units of the LPs and separators; +Inf for none (default)

	// StallNodes is the most nodes in a row without a better point, once there is one: then the status is Stalled;
	// math.MaxInt for none (default).
	StallNodes int

	// MaxMemory is in bytes, by a deterministic estimate of model, LP, cuts and tree; math.MaxInt64 for none (default).
	MaxMemory int64

	// PoolSize is the most points in Result.Pool: the best ones found that differ in an integer column. The pool keeps
	// no node open that the incumbent cuts off (default 0).
	PoolSize int

	Cutoff       float64 // with HasCutoff: the search is only for points better than this, model's sense
	HasCutoff    bool
	Start        [][]float64   // MIP starts; columns that are NaN are left to an LP or a sub-MIP
	RootRounds   int           // maximum number of rounds of user cuts at the root (default 200)
	NodeRounds   int           // maximum number of rounds of user cuts at a node (default 20)
	Presolve     bool          // make the model smaller and tighter first, as far as the hooks allow (default true)
	Cuts         bool          // separate the cuts of package cuts, where no user hook does (default true)
	Symmetry     bool          // use symmetries of the model, as far as the hooks allow (default true)
	CutOrder     CutOrder      // when they are separated where there is a user hook (default HookAlone)
	CutViolation float64       // least violation at which a hook's cut counts, relative to its Scale (default 1e-6)
	Branching    BranchingRule // how nodes are split where no hook does (default ByReliability)
	Seed         uint64        // of the simplex perturbation and of tie-breaking (default 1)
	LogEvery     time.Duration // minimum time between two Progress calls (default 1s)

	// Threads is the number of nodes that may be worked on at a time; more than 8 are 8 (default 1). At the root
	// separators have as many, and linear programs two. The search depends on the number, but is the same on every run.
	// Each thread beyond the first takes memory for an LP of its own.
	Threads int

	tuning tuning // of tests and comparisons
}

// DefaultOptions returns the settings that suit most models.
func DefaultOptions() Options {
	return Options{
		Tolerances:   Tolerances{Feasibility: 1e-6, Integrality: 1e-6},
		Gap:          1e-4,
		AbsoluteGap:  1e-9,
		TimeLimit:    math.MaxInt64,
		MaxNodes:     math.MaxInt,
		StallNodes:   math.MaxInt,
		MaxWork:      math.Inf(1),
		MaxMemory:    math.MaxInt64,
		RootRounds:   200,
		NodeRounds:   20,
		Presolve:     true,
		Cuts:         true,
		Symmetry:     true,
		CutViolation: 1e-6,
		Seed:         1,
		LogEvery:     time.Second,
		Threads:      1,
	}
}

// setCutoff restricts the search to points better than an objective in the model's sense.
func (o *Options) setCutoff(objective float64) {
	o.HasCutoff = true
	o.Cutoff = objective
}

// reserveMemory takes what a search around this one holds off the limit.
func (o *Options) reserveMemory(bytes int64) {
	if o.MaxMemory < math.MaxInt64 {
		o.MaxMemory -= min(o.MaxMemory, bytes)
	}
}

// ErrOptions is wrapped by the errors of Validate.
var ErrOptions = errors.New("invalid options")

// Validate reports the first field that has no meaning.
func (o *Options) Validate() error {
	// The conditions are written such that NaN fails them.
	fields := [...]struct {
		name  string
		value any
		valid bool
	}{
		{"Tolerances.Feasibility", o.Tolerances.Feasibility, o.Tolerances.Feasibility > 0 && o.Tolerances.Feasibility < 1},
		{"Tolerances.Integrality", o.Tolerances.Integrality, o.Tolerances.Integrality > 0 && o.Tolerances.Integrality < 0.5},
		{"Gap", o.Gap, o.Gap >= 0},
		{"AbsoluteGap", o.AbsoluteGap, o.AbsoluteGap >= 0},
		{"TimeLimit", o.TimeLimit, o.TimeLimit >= 0},
		{"MaxNodes", o.MaxNodes, o.MaxNodes >= 0},
		{"StallNodes", o.StallNodes, o.StallNodes >= 1},
		{"MaxWork", o.MaxWork, o.MaxWork >= 0},
		{"MaxMemory", o.MaxMemory, o.MaxMemory >= 0},
		{"PoolSize", o.PoolSize, o.PoolSize >= 0},
		{"RootRounds", o.RootRounds, o.RootRounds >= 0},
		{"NodeRounds", o.NodeRounds, o.NodeRounds >= 0},
		{"Threads", o.Threads, o.Threads >= 1},
		{"Cutoff", o.Cutoff, !o.HasCutoff || !math.IsNaN(o.Cutoff)},
		{"CutViolation", o.CutViolation, o.CutViolation > 0},
		{"Branching", o.Branching, o.Branching < branchingRules},
	}

	for _, f := range fields {
		if !f.valid {
			return fmt.Errorf("bnb: %w: %s = %v", ErrOptions, f.name, f.value)
		}
	}
	return nil
}

// workers is the number of workers that share out the tree.
func (o *Options) workers() int { return min(o.Threads, MaxThreads) }
