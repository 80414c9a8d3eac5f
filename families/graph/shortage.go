package graph

import (
	"fmt"
	"strings"

	"github.com/proxybd/proxybd/benders/cutset"
)

// maxNamed is how many nodes of a set a sentence names.
const maxNamed = 12

// Infeasibility says in a sentence that a network has no design because of a set of nodes. The smaller side of the cut
// set is named. where is empty, or names the scenario of the demand.
func (n *Network) Infeasibility(s cutset.Shortage, where string) string {
	var inside, outside []string
	for v, in := range s.Inside {
		name := fmt.Sprint(n.node(int32(v)))
		if in {
			inside = append(inside, name)
		} else {
			outside = append(outside, name)
		}
	}

	// What leaves the nodes inside enters those outside.
	named, verb := inside, "leave"
	if len(outside) < len(inside) {
		named, verb = outside, "enter"
	}
	noun := "node"
	if len(named) > 1 {
		noun = "nodes"
	}
	rest := ""
	if len(named) > maxNamed {
		rest = fmt.Sprintf(" and %d more", len(named)-maxNamed)
		named = named[:maxNamed]
	}
	list := strings.Join(named, ", ")

	// A set without arcs is cut off from the others.
	if s.Arcs == 0 {
		return fmt.Sprintf("%.10g must %s %s {%s}%s%s, and no arc does", s.Demand, verb, noun, list, rest, where)
	}
	return fmt.Sprintf("%.10g must %s %s {%s}%s%s, and the arcs that do (%d) carry %.10g with all of them open", s.Demand,
		verb, noun, list, rest, where, s.Arcs, s.Capacity)
}
