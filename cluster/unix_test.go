//go:build unix

package cluster

import (
	"net"
	"os"
	"syscall"
	"testing"
)

// socketPair returns the descriptor that a process of the manager inherits.
func socketPair(t *testing.T, m *manager) int {
	t.Helper()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(pair[1]), "manager")
	conn, err := net.FileConn(file)
	file.Close()
	if err != nil {
		t.Fatal(err)
	}
	go m.serve(conn)
	t.Cleanup(func() { conn.Close() })
	return pair[0]
}

// stopProcess halts a process without ending its connections.
func stopProcess(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }
