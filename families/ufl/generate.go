package ufl

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/location"
)

// errClass is wrapped by the errors of classOf and generate.
var errClass = errors.New("unknown or unusable instance class")

// class describes instances of Kratica's M type: for every client a demand d_i uniform in {1, ..., 5},
// unit costs u_ij uniform in [UnitLow, UnitHigh], c_ij = d_i u_ij, and with S_j = sum_i c_ij the fixed
// costs f_j = FixedLow + (FixedHigh - FixedLow) (Smax - S_j) / (Smax - Smin): the cheaper a facility
// serves, the more it costs to open.
type class struct {
	Name                string
	Facilities, Clients int
	UnitLow, UnitHigh   float64
	FixedLow, FixedHigh float64
}

// classes returns UflLib's M classes. MS and MT extrapolate the fixed costs of MR in proportion to the
// size.
func classes() []class {
	return []class{
		{"MO", 100, 100, 2, 10, 50, 300},
		{"MP", 200, 200, 2, 10, 100, 600},
		{"MQ", 300, 300, 2, 10, 150, 900},
		{"MR", 500, 500, 0.5, 5, 100, 600},
		{"MS", 1000, 1000, 0.5, 5, 200, 1200},
		{"MT", 2000, 2000, 0.5, 5, 400, 2400},
	}
}

// classOf returns the M class of that name.
func classOf(name string) (class, error) {
	all := classes()
	k := slices.IndexFunc(all, func(c class) bool { return c.Name == name })
	if k < 0 {
		return class{}, fmt.Errorf("ufl: %w: %q", errClass, name)
	}
	return all[k], nil
}

// customClass returns an M class of any size, named clients x facilities as shapes are. The costs follow the rule of
// the classes that surround it: up to 300 facilities that of MO to MQ (fixed costs n/2 to 3n), above it that of MR (n/5
// to 6n/5).
func customClass(facilities, clients int) class {
	n := float64(facilities)
	c := class{
		Name:       fmt.Sprintf("M%dx%d", clients, facilities),
		Facilities: facilities,
		Clients:    clients,
		UnitLow:    2,
		UnitHigh:   10,
		FixedLow:   n / 2,
		FixedHigh:  3 * n,
	}
	if facilities > 300 {
		c.UnitLow = 0.5
		c.UnitHigh = 5
		c.FixedLow = n / 5
		c.FixedHigh = 6 * n / 5
	}
	return c
}

// generate makes the instance of a class that belongs to a seed. If all facilities serve equally well,
// all fixed costs are FixedLow.
func generate(c class, seed uint64) (*Instance, error) {
	n := c.Facilities
	m := c.Clients
	sizesFit := min(n, m) >= 1 && max(n, m) <= instance.MaxDim
	unitsFit := c.UnitLow >= 0 && c.UnitLow <= c.UnitHigh
	fixedFit := c.FixedLow >= 0 && c.FixedLow <= c.FixedHigh
	if !sizesFit || !unitsFit || !fixedFit {
		return nil, fmt.Errorf("ufl: %w: %+v", errClass, c)
	}

	in := &Instance{&location.Location{
		Name:       fmt.Sprintf("%s-%d", c.Name, seed),
		Facilities: n,
		Clients:    m,
		Fixed:      make([]float64, n),
		Cost:       make([]float64, n*m),
	}}
	rng := rand.New(rand.NewPCG(seed, 0x75666c)) // the stream is that of this family
	served := make([]float64, n)
	for i := range m {
		d := float64(1 + rng.IntN(5))
		for j := range in.Row(i) {
			// The conversions forbid fused operations, so that every machine makes the same instance.
			u := c.UnitLow + float64((c.UnitHigh-c.UnitLow)*rng.Float64())
			in.Cost[i*n+j] = float64(d * u)
			served[j] += in.Cost[i*n+j]
		}
	}

	// The cheaper a facility serves all clients, the more it costs to open.
	low := slices.Min(served)
	high := slices.Max(served)
	for j, s := range served {
		in.Fixed[j] = c.FixedLow
		if high > low {
			in.Fixed[j] += float64((c.FixedHigh - c.FixedLow) * (high - s) / (high - low))
		}
	}

	return in, in.Validate()
}

// Perturb implements families.Instance: every fixed and assignment cost times its own factor exp(sigma Z), Z standard
// normal and independent, drawn from the seed. Costs that are zero stay zero.
func (in *Instance) Perturb(name string, sigma float64, seed uint64) (families.Instance, float64, error) {
	out := in.Clone()
	out.Name = name
	if err := instance.Lognormal(sigma, seed, 0x75666c70, out.Fixed, out.Cost); err != nil {
		return nil, 0, err
	}
	out.penalise()
	return out, 1, out.Validate()
}
