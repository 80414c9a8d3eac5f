package f64

import "testing"

// eachImplementation runs a test on every implementation of the kernels that this processor and build have.
func eachImplementation(t *testing.T, f func(t *testing.T)) {
	for _, name := range implementations() {
		t.Run(name, func(t *testing.T) {
			defer useImplementation(name)()
			f(t)
		})
	}
}
