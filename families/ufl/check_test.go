package ufl

import (
	"fmt"
	"math"
	"math/big"

	"github.com/proxybd/proxybd/benders"
)

// Check proves in exact arithmetic that a cut follows from its certificate and the instance, and so holds
// for every y in [0,1]^n: the certificate is finite and nonnegative, alpha is at most sum_i pi_i, and every
// slope, a missing one counted as 0, is at most -sum_i (pi_i - c_ij)+. It uses nothing of what made the cut.
func Check(in *Instance, cut *benders.Cut) error {
	clients, err := checkShape(in, cut)
	if err != nil {
		return err
	}
	pi := cut.Certificate.Vector()
	beta := make([]float64, in.Facilities)
	for k, j := range cut.Index {
		beta[j] = cut.Beta[k]
	}
	x := newExactSum(in, clients, pi, cut)
	total := x.zero()
	for _, v := range pi {
		x.add(total, v, 1)
	}
	if x.scaled(cut.Alpha).Cmp(total) > 0 {
		return fmt.Errorf("ufl: %w: alpha %g is above the sum of the duals", errCertificate, cut.Alpha)
	}
	for j := range in.Facilities {
		kappa := x.zero()
		for k, i := range clients {
			if c := in.Cost[i*in.Facilities+j]; pi[k] > c && in.Allowed(i, j) {
				x.add(kappa, pi[k], 1)
				x.add(kappa, c, -1)
			}
		}
		if x.scaled(beta[j]).Cmp(kappa.Neg(kappa)) > 0 {
			return fmt.Errorf("ufl: %w: the slope %g of facility %d is above the completion's", errCertificate, beta[j], j)
		}
	}
	return nil
}

// checkShape checks kind, epigraph, lengths and indices, that all numbers are finite and that no dual is
// negative; it returns the clients that the dual belongs to.
func checkShape(in *Instance, cut *benders.Cut) ([]int, error) {
	cert, ok := cut.Certificate.(*benders.Multipliers)
	if !ok || cut.Kind != benders.Optimality || cert.Of != cut.Kind {
		return nil, fmt.Errorf("ufl: %w: not an optimality cut of this family with its certificate", errCertificate)
	}
	var clients []int
	if cut.Theta == benders.AllEpigraphs {
		for i := range in.Clients {
			clients = append(clients, i)
		}
	} else if cut.Theta >= 0 && cut.Theta < in.Clients {
		clients = []int{cut.Theta}
	}
	if len(cert.Values) != len(clients) || len(clients) == 0 || len(cut.Index) != len(cut.Beta) {
		return nil, fmt.Errorf("ufl: %w: lengths that do not fit", errCertificate)
	}
	for _, v := range cert.Values {
		if !(v >= 0 && v <= math.MaxFloat64) {
			return nil, fmt.Errorf("ufl: %w: dual %g", errCertificate, v)
		}
	}
	seen := make([]bool, in.Facilities)
	for k, j := range cut.Index {
		if j < 0 || int(j) >= in.Facilities || seen[j] || math.IsNaN(cut.Beta[k]) || math.IsInf(cut.Beta[k], 0) {
			return nil, fmt.Errorf("ufl: %w: slope %g at index %d", errCertificate, cut.Beta[k], j)
		}
		seen[j] = true
	}
	if math.IsNaN(cut.Alpha) || math.IsInf(cut.Alpha, 0) {
		return nil, fmt.Errorf("ufl: %w: alpha %g", errCertificate, cut.Alpha)
	}
	return clients, nil
}

// exactSum does rational arithmetic on floats that share a power-of-two denominator, as integers: the
// unit is the least power of two that any of them needs.
type exactSum struct {
	unit int // exponent of the unit
	term big.Int
}

func newExactSum(in *Instance, clients []int, pi []float64, cut *benders.Cut) *exactSum {
	x := &exactSum{unit: math.MaxInt}
	x.refine(pi, cut.Beta, []float64{cut.Alpha})
	for _, i := range clients {
		x.refine(in.Row(i))
	}
	return x
}

// refine makes the unit small enough for the values.
func (x *exactSum) refine(parts ...[]float64) {
	for _, part := range parts {
		for _, v := range part {
			if v != 0 {
				_, e := math.Frexp(v)
				x.unit = min(x.unit, e-53)
			}
		}
	}
}

func (x *exactSum) zero() *big.Int { return new(big.Int) }

// add adds sign * v to s.
func (x *exactSum) add(s *big.Int, v float64, sign int64) {
	if v == 0 {
		return
	}
	f, e := math.Frexp(v) // v = f 2^e, and f 2^53 is an integer
	x.term.SetInt64(sign * int64(f*0x1p53))
	x.term.Lsh(&x.term, uint(e-53-x.unit))
	s.Add(s, &x.term)
}

func (x *exactSum) scaled(v float64) *big.Int {
	s := x.zero()
	x.add(s, v, 1)
	return s
}

// perturb is Instance.Perturb in the type of the family.
func perturb(in *Instance, sigma float64, seed uint64) (*Instance, error) {
	v, _, err := in.Perturb("variant", sigma, seed)
	if err != nil {
		return nil, err
	}
	return v.(*Instance), nil
}
