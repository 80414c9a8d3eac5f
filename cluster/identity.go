package cluster

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"time"
)

// secretSize is the number of bytes of a secret, of a fingerprint and of the seed of a key.
const secretSize = 32

// identity is a key with a certificate that it has signed itself. The same seed gives the same certificate.
type identity struct {
	certificate tls.Certificate
	fingerprint [secretSize]byte // SHA-256 of the certificate
}

func newIdentity(seed []byte) (identity, error) {
	key := ed25519.NewKeyFromSeed(seed)

	// Peers compare fingerprints, so the certificate has no name, and dates that never matter.
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:     time.Date(2120, 1, 1, 0, 0, 0, 0, time.UTC),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return identity{}, err
	}
	return identity{
		certificate: tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		fingerprint: sha256.Sum256(der),
	}, nil
}

// derivedIdentity returns the identity that whoever has the secret can make for a role.
func derivedIdentity(secret []byte, role string) (identity, error) {
	seed, err := hkdf.Key(sha256.New, secret, nil, "proxybd cluster "+role, secretSize)
	if err != nil {
		return identity{}, err
	}
	return newIdentity(seed)
}

func randomSecret() []byte {
	secret := make([]byte, secretSize)
	rand.Read(secret) // it never returns an error
	return secret
}

// errFingerprint is wrapped by the error of a handshake whose peer has another certificate than is expected.
var errFingerprint = errors.New("the certificate of the peer is not the expected one")

// expect returns the check of a handshake that the peer's certificate is the one with the fingerprint. The handshake
// itself proves that the peer has the key of the certificate.
func expect(fingerprint [secretSize]byte) func(tls.ConnectionState) error {
	return func(state tls.ConnectionState) error {
		if len(state.PeerCertificates) == 0 {
			return fmt.Errorf("%w: there is none", errFingerprint)
		}
		got := sha256.Sum256(state.PeerCertificates[0].Raw)
		if subtle.ConstantTimeCompare(got[:], fingerprint[:]) != 1 {
			return errFingerprint
		}
		return nil
	}
}

// serverTLS is the configuration of the coordinator: a peer whose certificate is not the one that the secret gives is
// refused within the handshake, before a byte of it reaches the RPC library.
func serverTLS(own identity, secret []byte) (*tls.Config, error) {
	worker, err := derivedIdentity(secret, "worker")
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:             tls.VersionTLS13,
		Certificates:           []tls.Certificate{own.certificate},
		ClientAuth:             tls.RequireAnyClientCert,
		VerifyConnection:       expect(worker.fingerprint),
		SessionTicketsDisabled: true,
		NextProtos:             []string{"h2"},
	}, nil
}

// clientTLS is the configuration of a worker. Under TLS 1.3 it shows its own certificate only after the coordinator's
// has been accepted.
func clientTLS(fingerprint [secretSize]byte, secret []byte) (*tls.Config, error) {
	worker, err := derivedIdentity(secret, "worker")
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		Certificates:       []tls.Certificate{worker.certificate},
		InsecureSkipVerify: true, // there is no authority: the fingerprint is compared instead
		VerifyConnection:   expect(fingerprint),
		NextProtos:         []string{"h2"},
	}, nil
}
