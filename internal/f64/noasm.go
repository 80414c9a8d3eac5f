//go:build !amd64 || purego

package f64

// implementations lists the implementations that can run here, the slowest first.
func implementations() []string { return []string{"generic"} }

// useImplementation switches to one of implementations and returns a function that switches back.
func useImplementation(string) (restore func()) { return func() {} }
