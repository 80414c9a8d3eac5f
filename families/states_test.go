package families_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/cap"
	"github.com/proxybd/proxybd/families/mcndp"
	"github.com/proxybd/proxybd/families/mpsmodel"
	"github.com/proxybd/proxybd/families/netdes"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/families/scflp"
	"github.com/proxybd/proxybd/families/ufl"
)

// TestStatesDiffer collects the states of instances that have fewer designs than are asked for: in every family no
// point comes up twice, be it recorded or drawn.
func TestStatesDiffer(t *testing.T) {
	for _, k := range []struct {
		family families.Family
		class  string
	}{
		{ufl.Family, "5x4"},
		{cap.Family, "5x4:1.5"},
		{mcndp.Family, "4x8x2"},
		{netdes.Family, "4x3-H"},
		{scflp.Family, "4x3:3"},
		{mpsmodel.Family, "3x24x12"},
	} {
		for seed := range uint64(3) {
			in, err := k.family.Generate(k.class, seed)
			if errors.Is(err, families.ErrOptions) {
				continue // the draw cannot be routed
			}
			if err != nil {
				t.Fatal(err)
			}

			o := proxy.DefaultStatesOptions()
			o.Designs = 300
			states, _, err := pipeline.States(t.Context(), in, o)
			if err != nil {
				t.Fatal(err)
			}

			// The text of a point is its key: two states with the same text have the same point.
			seen := map[string]bool{}
			for _, s := range states {
				key := fmt.Sprint(s.Y)
				if seen[key] {
					t.Errorf("%s %s, seed %d: a repetition among %d states", k.family.Name, k.class, seed, len(states))
					break
				}
				seen[key] = true
			}
		}
	}
}
