package cuentas

import (
	"log/slog"

	"github.com/enlace-iis/enlace/services/internal/huella"
)

// oculto stands for a secret wherever one would be printed.
const oculto = "[oculto]"

// Secreto is a text that must be readable again but never printed: a clave, an API key. It
// hides itself from fmt and from logs; a conversion to string is what shows it.
type Secreto string

// String hides the secret.
func (Secreto) String() string { return oculto }

// GoString hides the secret.
func (Secreto) GoString() string { return oculto }

// LogValue hides the secret.
func (Secreto) LogValue() slog.Value { return slog.StringValue(oculto) }

// MarshalText hides the secret, in JSON too.
func (Secreto) MarshalText() ([]byte, error) { return []byte(oculto), nil }

// Sellado is a secret as the database keeps it: encrypted, with the id of the key that
// opens it, so that keys can be rotated.
type Sellado struct {
	Llave string
	Datos []byte
}

// IsZero tells whether there is no secret.
func (s Sellado) IsZero() bool { return s.Llave == "" }

// Caja encrypts secrets that must be readable again. The context is bound to the
// ciphertext, so that one institution's secret opens in no other place.
type Caja interface {
	Seal(secreto Secreto, contexto string) (Sellado, error)
	Open(sellado Sellado, contexto string) (Secreto, error)
}

// Hasher turns claves into what may be stored, with argon2id. Every method does the same
// amount of work, whatever it is given; callers bound how many run at once.
type Hasher interface {
	// Fingerprint is always the same for the same clave, so that a clave alone finds its
	// institution.
	Fingerprint(clave Secreto) []byte
	// Hash is salted at random.
	Hash(clave Secreto) string
	// Verify compares with a Hash; an empty hash matches nothing.
	Verify(clave Secreto, hash string) bool
}

// Huellas makes keyed hashes.
type Huellas = huella.Maker
