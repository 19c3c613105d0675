package secreto

import (
	"crypto/hmac"
	"crypto/sha256"
	"io"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
)

// Huellas makes HMAC-SHA256 with one secret. Values of different kinds never collide.
type Huellas struct {
	secret []byte
}

// NewHuellas takes the secret; changing it makes every earlier hash useless, the claves of
// the platform included.
func NewHuellas(secret string) *Huellas {
	return &Huellas{secret: []byte(secret)}
}

// Huella implements [cuentas.Huellas].
func (h *Huellas) Huella(tipo, valor string) []byte {
	mac := hmac.New(sha256.New, h.secret)
	// Writing to a hash never fails.
	_, _ = io.WriteString(mac, tipo+"\x00"+valor)
	return mac.Sum(nil)
}

var _ cuentas.Huellas = (*Huellas)(nil)
