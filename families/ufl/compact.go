package ufl

import "github.com/proxybd/proxybd/lp"

// compact returns the whole problem as one model, the strong formulation: the columns and rows of Master, and what
// AddAssignment of its Location adds. Any solver can take it.
func (in *Instance) compact() *lp.Model {
	model := in.master()
	in.AddAssignment(model)
	return model
}
