package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/nl"
	"github.com/proxybd/proxybd/simplex"
)

// amplOptions is the environment variable with options of modelling tools.
const amplOptions = "proxybd_options"

// amplCall rewrites the command line of a modelling tool, "proxybd model.nl -AMPL key=value", into one of the command
// ampl. Other command lines stay as they are.
func amplCall(args []string) []string {
	switch {
	case len(args) == 1 && args[0] == "-v":
		// Modelling tools read the version from the output of this call.
		return []string{"version"}
	case slices.Contains(args, "-AMPL"):
	case len(args) > 0 && (args[0] == "-=" || strings.HasSuffix(args[0], ".nl")):
	default:
		return args
	}
	return append([]string{"ampl"}, args...)
}

// amplRun is a call of a modelling tool.
type amplRun struct {
	stub string // the model without the ending .nl
	ampl bool   // -AMPL: a .sol file is written
	tree bnb.Options

	// Values of options that are not among those of the search, or that have another type there.
	seconds   float64 // time limit, 0 for none
	seed      int
	objective int // the number of the objective, from 1, 0 for none
	relax     int // 1: integrality is ignored
	log       int // 1: there is a log
	want      int // bits, see wantFile
}

// Bits of the option wantsol.
const (
	wantFile   = 1
	wantValues = 2
	wantDuals  = 4
	wantSilent = 8
)

// newAMPLRun returns a run with the default value of every option.
func newAMPLRun() *amplRun {
	tree := bnb.DefaultOptions()
	return &amplRun{tree: tree, seed: int(tree.Seed), objective: 1}
}

// amplOption is a key=value option. A later name is another name of the same option, as other solvers call it.
type amplOption struct {
	names []string
	help  string
	set   func(value string) error
}

// options are those of a run.
func (r *amplRun) options() []amplOption {
	number := func(to *float64) func(string) error {
		return func(v string) (err error) { *to, err = amplNumber(v); return err }
	}
	count := func(to *int) func(string) error {
		return func(v string) (err error) { *to, err = amplCount(v); return err }
	}
	return []amplOption{
		{[]string{"timelim", "timelimit", "time_limit", "lim:time"}, "time limit in seconds", number(&r.seconds)},
		{[]string{"mipgap", "gap", "mip:gap"}, "relative gap that is good enough", number(&r.tree.Gap)},
		{[]string{"mipgapabs", "absgap", "mip:gapabs"}, "absolute gap that is good enough", number(&r.tree.AbsoluteGap)},
		{[]string{"nodelim", "nodelimit", "lim:nodes"}, "stop after this number of nodes", count(&r.tree.MaxNodes)},
		{[]string{"threads", "tech:threads"}, "nodes that are worked on at a time", count(&r.tree.Threads)},
		{[]string{"seed", "tech:seed"}, "seed of everything random", count(&r.seed)},
		{[]string{"outlev", "tech:outlev", "verbosity"}, "1 for the log of the run, 0 for none", count(&r.log)},
		{[]string{"relax"}, "1 to ignore integrality", count(&r.relax)},
		{[]string{"objno", "obj:no"}, "number of the objective, from 1; 0 for any feasible point", count(&r.objective)},
		{[]string{"wantsol"}, "without -AMPL, the sum of 1 write a .sol file, 2 print values, 4 print duals, 8 no message",
			count(&r.want)},
	}
}

// amplNumber reads a value that is not negative.
func amplNumber(v string) (float64, error) {
	x, err := strconv.ParseFloat(v, 64)
	if err != nil || !(x >= 0) {
		return 0, fmt.Errorf("%q is not a number from 0 on", v)
	}
	return x, nil
}

// amplCount reads a whole number that is not negative.
func amplCount(v string) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not a whole number from 0 on", v)
	}
	return n, nil
}

// newAMPL makes the command proxybd ampl.
func newAMPL(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "ampl MODEL [-AMPL] [key=value...]",
		Short: "Solve a .nl file of AMPL, Pyomo or JuMP",
		Long: `Solve a linear or mixed-integer linear program in the .nl format, in which AMPL, Pyomo and JuMP hand a model to a
solver. The word ampl may be left out: proxybd model.nl -AMPL is what these tools call. With -AMPL the answer goes into
model.sol, where they look for it: a message, values, duals and basis statuses of linear programs, and a code (0 solved,
200 infeasible, 300 unbounded, 400 a limit, 401 a limit without a point, 500 a failure). The exit code is 0 if the file
was written.

Options are words key=value on the command line or in the environment variable ` + amplOptions + `:

` + amplHelp() + `
A nonlinear model is refused with the name of the row and of what makes it so.`,
		Example: `  proxybd model.nl -AMPL timelim=60 mipgap=1e-3
  proxybd model.nl wantsol=3
  ` + amplOptions + `="threads=2 outlev=1" proxybd model -AMPL`,
		DisableFlagParsing: true, // -AMPL is no flag of ours
		RunE: func(c *cobra.Command, args []string) error {
			if slices.Contains(args, "--help") || slices.Contains(args, "-h") {
				return c.Help()
			}
			return a.solveAMPL(c.Context(), args)
		},
	}
	return c
}

// amplHelp lists the options.
func amplHelp() string {
	var b strings.Builder
	for _, o := range newAMPLRun().options() {
		fmt.Fprintf(&b, "  %-10s %s\n", o.names[0], o.help)
	}
	return b.String()
}

// parse reads the words of the environment first and those of the command line last, so that the latter count.
func (r *amplRun) parse(args []string) error {
	// The model is the one word that is neither -AMPL nor an option.
	var words []string
	for _, word := range args {
		switch {
		case word == "-AMPL":
			r.ampl = true
		case isAMPLOption(word):
			words = append(words, word)
		case r.stub == "":
			r.stub = strings.TrimSuffix(word, ".nl")
		default:
			return fmt.Errorf("%q is neither the model nor key=value", word)
		}
	}
	if r.stub == "" {
		return errors.New("the model is missing: proxybd model.nl -AMPL")
	}

	// Words of the variable may be "key value" instead of "key=value".
	given := strings.Fields(os.Getenv(amplOptions))
	for k := 0; k < len(given); k++ {
		word := given[k]
		if !strings.Contains(word, "=") && k+1 < len(given) && !strings.Contains(given[k+1], "=") {
			k++
			word += "=" + given[k]
		}
		if err := r.set(word); err != nil {
			return fmt.Errorf("%s: %w", amplOptions, err)
		}
	}
	for _, word := range words {
		if err := r.set(word); err != nil {
			return err
		}
	}
	r.tree.Threads = max(1, r.tree.Threads)
	r.tree.Seed = uint64(r.seed)
	return nil
}

// isAMPLOption reports whether a word is key=value and not the path of a model that has an equals sign in it: options
// have no slash, and none has a model as its value.
func isAMPLOption(word string) bool {
	return strings.Contains(word, "=") && !strings.ContainsAny(word, `/\`) && !strings.HasSuffix(word, ".nl")
}

// set applies one option.
func (r *amplRun) set(word string) error {
	key, value, found := strings.Cut(word, "=")
	for _, o := range r.options() {
		if !slices.Contains(o.names, strings.ToLower(key)) {
			continue
		}
		if !found {
			return fmt.Errorf("option %s has no value", key)
		}
		if err := o.set(value); err != nil {
			return fmt.Errorf("option %s: %w", key, err)
		}
		return nil
	}
	return fmt.Errorf("there is no option %q (proxybd -= lists them)", key)
}

// solveAMPL runs the command.
func (a *app) solveAMPL(ctx context.Context, args []string) error {
	if slices.Contains(args, "-=") {
		fmt.Fprint(a.stdout, amplHelp())
		return a.stdout.failed()
	}
	r := newAMPLRun()
	if err := r.parse(args); err != nil {
		return badInput(err)
	}
	if r.seconds > 0 {
		a.flags.timeLimit = time.Duration(min(r.seconds*float64(time.Second), math.MaxInt64/2))
	}
	a.flags.quiet = r.log == 0
	if err := a.openLog(a.began, &a.flags); err != nil {
		return err
	}

	// A file that cannot be written is an error before the model is solved.
	out := ""
	if r.ampl || r.want&wantFile != 0 {
		out = r.stub + ".sol"
	}
	if err := checkTarget(out); err != nil {
		return err
	}

	path := r.stub + ".nl"
	p, err := reading(a, path, func() (*nl.Problem, error) { return nl.ReadFile(path, r.objective) })
	if err != nil {
		return badInput(err)
	}
	a.log.warn(p.Warnings)
	a.log.model(path, p.Model, time.Since(a.began))
	s, err := r.solve(ctx, a, p)
	if err != nil {
		return err
	}
	if out != "" {
		if err := writeFile(out, func(w io.Writer) error { return nl.WriteSol(w, p, s) }); err != nil {
			return err
		}
	}
	r.print(a, p, s)
	return a.stdout.failed()
}

// solve solves the model, by branch and cut where it has integers.
func (r *amplRun) solve(ctx context.Context, a *app, p *nl.Problem) (*nl.Solution, error) {
	m := p.Model
	if r.relax > 0 {
		for j := range m.Cols {
			m.Cols[j].Integer = false
		}
	}
	if m.NumInteger() == 0 {
		return solveAMPLLinear(ctx, a, m)
	}

	// Columns without a starting value, those of special ordered sets among them, are completed by the search.
	opt := r.tree
	opt.TimeLimit = a.remaining()
	if p.Start != nil {
		start := slices.Clone(p.Start)
		for len(start) < len(m.Cols) {
			start = append(start, math.NaN())
		}
		opt.Start = [][]float64{start}
	}
	hooks, end := a.mipHooks(newTreeLog(a.log), &events{began: a.began}, opt.LogEvery)
	res, err := bnb.Solve(ctx, m, opt, hooks)
	end()
	if err != nil && !errors.Is(err, bnb.ErrNumerical) {
		return nil, err
	}

	// After a numerical failure the point still holds.
	s := &nl.Solution{Code: amplCode(res.Status, res.X != nil), X: res.X}
	s.Message = amplMessage(res.Status, res.Objective, res.X != nil) +
		fmt.Sprintf("\n%d simplex iterations\n%d branching nodes", res.LPIterations, res.Nodes)
	if res.X != nil && res.Status != lp.Optimal {
		s.Message += "\nbound " + showExact(res.Bound)
	}
	return s, nil
}

// solveAMPLLinear solves a model without integers, with duals and basis statuses.
func solveAMPLLinear(ctx context.Context, a *app, m *lp.Model) (*nl.Solution, error) {
	opt := simplex.DefaultOptions()
	opt.Limits.Time = a.remaining()
	if !a.flags.quiet {
		opt.Log = newLPLogger(newLPTable(a.log, false), a.began)
	}
	sol, err := simplex.Solve(ctx, m, opt)
	if err != nil {
		return nil, err
	}

	x := feasiblePoint(sol)
	s := &nl.Solution{Code: amplCode(sol.Status, x != nil), X: x}
	s.Message = amplMessage(sol.Status, sol.Objective, x != nil) + fmt.Sprintf("\n%d simplex iterations", sol.Iterations)
	if sol.Status == lp.Optimal {
		s.Dual = sol.RowDual
		s.ColBasis = amplBasis(sol.Basis.Cols)
		s.RowBasis = amplBasis(sol.Basis.Rows)
	}
	return s, nil
}

// basisOfAMPL has the basis statuses in the terms of AMPL.
var basisOfAMPL = map[simplex.VarStatus]nl.BasisStatus{
	simplex.Basic:   nl.Basic,
	simplex.AtLower: nl.AtLower,
	simplex.AtUpper: nl.AtUpper,
	simplex.AtZero:  nl.Free,
}

// amplBasis translates basis statuses.
func amplBasis(list []simplex.VarStatus) []nl.BasisStatus {
	out := make([]nl.BasisStatus, len(list))
	for k, v := range list {
		out[k] = basisOfAMPL[v]
	}
	return out
}

// amplCode is the code of a status.
func amplCode(s lp.Status, point bool) int {
	switch {
	case s == lp.Optimal:
		return nl.Solved
	case s == lp.Infeasible:
		return nl.Infeasible
	case s == lp.Unbounded:
		return nl.Unbounded
	case s.Limited() && point:
		return nl.Limit
	case s.Limited():
		return nl.LimitNoPoint
	}
	return nl.Failure
}

// amplMessage begins the message of a .sol file.
func amplMessage(s lp.Status, objective float64, point bool) string {
	text := fmt.Sprintf("proxybd %s: %s", cmp.Or(readVersion().Version, "(devel)"),
		strings.ReplaceAll(s.String(), "_", " "))
	if s == lp.Optimal {
		text += " solution"
	}
	if point && !math.IsNaN(objective) {
		text += "; objective " + showExact(objective)
	}
	return text
}

// print writes the message, and without -AMPL the values and duals that wantsol asks for.
func (r *amplRun) print(a *app, p *nl.Problem, s *nl.Solution) {
	if r.want&wantSilent == 0 {
		fmt.Fprintln(a.stdout, s.Message)
	}
	if r.ampl {
		return
	}

	// Values and duals have the names of the files beside the model.
	m := p.Model
	if r.want&wantValues != 0 && s.X != nil {
		for j, c := range m.Cols {
			if !c.Hidden {
				fmt.Fprintf(a.stdout, "%s %s\n", m.ColName(lp.Var(j)), showExact(s.X[j]))
			}
		}
	}
	if r.want&wantDuals != 0 && s.Dual != nil {
		for i, row := range m.Rows {
			if !row.Hidden {
				fmt.Fprintf(a.stdout, "%s %s\n", m.RowName(lp.Con(i)), showExact(s.Dual[i]))
			}
		}
	}
}
