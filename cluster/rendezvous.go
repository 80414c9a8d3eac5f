package cluster

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// maxAddresses is the largest number of addresses of a coordinator: with it a rendezvous fits into a value of PMI-1,
// which Hydra limits to 1024 bytes.
const maxAddresses = 8

// rendezvous is what a worker needs to find the coordinator, to recognise it and to be admitted.
type rendezvous struct {
	addresses   []string // host:port, in the order in which they are tried
	fingerprint [secretSize]byte
	secret      []byte
}

// rendezvousFile is the content of an address file.
type rendezvousFile struct {
	Format      string   `json:"format"`
	Addresses   []string `json:"addresses"`
	Fingerprint string   `json:"fingerprint"`
	Secret      string   `json:"secret"`
}

const rendezvousFormat = "proxybd-cluster-1"

// encode returns one line of JSON without spaces, which PMI-1 does not allow in a value.
func (r rendezvous) encode() []byte {
	text, err := json.Marshal(rendezvousFile{
		Format:      rendezvousFormat,
		Addresses:   r.addresses,
		Fingerprint: hex.EncodeToString(r.fingerprint[:]),
		Secret:      hex.EncodeToString(r.secret),
	})
	if err != nil {
		panic(err) // strings alone are always encoded
	}
	return text
}

// decodeRendezvous reads what encode has written. The error names the field that is wrong, never its content.
func decodeRendezvous(text []byte) (rendezvous, error) {
	var file rendezvousFile
	if err := json.Unmarshal(text, &file); err != nil {
		return rendezvous{}, errors.New("not the JSON of an address file")
	}
	if file.Format != rendezvousFormat {
		return rendezvous{}, fmt.Errorf("field format: %q is not %q", file.Format, rendezvousFormat)
	}

	if len(file.Addresses) == 0 || len(file.Addresses) > maxAddresses {
		return rendezvous{}, fmt.Errorf("field addresses: %d addresses instead of 1 to %d", len(file.Addresses), maxAddresses)
	}
	for _, address := range file.Addresses {
		if err := checkAddress(address); err != nil {
			return rendezvous{}, fmt.Errorf("field addresses: %w", err)
		}
	}

	r := rendezvous{addresses: file.Addresses}
	fingerprint, err := hex.DecodeString(file.Fingerprint)
	if err != nil || len(fingerprint) != secretSize {
		return rendezvous{}, fmt.Errorf("field fingerprint: not %d bytes in hexadecimal digits", secretSize)
	}
	copy(r.fingerprint[:], fingerprint)
	r.secret, err = hex.DecodeString(file.Secret)
	if err != nil || len(r.secret) != secretSize {
		return rendezvous{}, fmt.Errorf("field secret: not %d bytes in hexadecimal digits", secretSize)
	}
	return r, nil
}

// checkAddress accepts host:port with a port from 1 to 65535.
func checkAddress(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil || host == "" {
		return fmt.Errorf("%q is not host:port", address)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return fmt.Errorf("%q: %q is not a port", address, port)
	}
	return nil
}

// terms are what a launcher prescribes for the coordinator. What is empty is chosen by the coordinator.
type terms struct {
	listen string
	hosts  []string // names under which the other processes find this one
	secret []byte   // the certificate follows from it, as nothing can travel from rank 0 to the others
}

// channel is the way of the rendezvous from rank 0 to the others, one for each launcher.
type channel interface {
	terms() (terms, error)
	publish(ctx context.Context, r rendezvous) error
	// await waits for the rendezvous; a second call returns what is current by then.
	await(ctx context.Context) (rendezvous, error)
	// renewable returns whether another coordinator may replace the rendezvous.
	renewable() bool
	// close is called once by either side; that of rank 0 leaves nothing behind.
	close() error
}

// open returns the channel of the launcher.
func (p Place) open(options Options) (channel, error) {
	switch p.Launcher {
	case File:
		return &fileChannel{path: p.path}, nil
	case Slurm:
		return openSlurm(p.getenv, options.Folder)
	case Kubernetes:
		return openKubernetes(p.getenv)
	case PMI:
		return openPMI(p.getenv, p.Rank)
	}
	return nil, errors.New("a place comes from Spec.Locate")
}

// addresses returns where a listener is reached: by the name or address that the user advertises, else by those that
// the launcher states, else by all of this machine.
func addresses(listener net.Addr, advertise string, hosts []string) ([]string, error) {
	listenHost, port, err := net.SplitHostPort(listener.String())
	if err != nil {
		return nil, err
	}
	if advertise != "" {
		if _, _, err := net.SplitHostPort(advertise); err != nil {
			advertise = net.JoinHostPort(strings.Trim(advertise, "[]"), port)
		}
		return []string{advertise}, checkAddress(advertise)
	}

	// A listener on one interface has one address.
	if ip := net.ParseIP(listenHost); ip != nil && !ip.IsUnspecified() {
		return []string{listener.String()}, nil
	}
	if len(hosts) == 0 {
		hosts = machineHosts()
	}
	var list []string
	for _, host := range hosts[:min(len(hosts), maxAddresses)] {
		list = append(list, net.JoinHostPort(host, port))
	}
	return list, nil
}
