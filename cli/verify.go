package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/record"
	"github.com/proxybd/proxybd/verify"
)

// verifyReport is the object of proxybd verify. Its status is proven or not_proven.
type verifyReport struct {
	report
	Family   string `json:"family"`
	Instance string `json:"instance"` // its name
	Hash     string `json:"hash"`     // of its program

	// The file that the record was proven to be about, absent without --instance.
	File string `json:"instance_file,omitempty"`

	// What was proven: rows of the master, cuts of the two kinds, and leaves of the tree.
	Method      string `json:"method"`
	Rows        int    `json:"rows"`
	Optimality  int    `json:"optimality_cuts"`
	Feasibility int    `json:"feasibility_cuts"`
	Leaves      int    `json:"leaves"`

	// What the run says of itself; records before schema 5 have none.
	Claimed *runClaim `json:"claimed,omitempty"`
}

// runClaim is what a run says of itself, in the sense of the instance. Without a design the objective is null, and so
// is an infinite bound.
type runClaim struct {
	Status string `json:"status"`
	claims
}

// claimedBy returns the claim of the run, nil where the record has none.
func claimedBy(rec *record.Record) (*runClaim, error) {
	run := rec.Header.Run
	if run == nil {
		return nil, nil
	}

	// The claim of the run has the form of the claims of a record, and is read in the same way.
	alike := record.Record{Header: record.Header{Objective: run.Objective, Bound: run.Bound}, Instance: rec.Instance}
	c, err := claimed(&alike)
	if err != nil {
		return nil, err
	}
	return &runClaim{run.Status, *c}, nil
}

// item is the line of the summary.
func (c *runClaim) item() item {
	// The status is a text of the file, which may hold anything.
	return item{"claimed", plainText(c.Status) + ", " + c.claims.text()}
}

// newVerify makes the command proxybd verify.
func newVerify(a *app) *cobra.Command {
	var f verifyOptions
	c := &cobra.Command{
		Use:   "verify RECORD [--instance FILE]",
		Short: "Prove a recorded run in exact arithmetic",
		Long: `Prove what a recorded run (proxybd solve --record) claims, in exact arithmetic and without any code of the
solvers: every row of the master and every cut follow from the instance in the record, the design costs
at most the objective, and no design costs less than the bound, leaf by leaf of the proof tree. The first
thing that fails is named with its line in the file, and the exit code is 1: sizes that do not fit are
among them. A file that was altered in any byte, or says what the format does not have, is refused as bad
input (2).

The line claimed (the field claimed of --json) is what solve printed: status, objective and bound. Where the
record proves less, because floats cannot say the proof, because the design is feasible to tolerances alone,
or because a limit ended the proof before the bound of the run was reached, objective and bound are those
that are proven, the status is not_proven, the message says what is missing, and the exit code is 1. Records
of older versions of the program have no such claim: then what is proven is all that is said.

The record holds the instance, and what is proven is about that. With --instance FILE the command reads
the file as solve does (with --family, --capacity and --first-stage where solve was given them) and
proves first that its program is that of the record, number for number; names do not matter. If it is
another one the exit code is 1. The field hash of --json is that of solve --json, but for programs with
scenarios whose records are of their extensive forms (all families but netdes).`,
		Example: `  proxybd solve cap41.txt --record cap41.record
  proxybd verify cap41.record --instance cap41.txt`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			// Options of reading are of no use where no instance is read.
			if name, given := firstGiven(c.Flags(), a.known.readFlags()...); given && f.instance == "" {
				return unused(name, "says how --instance FILE is read")
			}
			return a.verify(c.Context(), args[0], f)
		},
	}

	// The flags of reading are those of --instance: a record holds its own instance.
	c.Flags().StringVar(&f.instance, "instance", "", "prove that the record is about this instance `FILE`")
	a.addFamily(c, &f.family, &f.file)
	a.flags.addOutput(c)
	return c
}

// verifyOptions name the instance that a record is to be about.
type verifyOptions struct {
	// The file, and how it is read.
	instance, family string
	file             families.ReadOptions
}

// verify runs the command: read the record, prove that it is about the instance, prove what it claims, report.
func (a *app) verify(ctx context.Context, path string, f verifyOptions) error {
	rec, err := readFile(a, path, record.Read)
	if err != nil {
		return err
	}

	// Texts of the file are shown as plain text, since the file may come from anyone.
	a.log.printf("%s: %s, method %s, %d rows, %d cuts, %d nodes", plainText(rec.Header.Name), plainText(rec.Header.Family),
		plainText(rec.Header.Method), len(rec.Rows), len(rec.Cuts), len(rec.Tree))

	// Of a record about another instance nothing more is proven.
	about := f.about(a, rec)
	if about != nil && !errors.Is(about, verify.ErrProof) {
		return about
	}

	// The proof names the line of the first thing that fails.
	var proof verify.Report
	if err = about; err == nil {
		proof, err = verify.Verify(ctx, rec, proofProgress(a.log))
	}
	if err != nil && !errors.Is(err, verify.ErrProof) {
		return err
	}

	// A record that proves less than it claims has a report, too.
	out, bad := a.verifyReport(path, rec, &proof, err)
	if bad != nil {
		return bad
	}

	// The file is named only where the proof that the record is about it succeeded.
	if about == nil {
		out.File = f.instance
	}
	a.finishProof(&out, err)
	return err
}

// verifyReport is the report of a proof, or of one that failed with an error.
func (a *app) verifyReport(path string, rec *record.Record, proof *verify.Report, failed error) (verifyReport, error) {
	out := verifyReport{
		report:      newReport("proven", a.began),
		Family:      rec.Header.Family,
		Instance:    rec.Header.Name,
		Hash:        proof.Hash,
		Method:      rec.Header.Method,
		Rows:        proof.Rows,
		Optimality:  proof.Optimality,
		Feasibility: proof.Feasibility,
		Leaves:      proof.Leaves,
	}
	out.Command = "verify"
	out.Model = path
	// The status and the message say what failed.
	if failed != nil {
		out.Status = "not_proven"
		out.fault(failed, a.args)
	}

	// Where the record proves less than the run claims, what it proves is reported next to the claim.
	if failed != nil && !errors.Is(failed, verify.ErrClaim) {
		return out, nil
	}
	var err error
	if out.Claimed, err = claimedBy(rec); err != nil {
		return out, err
	}

	// The proof is of a minimisation, and the report is in the sense of the instance.
	out.Objective = number(proof.Objective)
	out.Bound = number(proof.Bound)
	if proof.Maximize {
		out.Objective = -out.Objective
		out.Bound = -out.Bound
	}
	out.Gap = number(lp.RelativeGap(proof.Objective, proof.Bound))
	return out, nil
}

// about reads the instance file, if there is one, and proves that the record is about it.
func (f *verifyOptions) about(a *app, rec *record.Record) error {
	if f.instance == "" {
		return nil
	}

	// The file is read as solve reads it, so that both have the same program.
	_, in, err := a.openInstance(f.family, f.instance, f.file)
	if err != nil {
		return err
	}
	data, err := pipeline.Data(in)
	if err != nil {
		return badInput(fmt.Errorf("--instance: %w", err))
	}

	// Names do not matter: the numbers of the program are compared.
	if err := verify.About(rec, in.Label().Family, data...); err != nil {
		return fmt.Errorf("the record is not about %s: %w", f.instance, err)
	}
	return nil
}

// plainText is a text of a record for people, quoted if it holds more than printable characters.
func plainText(s string) string {
	// A control character could change what the terminal shows.
	if strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}

// finishProof writes the summary and the object. An error is reported by the caller.
func (a *app) finishProof(out *verifyReport, err error) {
	items := out.items()
	// The claim of the run stands before what is proven.
	if out.Claimed != nil {
		items = slices.Insert(items, 1, out.Claimed.item())
	}

	// Equal infinite values say that the instance is infeasible.
	if b := float64(out.Bound); err == nil && out.Objective == out.Bound && math.IsInf(b, 0) {
		items = append(items, item{"proof", "no design is feasible"})
	}
	if out.File != "" {
		items = append(items, item{"instance", out.File + ": the program of the record, number for number"})
	}

	// The sizes of the proof come last.
	a.summarise(append(items, item{"rows", strconv.Itoa(out.Rows)},
		item{"cuts", strconv.Itoa(out.Optimality) + " optimality, " + strconv.Itoa(out.Feasibility) + " feasibility"},
		item{"leaves", strconv.Itoa(out.Leaves)}))
	if a.printObject(out) != nil {
		a.code = exitFailure
	}
}

// proofProgress writes a line every few seconds of a long proof.
func proofProgress(log *solverLog) func(string, int, int) {
	// The clock begins with the proof.
	const every = 5 * time.Second
	last := time.Now()
	return func(what string, done, total int) {
		// Most proofs end before the first line.
		if now := time.Now(); now.Sub(last) >= every {
			last = now
			log.printf("%d of %d %s proven", done, total, what)
		}
	}
}
