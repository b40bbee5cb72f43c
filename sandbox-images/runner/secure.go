package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"slices"
	"time"
)

// tlsConfig accepts every TLS version, so that a refusal can only come from a proxy in front. It is nil when no backend
// uses TLS.
func tlsConfig(upstreams []Upstream) (*tls.Config, error) {
	if !slices.ContainsFunc(upstreams, func(u Upstream) bool { return u.TLS }) {
		return nil, nil
	}
	certificate, err := selfSigned()
	if err != nil {
		return nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS10}, nil
}

// selfSigned creates a certificate that is valid longer than any sandbox runs.
func selfSigned() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "request-guard sandbox"},
		DNSNames:     []string{"sandbox.invalid"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().AddDate(1, 0, 0),
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

// readFrom is a connection whose first bytes are already in a buffer.
type readFrom struct {
	net.Conn
	reader io.Reader
}

func (r readFrom) Read(bytes []byte) (int, error) { return r.reader.Read(bytes) }

// secured adds TLS to the connection if the backend uses TLS. The first read or write makes the handshake.
func (u Upstream) secured(conn net.Conn, reader io.Reader, config *tls.Config) (net.Conn, io.Reader) {
	if !u.TLS {
		return conn, reader
	}
	secure := tls.Server(readFrom{conn, reader}, config)
	return secure, secure
}
