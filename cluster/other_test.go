//go:build !unix

package cluster

import (
	"errors"
	"os"
	"testing"
)

// socketPair skips the test: descriptors are not inherited here.
func socketPair(t *testing.T, _ *manager) int {
	t.Skip("PMI is not supported")
	return 0
}

func stopProcess(*os.Process) error { return errors.ErrUnsupported }
