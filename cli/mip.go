package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/internal/unpack"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
)

// mipFlags are the flags of proxybd mip in addition to those that solving commands share.
type mipFlags struct {
	// How the model is changed first.
	presolve onOff
	symmetry onOff // of the model is used

	// What the search stops at.
	nodeLimit   int
	workLimit   float64 // in units of counted work
	absoluteGap float64
	memory      int64 // in bytes

	// Only points better than the cutoff are searched for, where it is given.
	cutoff    float64
	hasCutoff bool

	// The file of starting points, "" for none, and how many of the best points are reported.
	start string
	pool  int

	logEvery time.Duration
	threads  int

	iis iisFlags
}

// mipReport is the object of proxybd mip.
type mipReport struct {
	report
	// Counts of the search.
	Nodes        int `json:"nodes"`
	LPIterations int `json:"lp_iterations"`
	Incumbents   int `json:"incumbents"`

	// The size of the model as its file has it.
	Rows     int `json:"rows"`
	Columns  int `json:"columns"`
	Integers int `json:"integers"`
	Nonzeros int `json:"nonzeros"`

	// Rows that the search has added: cuts, and constraints of hooks.
	UserCuts int `json:"user_cuts"`
	LazyCuts int `json:"lazy_cuts"`

	// Work counts what no clock disturbs; of it, Span was done one step after the other.
	Work  number    `json:"work"`
	Span  number    `json:"span"`
	Parts []mipPart `json:"parts"`
	Pool  []number  `json:"pool,omitempty"` // objectives, best first

	// A subsystem of an infeasible model, where it was asked for.
	IIS *iisReport `json:"iis,omitempty"`

	// The objective and the bound over time.
	Trace []tracePoint `json:"trace"`
}

// mipPart is one component in the statistics of a search.
type mipPart struct {
	Name         string `json:"name"`
	Calls        int    `json:"calls"`
	Seconds      number `json:"seconds"` // without LPs, which count in the part lp
	LPSeconds    number `json:"lp_seconds"`
	LPIterations int    `json:"lp_iterations"`
	Found        int    `json:"found"`
}

// mipParts lists the components that did anything.
func mipParts(res *bnb.Result) []mipPart {
	// The list is never nil, so that the object has a list and not null.
	list := []mipPart{}
	for k, p := range res.Parts {
		// The part of the nodes is listed in any case, so that the list is never empty.
		if p.Calls > 0 || bnb.Part(k) == bnb.PartNodes {
			list = append(list, mipPart{
				Name:         bnb.Part(k).String(),
				Calls:        p.Calls,
				Seconds:      number(p.Time.Seconds()),
				LPSeconds:    number(p.LPTime.Seconds()),
				LPIterations: p.LPIterations,
				Found:        p.Found,
			})
		}
	}
	return list
}

// clock says how long the command has taken, and how much of that no component had.
func (r *mipReport) clock(began time.Time) {
	r.Seconds = number(time.Since(began).Seconds())
	// The part other has what remains, such as reading and writing, so that the parts add up to the whole.
	rest := r.Seconds
	for _, p := range r.Parts {
		rest -= p.Seconds
	}

	// Clocks of several parts may overlap by a little, and no part takes a negative time.
	r.Parts = append(r.Parts, mipPart{Name: "other", Seconds: max(0, rest)})
}

// newMIP makes the command proxybd mip.
func newMIP(a *app) *cobra.Command {
	var f mipFlags
	c := &cobra.Command{
		Use:   "mip MODEL",
		Short: "Solve a mixed-integer program (MPS, LP or .nl file)",
		Long: `Solve a mixed-integer linear program by branch and cut. MODEL is an .nl file, as its name says, or else an MPS
file, fixed or free, or an LP file, as its first line says. It may be packed by gzip, bzip2 or zstd; - is standard
input. A file to write that is named - is standard output, and one that ends in .gz is gzipped. The first column of the log
marks new incumbents: * from the relaxation of a node, H from a heuristic, S from --start.`,
		Example: `  proxybd mip p0033.mps
  proxybd mip model.mps.gz --gap 1e-3 --time-limit 10m --write-sol model.sol
  proxybd mip model.mps --solution model.csv.gz
  proxybd mip model.mps --start model.sol --json | jq '.objective, .bound'`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			// The default 0 of --cutoff is also a possible objective: the flag set records whether the flag was given.
			f.hasCutoff = c.Flags().Changed("cutoff")
			return a.solveMIP(c.Context(), args[0], f)
		},
	}

	// Flags of all solving commands, and of this command.
	a.flags.addSolve(c)
	a.flags.addGap(c)
	a.flags.addPage(c)
	a.flags.addProgress(c)
	f.add(c)
	groupFlags(c, mipFlagGroups)
	return c
}

// add adds the flags: of the limits and goals of a search, of the points that it begins and ends with, and others.
func (f *mipFlags) add(c *cobra.Command) {
	def := bnb.DefaultOptions()
	addCount(c, &f.nodeLimit, "node-limit", "stop after this many nodes")
	// Work is counted in the same way on every machine, unlike seconds.
	f.workLimit = def.MaxWork
	c.Flags().Var(workLimit(&f.workLimit), "work-limit",
		"stop after this many `UNITS` of work, as --json counts them: at the same node on every run")
	f.memory = math.MaxInt64
	c.Flags().Var(byteLimit(&f.memory), "memory-limit",
		"stop before the search holds more bytes than this, by its own estimate, such as 500MB or 4GiB")
	f.absoluteGap = def.AbsoluteGap
	c.Flags().Var((*nonnegative)(&f.absoluteGap), "absolute-gap",
		"or stop when |objective - bound| is at most this")
	c.Flags().Float64Var(&f.cutoff, "cutoff", 0, "look only for points better than this objective `VALUE`")

	// The points that a search begins with, and those that it reports.
	c.Flags().StringVar(&f.start, "start", "",
		"begin with the point in this `FILE`, a solution of CBC, CPLEX, GLPK, Gurobi, HiGHS, SCIP or ours, "+
			"or the (partial) starts of an .mst file")
	c.Flags().IntVar(&f.pool, "pool", 0,
		"report this many of the best points; with --write-sol x.sol the second goes to x.2.sol, and so on")

	// The settings of how the search is done.
	f.presolve = true
	f.symmetry = onOff(def.Symmetry)
	c.Flags().Var(&f.presolve, "presolve", "make the model smaller and tighter first: on or off")
	c.Flags().Var(&f.symmetry, "symmetry", "use permutations of columns that leave the model as it is: on or off")
	c.Flags().IntVar(&f.threads, "threads", def.Threads,
		"work on this many nodes of the tree at a time, 0 for one a processor, at most 8; every number is a search of its "+
			"own, the same on every run")
	f.logEvery = def.LogEvery
	f.iis.add(c)
	c.Flags().Var(durationLimit(&f.logEvery), "log-every", "minimum time between two rows of the log")
}

// options turns the flags into the options of a search. What the time limit leaves begins with the search.
func (f *mipFlags) options(a *app) bnb.Options {
	// Goals: the gaps at which a solution is good enough, and the cutoff that it must beat.
	opt := bnb.DefaultOptions()
	opt.Gap = a.flags.gap
	opt.AbsoluteGap = f.absoluteGap
	opt.Cutoff = f.cutoff
	opt.HasCutoff = f.hasCutoff

	// Limits, each of which ends the search with what it has.
	opt.TimeLimit = a.remaining()
	opt.MaxNodes = f.nodeLimit
	opt.MaxWork = f.workLimit
	opt.MaxMemory = f.memory

	// Settings of how the search goes on.
	opt.Seed = a.flags.seed
	opt.LogEvery = f.logEvery
	opt.Presolve = bool(f.presolve)
	opt.Symmetry = bool(f.symmetry)
	opt.PoolSize = f.pool
	if opt.Threads = f.threads; f.threads == 0 {
		opt.Threads = runtime.GOMAXPROCS(0)
	}
	return opt
}

// solveMIP runs the command: read the model and its starts, solve, report.
func (a *app) solveMIP(ctx context.Context, path string, f mipFlags) error {
	if err := errors.Join(checkThreads(f.threads), a.checkOutputs(), f.iis.check()); err != nil {
		return err
	}

	happened, err := a.newEvents()
	if err != nil {
		return err
	}

	a.beginPage()

	// Integrality and logic of the file are all part of the model.
	m, warnings, err := a.readModel(path)
	if err != nil {
		return err
	}
	a.logWarnings(warnings)
	a.log.model(path, m, time.Since(a.began))

	// Points of a file are only candidates: the search checks each of them. The time to read them counts.
	var start [][]float64
	if f.start != "" {
		if start, err = a.readStart(f.start, m); err != nil {
			return err
		}
	}
	opt := f.options(a)
	opt.Start = start
	if opt.Threads > bnb.MaxThreads {
		a.log.printf("--threads %d: a search has at most %d", opt.Threads, bnb.MaxThreads)
	}

	// The rows of the log are written by hooks of the search.
	rows := newTreeLog(a.log)
	hooks, end := a.mipHooks(rows, happened, opt.LogEvery)
	res, err := bnb.Solve(ctx, m, opt, hooks)
	end()
	if err != nil && !errors.Is(err, bnb.ErrNumerical) {
		return err
	}

	// The report refers to the model of the file, also after presolve.
	r := a.mipReport(path, m, &res)
	r.Warnings = warnings
	rows.result(r.ending(res.Nodes, res.LPIterations))

	// After a numerical failure the point and the bound still hold, and are reported with the error.
	if err != nil {
		r.Status = "error"
		r.fault(err, a.args)
	}

	// An infeasible model may have a reason.
	subsystem, lines, failed := f.iis.explain(ctx, a, m, res.Status)
	r.IIS = subsystem

	// Each file is written although another one could not be.
	unwritten := errors.Join(failed, a.presentMIP(m, res.Status, res.Objective, res.X, &r.report),
		a.writePool(m, res.Status, res.Pool))
	r.fault(unwritten, a.args)

	r.Trace = happened.result(&r.report, res.Nodes)

	// The clock comes last, so that the time of writing is part of the time that is reported.
	r.clock(a.began)
	a.log.parts(r.Parts)
	summary := append(r.items(), item{"nodes", strconv.Itoa(res.Nodes)},
		item{"LP iterations", strconv.Itoa(res.LPIterations)})
	a.finish(res.Status, &r, summary)
	a.conclude(lines...)
	for _, part := range r.Parts {
		a.page.addPart(part.Name, float64(part.Seconds))
	}
	return errors.Join(err, unwritten, a.finishPage(cmp.Or(m.Name, path), &r.report, r.Trace, summary))
}

// mipHooks are the hooks that write the log of a search, and the function that ends it. Without a log there are none.
func (a *app) mipHooks(rows *treeLog, happened *events, every time.Duration) (hooks bnb.Hooks, end func()) {
	// Hooks cost time, also where their rows go nowhere.
	logged := !a.flags.quiet || a.flags.logFile != "" || a.wantsPage()
	if traced := a.flags.json || happened.wanted(); !logged && !traced {
		return bnb.Hooks{}, func() {}
	}
	p := newPulse(every, func(p bnb.Progress) {
		rows.progress(p, p.Objective)
		happened.search(p)
	}, repeated)
	return bnb.Hooks{
		Progress: p.news,
		Presolved: func(m *lp.Model) {
			a.log.printf("presolve rows=%d columns=%d integers=%d nonzeros=%d", len(m.Rows), len(m.Cols), m.NumInteger(),
				m.NumEntries())
		},
		Symmetries: func(s bnb.Symmetries) {
			a.log.printf("symmetry generators=%d orbits=%d columns=%d rows=%d", s.Generators, s.Orbits, s.Columns, s.Rows)
		},
	}, p.stop
}

// repeated is the progress of a search without what was new.
func repeated(p bnb.Progress) bnb.Progress {
	p.Incumbent = false
	return p
}

// mipReport is the report of a search. The sizes are those of the model as its file has it.
func (a *app) mipReport(path string, m *lp.Model, res *bnb.Result) mipReport {
	own := m.Own()
	r := mipReport{
		report:       a.report("mip", path, res.Status, res.Objective, res.Bound),
		Nodes:        res.Nodes,
		LPIterations: res.LPIterations,
		Incumbents:   res.Incumbents,
		Rows:         own.Rows,
		Columns:      own.Cols,
		Integers:     own.Integers,
		Nonzeros:     own.Entries,
		UserCuts:     res.UserCuts,
		LazyCuts:     res.LazyCuts,
		Work:         number(res.Work),
		Span:         number(res.Span),
		Parts:        mipParts(res),
	}

	// The points of the pool are in the order of their objectives, best first.
	for _, p := range res.Pool {
		r.Pool = append(r.Pool, number(p.Objective))
	}
	return r
}

// writePool writes the points of the pool after the first, which is the solution.
func (a *app) writePool(m *lp.Model, status lp.Status, pool []bnb.Point) error {
	// Standard output can take one point alone.
	if a.flags.writeSol == "" || a.flags.writeSol == standard {
		return nil
	}

	// The number of a point stands before the endings: x.2.sol.gz.
	path, zipped := strings.CutSuffix(a.flags.writeSol, ".gz")
	ext := filepath.Ext(path)
	base := strings.TrimSuffix(path, ext)
	if zipped {
		ext += ".gz"
	}

	// Points are numbered from 1, as people count, and the first one is in the file without a number.
	for k := 1; k < len(pool); k++ {
		err := writeFile(fmt.Sprintf("%s.%d%s", base, k+1, ext), func(w io.Writer) error {
			return mps.WriteSolStyle(w, m, status, pool[k].Objective, pool[k].X, a.flags.solStyle)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readStart reads the starts of an .mst file, which may be partial, or the point of a solution file. Errors are bad
// input.
func (a *app) readStart(path string, m *lp.Model) ([][]float64, error) {
	return readFile(a, path, func(r io.Reader, name string) ([][]float64, error) {
		// The ending says which of the two it is; that of a packed file comes before .gz and the like.
		if strings.EqualFold(filepath.Ext(unpack.Plain(path)), ".mst") {
			return mps.ReadMST(r, name, m)
		}

		// A solution file has one point.
		x, err := mps.ReadSol(r, name, m)
		return [][]float64{x}, err
	})
}
