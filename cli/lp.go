package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/simplex"
)

// lpFlags are the flags of proxybd lp in addition to those that solving commands share.
type lpFlags struct {
	// The simplex method ends after this number of iterations, or within this tolerance of an optimum.
	iterationLimit int
	tolerance      float64

	// The file of the basis to begin with, and that of the last one, "" for none.
	basis      string
	writeBasis string
	basisStyle mps.BasisStyle

	// The method, whether the interior point method ends with a basis, and how many threads it has.
	solver    lpSolver
	crossover bool
	threads   int

	// How the model is changed before the simplex method.
	presolve onOff
	fold     onOff
	dualize  onOff

	iis iisFlags

	// Whether the ranges of costs, sides and bounds are computed.
	ranging bool
}

// lpReport is the object of proxybd lp.
type lpReport struct {
	report
	Iterations int `json:"iterations"`
	Rows       int `json:"rows"`
	Columns    int `json:"columns"`
	Nonzeros   int `json:"nonzeros"`

	// The largest violation of a row or bound of the model as given, relative to 1 plus the largest term, and that of
	// the sign of a reduced cost, likewise. Both are null unless the solution is optimal.
	PrimalInf number `json:"primal_infeasibility"`
	DualInf   number `json:"dual_infeasibility"`

	// Within which the solution is optimal; null for other solutions.
	Tolerance number `json:"tolerance"`

	// Exact arithmetic has decided, where float64 did not.
	Exact bool `json:"exact_arithmetic,omitempty"`

	// What proves that the model is infeasible: the multipliers of the rows, and a subsystem where it was asked for.
	Ray map[string]number `json:"farkas_ray,omitempty"`
	IIS *iisReport        `json:"iis,omitempty"`

	// Of an optimal basis, where they were asked for: the ranges of costs, bounds and sides.
	Ranging []rangeReport `json:"ranging,omitempty"`
}

// newLP makes the command proxybd lp.
func newLP(a *app) *cobra.Command {
	f := lpFlags{presolve: true, fold: true, dualize: true, solver: solverAuto}
	c := &cobra.Command{
		Use:   "lp MODEL",
		Short: "Solve a linear program (MPS, LP or .nl file)",
		Long: `Solve a linear program by the dual simplex method, or by an interior point method with a
crossover to a vertex (--solver ipm). MODEL is an .nl file, as its name says, or else an MPS file, fixed or free, or an
LP file, as its first line says. It may be packed by gzip, bzip2 or zstd; - is standard input. Integer columns are
relaxed. A file to write that is named - is standard output, and one that ends in .gz is gzipped.
--write-sol adds reduced costs, duals and where the basis has things as comment lines; --solution has them as tables.`,
		Example: `  proxybd lp afiro.mps
  proxybd lp pilot.mps.gz --time-limit 60s --write-sol pilot.sol
  proxybd lp afiro.mps -q --solution - | jq '.rows[] | select(.dual != 0)'
  proxybd lp model.mps --json | jq .objective`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			// A given basis belongs to the model as the file has it.
			if err := errors.Join(checkWarm(c.Flags(), &f), checkSolver(c.Flags(), &f)); err != nil {
				return err
			}
			return a.solveLP(c.Context(), args[0], f)
		},
	}

	a.flags.addSolve(c)
	// The time limit and the files of the solution are among the common flags.
	addCount(c, &f.iterationLimit, "iteration-limit", "stop after this many simplex iterations")

	c.Flags().Var(&f.solver, "solver", "simplex, ipm (the interior point method), or auto: ipm for a large "+
		"model whose linear systems are cheap, else simplex")
	c.Flags().BoolVar(&f.crossover, "crossover", true, "go on from the interior point method to a vertex with a basis")
	c.Flags().IntVar(&f.threads, "threads", 0, "threads of the interior point method's linear algebra and, up to two, "+
		"of the simplex method; 0 for one a processor; no result depends on it")

	// Of the basis to begin with, and of that to end with.
	c.Flags().StringVar(&f.basis, "basis", "", "begin with the basis in this `FILE`, of CLP, CBC, HiGHS, GLPK or ours, "+
		"without presolve")
	c.Flags().StringVar(&f.writeBasis, "write-basis", "", "write the last basis to this `FILE`")
	c.Flags().Var(&f.basisStyle, "basis-style", "layout of --write-basis: mps (CLP, CBC and most others), highs, or "+
		"glpk (for glpsol --ini)")

	// Of how the model is changed before the simplex method, which a given basis excludes.
	c.Flags().Var(&f.presolve, "presolve", "make the model smaller first, on or off; --basis turns it off")
	c.Flags().Var(&f.fold, "fold",
		"begin with the classes of like rows and columns of a model with symmetry, on or off; --basis turns it off")
	c.Flags().Var(&f.dualize, "dualize",
		"begin with the dual of a model with far more rows than columns, on or off; --basis turns it off")
	f.iis.add(c)
	c.Flags().BoolVar(&f.ranging, "ranging", false,
		"how far each cost, bound and side may change while the basis stays optimal, and the objective there")
	f.tolerance = simplex.DefaultOptions().Tolerances.Primal
	c.Flags().Var((*nonnegative)(&f.tolerance), "tolerance", "primal and dual feasibility tolerance")
	return c
}

// options turns the flags into the options of the simplex method.
func (f *lpFlags) options(a *app, rows *table) simplex.Options {
	opt := simplex.DefaultOptions()
	// One flag gives both tolerances, since most users think of them as one.
	opt.Tolerances = simplex.Tolerances{Primal: f.tolerance, Dual: f.tolerance}
	opt.Limits.Iterations = f.iterationLimit
	// Reading has used up a part of the time limit.
	opt.Limits.Time = a.remaining()
	opt.Seed = a.flags.seed
	opt.Threads = cmp.Or(f.threads, runtime.GOMAXPROCS(0))
	opt.Presolve = bool(f.presolve)
	opt.Fold = bool(f.fold)
	opt.Dualize = bool(f.dualize)
	// Without a log the simplex method need not make its records.
	if !a.flags.quiet || a.flags.logFile != "" {
		opt.Log = newLPLogger(rows, a.began)
	}
	return opt
}

// solveLP runs the command: read the model, solve, report.
func (a *app) solveLP(ctx context.Context, path string, f lpFlags) error {
	// Files that cannot be written are reported before the model is read.
	if err := errors.Join(a.checkOutputs(), checkTarget(f.writeBasis), f.iis.check()); err != nil {
		return err
	}

	// The collector is set back at the end, which matters to tests that run several commands.
	defer collector()()

	m, warnings, err := a.readModel(path)
	if err != nil {
		return err
	}

	// The size of the model is known now, and the collector is set by it.
	collectEarly(m.NumEntries())
	a.logWarnings(warnings)
	a.log.model(path, m, time.Since(a.began))

	// What is no part of a linear program is left out, and the log says so.
	if n := m.Own().Integers; n > 0 {
		a.log.printf("the integrality of %d columns is relaxed", n)
	}
	if m.HasLogic() {
		a.log.printf("special ordered sets, semi-continuous columns and indicators are relaxed")
	}

	// The log of the simplex method becomes rows of this table.
	rows := newLPTable(a.log, f.solver == solverIPM)
	sol, err := f.solve(ctx, a, m, f.options(a, rows))
	if err != nil {
		return err
	}

	// The report has the numbers of the solution, as they refer to the model of the file.
	r := a.lpReport(path, m, sol)
	r.Warnings = warnings
	relaxed := m
	if m.NumInteger() > 0 && f.iis.wanted() {
		relaxed = continuous(m)
	}
	subsystem, lines, failed := f.iis.explain(ctx, a, relaxed, sol.Status)
	r.IIS = subsystem
	if sol.Status == lp.Infeasible {
		r.Ray = farkasRay(m, sol.Ray)
	}

	if f.ranging {
		var ranges []string
		var wrong error
		r.Ranging, ranges, wrong = a.ranging(ctx, m, sol, &r.report)
		lines = append(lines, ranges...)
		failed = errors.Join(failed, wrong)
	}

	// The result is printed also where a file could not be written.
	unwritten := errors.Join(failed, a.presentLP(m, sol, &r.report),
		a.writeBasis(f.writeBasis, f.basisStyle, m, &sol.Basis))
	r.fault(unwritten, a.args)
	// The log ends with a row of the solution itself.
	r.lpEnd(rows)
	a.finish(sol.Status, &r, r.items())
	a.conclude(lines...)
	return unwritten
}

// continuous returns a model without integrality.
func continuous(m *lp.Model) *lp.Model {
	out := m.Clone()
	for j := range out.Cols {
		out.Cols[j].Integer = false
	}
	return out
}

// solve starts from the slack basis, or from the one of --basis.
func (f *lpFlags) solve(ctx context.Context, a *app, m *lp.Model, opt simplex.Options) (*simplex.Solution, error) {
	if f.basis == "" {
		return f.solveCold(ctx, m, opt)
	}

	// The basis is read against the model, whose names it has.
	basis, err := a.readBasis(f.basis, m)
	if err != nil {
		return nil, err
	}

	// Reading it has used up a part of the time limit, too.
	opt.Limits.Time = a.remaining()
	sol, err := simplex.SolveFrom(ctx, m, opt, basis)
	// A basis of another model, or a singular one, is the user's to repair.
	if errors.Is(err, simplex.ErrBasis) {
		err = badInput(err)
	}
	return sol, err
}

// feasiblePoint returns the point of a solution, nil where it is not feasible.
func feasiblePoint(sol *simplex.Solution) []float64 {
	if sol.Primal != lp.FeasiblePoint {
		return nil
	}
	return sol.X
}

// lpReport is the report of a solution. Only an optimal one has infeasibilities and a tolerance.
func (a *app) lpReport(path string, m *lp.Model, sol *simplex.Solution) lpReport {
	// Rows and columns that stand for special ordered sets and the like are not counted.
	own := m.Own()
	nan := number(math.NaN())
	r := lpReport{
		report:     a.report("lp", path, sol.Status, sol.Objective, sol.Bound),
		Iterations: sol.Iterations,
		Rows:       own.Rows,
		Columns:    own.Cols,
		Nonzeros:   own.Entries,
		PrimalInf:  nan,
		DualInf:    nan,
		Tolerance:  nan,
		Exact:      sol.Exact,
	}
	if sol.Status == lp.Optimal {
		r.PrimalInf = number(sol.Residuals.Primal)
		r.DualInf = number(sol.Residuals.Dual)
		r.Tolerance = number(sol.Tolerance)
	}
	return r
}

// items are the lines of the summary.
func (r *lpReport) items() []item {
	list := append(r.report.items(), item{"iterations", strconv.Itoa(r.Iterations)})
	if r.Exact {
		list = append(list, item{"arithmetic", "exact, then rounded: float64 did not decide"})
	}

	// Without an optimal solution there are no residuals to show.
	if math.IsNaN(float64(r.PrimalInf)) {
		return list
	}
	list = append(list, item{"primal inf", showInfeasibility(float64(r.PrimalInf))},
		item{"dual inf", showInfeasibility(float64(r.DualInf))})
	// The tolerance is a line of its own only where it had to be wider than the default.
	if t := float64(r.Tolerance); t > simplex.DefaultOptions().Tolerances.Primal {
		list = append(list, item{"tolerance", fmt.Sprintf("%.2g: the conditions of an optimum hold to no less", t)})
	}
	return list
}

// model writes the size of a model.
func (l *solverLog) model(path string, m *lp.Model, took time.Duration) {
	own := m.Own()
	// Linear models show no count of integer columns.
	integers := ""
	if own.Integers > 0 {
		integers = " (" + strconv.Itoa(own.Integers) + " integer)"
	}

	// A model without a name goes by its file.
	l.printf("%s: %d rows, %d columns%s, %d non-zeros, read in %s", cmp.Or(m.Name, path), own.Rows, own.Cols, integers,
		own.Entries, showSeconds(took))
	// What the reader has added to the model is counted apart.
	if m.HasLogic() {
		l.printf("special ordered sets, semi-continuous columns and indicators: %d rows and %d columns more, %d implications",
			len(m.Rows)-own.Rows, len(m.Cols)-own.Cols, len(m.Branched().Implications))
	}
}
