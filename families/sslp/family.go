package sslp

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
)

// Family is stochastic server location. Its classes are servers x clients and the number of scenarios.
var Family = families.Family{
	Name:    family,
	About:   "stochastic server location, with integer recourse (.json)",
	Classes: []string{"5x25:50", "10x50:100", "40x50:50"},
	Formats: []families.Format{{
		Name: "JSON: one object with these keys and no other",
		Head: []string{`{"n_servers": 2, "n_clients": 3, "n_scenarios": 2, "max_servers": 0, "capacities": [9, 8],`,
			` "fixed_costs": [50, 40], "overflow_costs": [1000, 1000], "demands": [[1, 4], [3, 1], [2, 5]],`,
			` "revenues": [[1, 4], [3, 1], [2, 5]], "present": [[1, 1, 0], [0, 1, 1]]}`},
	}},
	Read: func(path string, o families.ReadOptions) (families.Instance, error) { return families.As(read(path)) },
	Generate: func(class string, seed uint64) (families.Instance, error) {
		return families.As(generate(class, seed))
	},
}

// family is what the command line, files and errors call the family.
const family = "sslp"

// errFormat is wrapped by the errors of read about the content of a file.
var errFormat = instance.FormatError("not a JSON file of stochastic server location")

// object says how files of the family are recognised and named in errors.
func object(path string) instance.Object {
	return instance.Object{Family: family, Path: path, Key: "n_servers", Format: errFormat}
}

// read reads a file, plain or packed. The name is taken from the path.
func read(path string) (*Instance, error) {
	d, name, err := instance.ReadObject[Data](object(path))
	if err != nil {
		return nil, err
	}
	return newInstance(name, d)
}

// Encode implements families.Instance: it writes the object, which has no place for the name, on one line.
func (in *Instance) Encode(w io.Writer) error { return json.NewEncoder(w).Encode(in.Data) }

// maxSize is the most servers, clients or scenarios of a generated instance.
const maxSize = 1 << 14

// generate makes an instance of servers x clients : scenarios, such as 40x50:50, as Chen and Luedtke (2022) do after
// Ntaimo and Sen: fixed costs from 40 to 80, demands from 0 to 25 that are also the revenues, capacities of 1.5 times
// the mean load of a server, overflow at 1000 a unit, and clients that come with probability one half.
func generate(class string, seed uint64) (*Instance, error) {
	shape, text, _ := strings.Cut(class, ":")
	count, err := strconv.Atoi(text)
	if err != nil || count < 1 || count > maxSize {
		return nil, fmt.Errorf("sslp: %w: %q is no class: servers x clients : scenarios, such as 40x50:50",
			families.ErrOptions, class)
	}
	sizes, err := families.ParseShape(shape, 2)
	if err != nil {
		return nil, err
	}
	if sizes[0] > maxSize || sizes[1] > maxSize {
		return nil, fmt.Errorf("sslp: %w: %s is too large", families.ErrOptions, shape)
	}

	// Demands are drawn first, since capacities rest on their sum.
	d := &Data{Servers: sizes[0], Clients: sizes[1], Scenarios: count}
	rng := rand.New(rand.NewPCG(seed, 0x73736c70))
	total := 0.0
	for range d.Clients {
		demands := make([]float64, d.Servers)
		for j := range demands {
			demands[j] = float64(rng.IntN(26))
			total += demands[j]
		}
		d.Demand = append(d.Demand, demands)
		d.Revenue = append(d.Revenue, demands)
	}

	for range d.Servers {
		d.Fixed = append(d.Fixed, float64(40+rng.IntN(41)))
		d.Capacity = append(d.Capacity, 1.5*total/float64(d.Servers))
		d.Overflow = append(d.Overflow, 1000)
	}
	for range d.Scenarios {
		present := make([]float64, d.Clients)
		for i := range present {
			present[i] = float64(rng.IntN(2))
		}
		d.Present = append(d.Present, present)
	}
	return newInstance(fmt.Sprintf("sslp%s-%d", strings.ReplaceAll(class, ":", "-"), seed), d)
}

// Perturb implements families.Instance: fixed costs and revenues times lognormal factors. Every design has a recourse.
func (in *Instance) Perturb(name string, sigma float64, seed uint64) (families.Instance, float64, error) {
	d := *in.Data
	factor, err := instance.Factors(d.Servers*(1+d.Clients), sigma, seed)
	if err != nil {
		return nil, 0, err
	}

	// The factors are those of the fixed costs, and then of the revenues client by client.
	d.Fixed = nil
	d.Revenue = nil
	for j, c := range in.Data.Fixed {
		d.Fixed = append(d.Fixed, c*factor[j])
	}
	for i, list := range in.Data.Revenue {
		revenues := make([]float64, d.Servers)
		for j, q := range list {
			revenues[j] = q * factor[d.Servers*(1+i)+j]
		}
		d.Revenue = append(d.Revenue, revenues)
	}
	out, err := newInstance(name, &d)
	return out, 1, err
}
