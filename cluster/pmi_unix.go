//go:build unix

package cluster

import (
	"fmt"
	"net"
	"os"
)

// openPMI takes the socket whose descriptor is in PMI_FD.
func openPMI(getenv func(string) string, rank int) (*pmiChannel, error) {
	descriptor, err := envInt(getenv, "PMI_FD")
	if err != nil {
		return nil, err
	}

	// The connection has a descriptor of its own, so that the inherited one is closed.
	file := os.NewFile(uintptr(descriptor), "PMI_FD")
	conn, err := net.FileConn(file)
	file.Close()
	if err != nil {
		return nil, fmt.Errorf("PMI_FD: descriptor %d is not a socket of mpiexec: %w", descriptor, err)
	}
	return startPMI(conn, rank)
}
