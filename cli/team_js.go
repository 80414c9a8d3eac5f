//go:build js

package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
)

// A page of a browser has one process. What a run of several needs is left out of its program, of which it would be a
// third.

// errOneProcess refuses runs of several processes.
var errOneProcess = errors.New("--cluster: a page has one process")

// processes are those of a run of several.
type processes struct{}

// joinCluster refuses a run of several processes.
func (r *solveRun) joinCluster(context.Context) (worked bool, err error) {
	if r.flags.cluster != "" {
		return false, badInput(errOneProcess)
	}
	return false, nil
}

// leaveCluster has nothing to end.
func (r *solveRun) leaveCluster() ([]memberReport, error) { return nil, nil }

// newWorker makes the command proxybd worker, which refuses to work.
func newWorker(*app) *cobra.Command {
	return &cobra.Command{Use: "worker", Hidden: true, RunE: func(*cobra.Command, []string) error {
		return badInput(errOneProcess)
	}}
}
