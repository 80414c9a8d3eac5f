package families

import (
	"context"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
)

// States returns the training data of an instance: the points at which an exact run separated, and random designs.
// solved is the result of that run.
func States(ctx context.Context, in Instance, o proxy.StatesOptions) (states []benders.State, solved *benders.Result,
	err error) {
	var draw proxy.Draw
	if d, ok := in.(Drawer); ok {
		draw = d.DrawStates
	} else {
		draw = proxy.Between(in.Master().Cols)
	}
	return proxy.States(ctx, o, func(b benders.Options) (*benders.Result, error) {
		return in.Solve(ctx, SolveOptions{Method: Exact, Scheme: Auto, Benders: b})
	}, draw)
}
