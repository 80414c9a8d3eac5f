package families

import (
	"context"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
)

// States returns the training data of an instance; see decompose.States.
func States(ctx context.Context, in Instance, o proxy.StatesOptions) (
	states []benders.State, solved *benders.Result, err error) {
	if in, err = Listed(in); err != nil {
		return nil, nil, err
	}
	p, err := in.Program()
	if err != nil {
		return nil, nil, err
	}
	return decompose.States(ctx, p, o)
}
