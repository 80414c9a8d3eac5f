package autodiff_test

import (
	"fmt"
	"log"

	"github.com/proxybd/proxybd/autodiff"
)

// Fit y = w x + b to three points by gradient descent.
func Example() {
	w, b := []float64{0}, []float64{0}
	gw, gb := []float64{0}, []float64{0}
	t := autodiff.NewTape()
	x := t.Input("x", 3, 1)
	y := t.Input("y", 3, 1)
	e := t.Sub(t.Affine(x, t.Param("w", 1, 1, w, gw), t.Param("b", 1, 1, b, gb)), y)
	loss := t.Mean(t.Mul(e, e))
	if err := t.Compile(loss); err != nil {
		log.Fatal(err)
	}
	copy(x.Value(), []float64{0, 1, 2})
	copy(y.Value(), []float64{1, 3, 5})
	for range 500 {
		if err := t.Forward(); err != nil {
			log.Fatal(err)
		}
		if err := t.Backward(); err != nil {
			log.Fatal(err)
		}
		w[0] -= 0.2 * gw[0]
		b[0] -= 0.2 * gb[0]
	}
	fmt.Printf("y = %.3f x + %.3f, loss %.3f\n", w[0], b[0], loss.Scalar())
	// Output: y = 2.000 x + 1.000, loss 0.000
}
