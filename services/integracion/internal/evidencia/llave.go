package evidencia

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// Llaves sign evidence: the first one, the others are those from before.
type Llaves []ed25519.PrivateKey

// ParseLlaves reads keys as base64 of 32 bytes. The error names the place and never the key.
func ParseLlaves(texts []string) (Llaves, error) {
	var llaves Llaves
	for i, text := range texts {
		seed, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
		if err != nil || len(seed) != ed25519.SeedSize {
			return nil, fmt.Errorf("key %d: not %d bytes in base64", i+1, ed25519.SeedSize)
		}
		llaves = append(llaves, ed25519.NewKeyFromSeed(seed))
	}
	if len(llaves) == 0 {
		return nil, errors.New("there is no key")
	}
	return llaves, nil
}

// Publicas are the public keys, that of today first.
func (l Llaves) Publicas() []Publica {
	all := make([]Publica, len(l))
	for i, llave := range l {
		all[i] = Publica(llave.Public().(ed25519.PublicKey)) // by its contract
	}
	return all
}

// Publica is a key with which anybody checks evidence.
type Publica ed25519.PublicKey

// ID tells keys apart: the beginning of the key's SHA-256.
func (p Publica) ID() string {
	sum := sha256.Sum256(p)
	return hex.EncodeToString(sum[:8])
}

// String is the key in base64.
func (p Publica) String() string { return base64.StdEncoding.EncodeToString(p) }

// PEM is the key as openssl reads it.
func (p Publica) PEM() (string, error) {
	der, err := x509.MarshalPKIXPublicKey(ed25519.PublicKey(p))
	if err != nil {
		return "", fmt.Errorf("write public key: %w", err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), nil
}

// ParsePublica reads a public key in base64 or PEM.
func ParsePublica(text string) (Publica, bool) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
		return key, err == nil && len(key) == ed25519.PublicKeySize
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	key, is := parsed.(ed25519.PublicKey)
	return Publica(key), err == nil && is
}
