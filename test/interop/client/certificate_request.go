package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"

	"github.com/openziti/identity"
)

// certificateRequest is a request for a certificate and the new key it is for, both in PEM.
type certificateRequest struct {
	request string
	key     string
}

func newCertificateRequest(commonName string) (*certificateRequest, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.CertificateRequest{Subject: pkix.Name{CommonName: commonName}}
	request, err := x509.CreateCertificateRequest(rand.Reader, template, key)
	if err != nil {
		return nil, err
	}
	encodedKey, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return &certificateRequest{
		request: encodePem("CERTIFICATE REQUEST", request),
		key:     encodePem("EC PRIVATE KEY", encodedKey),
	}, nil
}

// identityWith is what goes into an identity file once a certificate was given for the key.
func (c *certificateRequest) identityWith(certificate, authorities string) identity.Config {
	return identity.Config{Cert: "pem:" + certificate, Key: "pem:" + c.key, CA: "pem:" + authorities}
}

func encodePem(label string, bytes []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: label, Bytes: bytes}))
}
