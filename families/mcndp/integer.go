package mcndp

import (
	"fmt"
	"math"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
)

// integerFlows is the option that makes flows whole numbers, such as vehicles or containers. The recourse is then a
// mixed-integer program.
var integerFlows = families.Option{
	Name: "integer-flows",
	Kind: families.Bool,
	For:  "is for network design",
	Help: "network design: flows are whole numbers",
}

// errNoWhole is the error of writing a program in a layout that has no place for the option.
var errNoWhole = fmt.Errorf("mcndp: %w: the layout does not say that flows are whole numbers: leave out --%s here, "+
	"and give it where the file is read, or write .smps", instance.ErrInstance, integerFlows.Name)

// withIntegerFlows returns a network, with its scenarios or with its own demands as the only one, whose flows are whole
// numbers.
func withIntegerFlows(in families.Instance) (families.Instance, error) {
	switch in := in.(type) {
	case *Scenarios:
		return families.As(makeScenarios(in.Network, in.Draws, true))
	case *Instance:
		return families.As(makeScenarios(in, []draw{{Probability: 1, Demand: in.Demand}}, true))
	}
	return in, nil
}

// wholeDemands returns an error for a demand that whole flows cannot bring.
func wholeDemands(draws []draw) error {
	for s, d := range draws {
		for i, v := range d.Demand {
			if v != math.Trunc(v) {
				return fmt.Errorf("mcndp: %w: --%s: the demand of commodity %d in scenario %d is %g, no whole number",
					instance.ErrInstance, integerFlows.Name, i+1, s+1, v)
			}
		}
	}
	return nil
}
