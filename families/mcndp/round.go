package mcndp

import "math"

// addDown and addUp return a float64 on the safe side of the exact a + b.
func addDown(a, b float64) float64 { return math.Nextafter(a+b, math.Inf(-1)) }
func addUp(a, b float64) float64   { return math.Nextafter(a+b, math.Inf(1)) }
