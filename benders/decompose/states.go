package decompose

import (
	"context"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
)

// States returns the training data of a program: the points at which an exact run separated, and random designs around
// them. solved is the result of that run.
func States(ctx context.Context, p *Program, o proxy.StatesOptions) (
	states []benders.State, solved *benders.Result, err error) {
	draw := p.Proxy.Draw
	if draw == nil {
		draw = proxy.Between(p.Model.Master().Cols)
	}

	// The run is exact, since a proxy is trained before there is a model.
	return proxy.States(ctx, o, func(ctx context.Context, b benders.Options) (*benders.Result, error) {
		so := DefaultOptions()
		if so.Benders = b; o.Paper && p.Model.Paper != nil {
			so.Scheme = Paper
		}
		return Solve(ctx, p, so)
	}, draw)
}
