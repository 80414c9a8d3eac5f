package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
)

// The variables that the manifest of an Indexed Job sets (see the package documentation for a manifest).
// JOB_COMPLETION_INDEX is set by Kubernetes itself.
const (
	envSize       = "PROXYBD_CLUSTER_SIZE"        // spec.completions
	envHost       = "PROXYBD_CLUSTER_HOST"        // JOB-0.SERVICE: pod 0 by the name that the headless service gives it
	envPort       = "PROXYBD_CLUSTER_PORT"        // optional, 7117 where it is not set
	envSecret     = "PROXYBD_CLUSTER_SECRET"      // at least 32 characters, from a Secret; or
	envSecretFile = "PROXYBD_CLUSTER_SECRET_FILE" // the path of a file with them, mounted from a Secret
)

// kubernetesPort is the port of the coordinator where the manifest states none.
const kubernetesPort = "7117"

// kubernetesChannel carries nothing at run time: the manifest states the address, a Secret has the secret, and the
// certificate of rank 0 follows from the secret.
type kubernetesChannel struct {
	address string
	port    string
	secret  []byte
}

func openKubernetes(getenv func(string) string) (*kubernetesChannel, error) {
	host := getenv(envHost)
	if host == "" {
		return nil, fmt.Errorf("the variable %s is not set", envHost)
	}
	port := getenv(envPort)
	if port == "" {
		port = kubernetesPort
	}
	address := net.JoinHostPort(host, port)
	if err := checkAddress(address); err != nil {
		return nil, fmt.Errorf("%s and %s: %w", envHost, envPort, err)
	}

	secret, err := kubernetesSecret(getenv)
	if err != nil {
		return nil, err
	}
	return &kubernetesChannel{address: address, port: port, secret: secret}, nil
}

// kubernetesSecret reads the secret from the one of two variables that is set.
func kubernetesSecret(getenv func(string) string) ([]byte, error) {
	text, name := getenv(envSecret), envSecret
	if path := getenv(envSecretFile); path != "" {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", envSecretFile, err)
		}
		text, name = string(content), envSecretFile
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, errors.New("neither " + envSecret + " nor " + envSecretFile + " gives a secret")
	}
	if len(text) < secretSize {
		return nil, fmt.Errorf("%s: the secret has %d characters, less than %d", name, len(text), secretSize)
	}
	return []byte(text), nil
}

func (k *kubernetesChannel) terms() (terms, error) {
	return terms{listen: ":" + k.port, secret: k.secret}, nil
}

func (k *kubernetesChannel) renewable() bool { return false }

func (k *kubernetesChannel) publish(context.Context, rendezvous) error { return nil }

func (k *kubernetesChannel) await(context.Context) (rendezvous, error) {
	coordinator, err := derivedIdentity(k.secret, "coordinator")
	if err != nil {
		return rendezvous{}, err
	}
	return rendezvous{addresses: []string{k.address}, fingerprint: coordinator.fingerprint, secret: k.secret}, nil
}

func (k *kubernetesChannel) close() error { return nil }
