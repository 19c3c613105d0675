// Package huella makes the keyed hashes by which both services know a person or a record whose
// data is gone.
package huella

import (
	"crypto/hmac"
	"crypto/sha256"
	"io"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Huellas makes HMAC-SHA256 with one secret. Values of different kinds never collide.
type Huellas struct {
	secret []byte
}

// New takes the secret; changing it makes every earlier hash useless, the claves of the platform
// included.
func New(secret string) *Huellas {
	return &Huellas{secret: []byte(secret)}
}

// Huella implements [Maker].
func (h *Huellas) Huella(tipo, valor string) []byte {
	mac := hmac.New(sha256.New, h.secret)
	// Writing to a hash never fails.
	_, _ = io.WriteString(mac, tipo+"\x00"+valor)
	return mac.Sum(nil)
}

// Maker makes keyed hashes, for values that are compared and counted but not kept.
type Maker interface {
	// Huella is the hash of a value of a kind.
	Huella(tipo, valor string) []byte
}

// CURP is the hash of a CURP, the same for every institution; nil of none.
func CURP(huellas Maker, curp string) []byte {
	if curp == "" {
		return nil
	}
	return huellas.Huella("curp", curp)
}

// Folio is the hash of an institution's folio.
func Folio(huellas Maker, empresa tenant.EmpresaID, folio string) []byte {
	return huellas.Huella("folio", string(empresa)+" "+folio)
}
