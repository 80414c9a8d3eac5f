package cluster

import (
	"net"
	"os"
)

// machineHosts returns the name and the addresses of this machine, the loopback address last: a process on another
// machine reaches itself there, which the fingerprint of the certificate shows.
func machineHosts() []string {
	var hosts []string
	if name, err := os.Hostname(); err == nil && name != "" {
		hosts = append(hosts, name)
	}

	// Link-local addresses are left out: they need the name of an interface, which differs between machines.
	networks, err := net.InterfaceAddrs()
	if err != nil {
		networks = nil
	}
	for _, network := range networks {
		prefix, ok := network.(*net.IPNet)
		if !ok || !prefix.IP.IsGlobalUnicast() || len(hosts) == maxAddresses-1 {
			continue
		}
		hosts = append(hosts, prefix.IP.String())
	}
	return append(hosts, "127.0.0.1")
}
