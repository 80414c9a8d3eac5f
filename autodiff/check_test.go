package autodiff

import (
	"fmt"
	"math"
)

// checkGradients compares the gradient of every parameter entry with the central difference quotient of step
// h and returns an error at the first entry where !(|gradient - quotient| <= tol (1 + |quotient|)). The
// values must be further than the effect of h from any kink. It restores the parameters; it costs two
// Forwards an entry.
func (t *Tape) checkGradients(h, tol float64) error {
	if err := t.Forward(); err != nil {
		return err
	}
	if err := t.Backward(); err != nil {
		return err
	}
	for i := range t.nodes {
		n := &t.nodes[i]
		if n.op != nil || n.grad.Data == nil {
			continue // not a parameter
		}
		for k, g := range n.grad.Data {
			q, err := t.quotient(n, k, h)
			if err != nil {
				return err
			}
			if !(math.Abs(g-q) <= tol*(1+math.Abs(q))) {
				return fmt.Errorf("autodiff: %s: entry %d has gradient %g but difference quotient %g", n.name, k, g, q)
			}
		}
	}
	return t.Forward()
}

// quotient moves one parameter entry both ways and restores it.
func (t *Tape) quotient(n *node, k int, h float64) (float64, error) {
	v := n.value.Data
	old := v[k]
	defer func() { v[k] = old }()
	var f [2]float64
	for s, x := range [2]float64{old + h, old - h} {
		v[k] = x
		if err := t.Forward(); err != nil {
			return 0, err
		}
		f[s] = t.nodes[t.loss].value.Data[0]
	}
	return (f[0] - f[1]) / ((old + h) - (old - h)), nil
}
