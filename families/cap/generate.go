package cap

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/location"
	"github.com/proxybd/proxybd/internal/outward"
)

// errClass is wrapped by the errors of generate.
var errClass = errors.New("unusable instance class")

// class describes random instances in the manner of Cornuejols, Sridharan and Thizy (1991): clients and
// facilities uniform in the unit square, demands uniform in [5, 35], capacities uniform in [10, 160] and then
// scaled so that they add up to Ratio times the demand, unit costs 10 times the distance, and fixed costs
// U[0, 90] + U[100, 110] sqrt(s_j). Small ratios (1.5 to 3) are tight, 10 loose.
type class struct {
	Facilities, Clients int
	Ratio               float64
}

// generate makes the instance of a class that belongs to a seed. The ratio is at least 1.
func generate(c class, seed uint64) (*Instance, error) {
	n := c.Facilities
	m := c.Clients
	sizesFit := min(n, m) >= 1 && max(n, m) <= instance.MaxDim
	ratioFits := c.Ratio >= 1 && c.Ratio <= 1e6
	if !sizesFit || !ratioFits {
		return nil, fmt.Errorf("cap: %w: %+v", errClass, c)
	}

	in := &Instance{&location.Location{
		Name:       fmt.Sprintf("cap%dx%d-%g-%d", m, n, c.Ratio, seed),
		Facilities: n,
		Clients:    m,
		Capacity:   make([]float64, n),
		Fixed:      make([]float64, n),
		Demand:     make([]float64, m),
		Cost:       make([]float64, n*m),
	}}
	rng := rand.New(rand.NewPCG(seed, 0x63666c70)) // the stream is that of this family
	type point struct{ x, y float64 }
	sites := make([]point, n)
	var demand, capacity float64
	for j := range sites {
		sites[j] = point{rng.Float64(), rng.Float64()}
		in.Capacity[j] = 10 + float64(150*rng.Float64())
		capacity += in.Capacity[j]
	}

	// Clients have whole demands; the cost of serving all of one is in proportion to demand and distance.
	for i := range m {
		at := point{rng.Float64(), rng.Float64()}
		d := math.Round(5 + float64(30*rng.Float64()))
		in.Demand[i] = d
		demand += d
		for j, s := range sites {
			// The conversions forbid fused operations, so that every machine makes the same instance.
			dx := at.x - s.x
			dy := at.y - s.y
			in.Cost[i*n+j] = d * float64(10*math.Sqrt(float64(dx*dx)+float64(dy*dy)))
		}
	}

	// The capacities are scaled to the ratio, and fixed costs follow from them.
	factor := c.Ratio * demand / capacity
	for j := range in.Capacity {
		in.Capacity[j] = math.Ceil(in.Capacity[j] * factor)
		in.Fixed[j] = float64(90*rng.Float64()) + float64((100+float64(10*rng.Float64()))*math.Sqrt(in.Capacity[j]))
	}

	return in, in.Validate()
}

// Perturb implements families.Instance: every fixed cost, cost and capacity times its own factor exp(sigma Z), Z
// standard normal and independent, drawn from the seed; and if the capacities then no longer add up to the demand,
// though those of the instance do, all of them times one factor (paper, section 5.2). Zeros stay zero.
func (in *Instance) Perturb(name string, sigma float64, seed uint64) (families.Instance, float64, error) {
	out := in.Clone()
	out.Name = name
	if err := instance.Lognormal(sigma, seed, 0x6366701e, out.Fixed, out.Cost, out.Capacity); err != nil {
		return nil, 0, err
	}
	out.penalise()

	// Where the demand no longer fits, capacities rise a little above the least factor, for rounding.
	raised := 1.0
	demand := out.TotalDemand()
	have := outward.Total(out.Capacity)
	if have < demand && outward.Total(in.Capacity) >= demand {
		raised = demand / have * (1 + 1e-9)
		for j := range out.Capacity {
			out.Capacity[j] *= raised
		}
	}
	return out, raised, out.Validate()
}
