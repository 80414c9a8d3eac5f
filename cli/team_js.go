//go:build js

package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
)

// A page of a browser has one process. What a run of several needs is left out of its program, where it would be a
// third.

// errOneProcess refuses runs of several processes.
var errOneProcess = badInput(errors.New("--cluster: a page has one process"))

// team is the processes of a command: there are none here.
type team struct{}

// joinTeam refuses a run of several processes.
func (a *app) joinTeam(context.Context, crewOptions) (*team, error) {
	return nil, errOneProcess
}

func (*team) assign(context.Context, assignment) error { return errOneProcess }

func (*team) begin(context.Context, workload) error { return errOneProcess }

func (*team) run(context.Context, []uint64, [][]byte) ([][]byte, error) { return nil, errOneProcess }

func (*team) each(context.Context, [][]byte, func(int, []byte, error)) error { return errOneProcess }

func (*team) close() error { return nil }

func (*team) leave() ([]memberReport, error) { return nil, nil }

// newWorker makes the command proxybd worker, which refuses to work.
func newWorker(*app) *cobra.Command {
	return &cobra.Command{Use: "worker", Hidden: true, RunE: func(*cobra.Command, []string) error {
		return errOneProcess
	}}
}
