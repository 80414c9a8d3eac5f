// Package proxybd is the root of a Benders decomposition system in pure Go: two-stage mixed-integer
// programs are solved exactly or by certified neural proxies, on a sparse dual simplex, a
// branch-and-cut solver, a reverse-mode autodiff and float64 kernels of its own.
//
// The packages, bottom up: lp (the model), simplex, bnb, benders, benders/proxy and families; autodiff and nn beside
// them; cli is the command line, cmd/proxybd the command. ARCHITECTURE.md gives the reasons for this division.
package proxybd
