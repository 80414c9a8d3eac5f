//go:build !unix

package cluster

import (
	"errors"
	"runtime"
)

// openPMI fails: PMI-1 needs a socket that is inherited from mpiexec.
func openPMI(func(string) string, int) (*pmiChannel, error) {
	return nil, errors.New("PMI is not supported on " + runtime.GOOS + ": use file:PATH")
}
