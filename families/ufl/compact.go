package ufl

import (
	"github.com/proxybd/proxybd/families/location"
	"github.com/proxybd/proxybd/lp"
)

// compact returns the whole problem as one model, the strong formulation: the columns and the row of Master, and
// those of location.AddAssignment. Any solver can take it.
func (in *Instance) compact() *lp.Model {
	model := in.master()
	location.AddAssignment(model, in.Clients, in.Facilities, in.Row)
	return model
}
