package secreto

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
)

// The parameters that OWASP recommends for argon2id with the least memory that still is
// enough. They are written into each Hash, but a fingerprint has no place for them: to
// change them means to set every clave anew.
const (
	memoryKiB   = 19 * 1024
	passes      = 2
	parallelism = 1
	lenHash     = 32
	lenSalt     = 16
)

// Argon2 hashes claves. One call takes 19 MiB and tens of milliseconds.
type Argon2 struct {
	fixedSalt []byte
	nobody    []byte
}

// NewArgon2 derives the salt of the fingerprints from huellas.
func NewArgon2(huellas cuentas.Huellas) *Argon2 {
	return &Argon2{
		fixedSalt: huellas.Huella("clave de entrada", "")[:lenSalt],
		nobody:    huellas.Huella("nadie", "")[:lenSalt],
	}
}

// Fingerprint implements [cuentas.Hasher].
func (a *Argon2) Fingerprint(clave cuentas.Secreto) []byte {
	return hash(clave, a.fixedSalt)
}

// Hash implements [cuentas.Hasher], in the PHC string format.
func (a *Argon2) Hash(clave cuentas.Secreto) string {
	var salt [lenSalt]byte
	// It never fails, by its contract.
	_, _ = rand.Read(salt[:])
	return format(salt[:], hash(clave, salt[:]))
}

// Verify implements [cuentas.Hasher]. For no hash, or one that is not of the form of
// Hash, it does the same work and says no.
func (a *Argon2) Verify(clave cuentas.Secreto, stored string) bool {
	salt, want, ok := parse(stored)
	if !ok {
		salt, want = a.nobody, make([]byte, lenHash)
	}
	equal := subtle.ConstantTimeCompare(hash(clave, salt), want) == 1
	return equal && ok
}

func hash(clave cuentas.Secreto, salt []byte) []byte {
	return argon2.IDKey([]byte(clave), salt, passes, memoryKiB, parallelism, lenHash)
}

var (
	prefix = fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, memoryKiB, passes, parallelism)
	b64    = base64.RawStdEncoding
)

func format(salt, hash []byte) string {
	return prefix + b64.EncodeToString(salt) + "$" + b64.EncodeToString(hash)
}

func parse(stored string) (salt, hash []byte, ok bool) {
	rest, ok := strings.CutPrefix(stored, prefix)
	encodedSalt, encodedHash, cut := strings.Cut(rest, "$")
	if !ok || !cut {
		return nil, nil, false
	}
	salt, err := b64.DecodeString(encodedSalt)
	if err != nil {
		return nil, nil, false
	}
	hash, err = b64.DecodeString(encodedHash)
	return salt, hash, err == nil && len(hash) == lenHash
}

var _ cuentas.Hasher = (*Argon2)(nil)
