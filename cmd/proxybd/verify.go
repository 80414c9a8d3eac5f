package main

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/record"
	"github.com/proxybd/proxybd/verify"
)

// verifyReport is the object of proxybd verify. Its status is proven or not_proven.
type verifyReport struct {
	report
	Family      string `json:"family"`
	Instance    string `json:"instance"`
	Hash        string `json:"hash"`
	Method      string `json:"method"`
	Rows        int    `json:"rows"`
	Optimality  int    `json:"optimality_cuts"`
	Feasibility int    `json:"feasibility_cuts"`
	Leaves      int    `json:"leaves"`
}

func newVerify(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "verify RECORD",
		Short: "Prove a recorded run in exact arithmetic",
		Long: `Prove what a recorded run (proxybd solve --record) claims, in exact arithmetic and without any code of the
solvers: every row of the master and every cut follow from the instance in the record, the design costs
at most the objective, and no design costs less than the bound, leaf by leaf of the proof tree. The first
thing that fails is named with its line in the file, and the exit code is 1. A file that was altered in
any byte is refused as bad input (2).`,
		Example: `  proxybd solve cap41.txt --record cap41.record
  proxybd verify cap41.record`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.verify(c.Context(), args[0]) },
	}
	a.flags.addOutput(c)
	return c
}

// verify is the whole command: read, prove, report.
func (a *app) verify(ctx context.Context, path string) error {
	log, err := a.output()
	if err != nil {
		return err
	}
	defer log.close()
	rec, err := record.Read(path)
	if err != nil {
		var pathErr *fs.PathError
		if errors.As(err, &pathErr) {
			err = plainError(path, err)
		}
		return badInput(err)
	}
	log.printf("%s: %s, method %s, %d rows, %d cuts, %d nodes", rec.Header.Name, rec.Header.Family, rec.Header.Method, len(rec.Rows), len(rec.Cuts), len(rec.Tree))
	proof, err := verify.Verify(ctx, rec, proofProgress(log))
	if err != nil && !errors.Is(err, verify.ErrProof) {
		return err
	}
	out := verifyReport{report: newReport("proven", a.began), Family: rec.Header.Family, Instance: rec.Header.Name, Hash: rec.Instance.Hash,
		Method: rec.Header.Method, Rows: proof.Rows, Optimality: proof.Optimality, Feasibility: proof.Feasibility, Leaves: proof.Leaves}
	out.Command, out.Model = "verify", path
	if err != nil {
		out.Status = "not_proven"
	} else {
		out.Objective, out.Bound = number(proof.Objective), number(proof.Bound)
		out.Gap = number(relativeGap(proof.Objective, proof.Bound))
	}
	out.fault(err)
	a.finishProof(log, &out, err)
	return err
}

// finishProof writes the summary and the object. An error is reported by the caller.
func (a *app) finishProof(log *solverLog, out *verifyReport, err error) {
	items := out.items()
	if err == nil && math.IsInf(float64(out.Objective), 1) && math.IsInf(float64(out.Bound), 1) {
		items = append(items, item{"proof", "no design is feasible"})
	}
	log.summary(append(items, item{"rows", strconv.Itoa(out.Rows)},
		item{"cuts", strconv.Itoa(out.Optimality) + " optimality, " + strconv.Itoa(out.Feasibility) + " feasibility"},
		item{"leaves", strconv.Itoa(out.Leaves)}))
	if a.flags.json {
		a.reported = true
		if err := writeJSON(a.stdout, out); err != nil {
			a.code = exitFailure
		}
	}
}

// proofProgress writes a line every few seconds of a long proof.
func proofProgress(log *solverLog) func(string, int, int) {
	const every = 5 * time.Second
	last := time.Now()
	return func(what string, done, total int) {
		if now := time.Now(); now.Sub(last) >= every {
			last = now
			log.printf("%d of %d %s proven", done, total, what)
		}
	}
}
