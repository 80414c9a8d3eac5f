package families

import (
	"context"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
)

// States returns the training data of an instance: the points at which an exact run separated, and random designs.
// solved is the result of that run.
func States(ctx context.Context, in Instance, o proxy.StatesOptions) (states []benders.State, solved *benders.Result,
	err error) {
	p, err := in.Program()
	if err != nil {
		return nil, nil, err
	}
	draw := p.Draw
	if draw == nil {
		draw = proxy.Between(p.Master().Cols)
	}
	return proxy.States(ctx, o, func(b benders.Options) (*benders.Result, error) {
		so := decompose.DefaultOptions()
		so.Benders = b
		return Solve(ctx, in, so)
	}, draw)
}
