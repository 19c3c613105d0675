package secreto

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
)

// lenKey makes AES-256.
const lenKey = 32

// Caja encrypts with AES-256-GCM. It seals with its first key and opens with any, so a key
// is rotated by putting a new one in front.
type Caja struct {
	ids  []string // the current one first
	keys map[string]cipher.AEAD
}

// NewCaja reads keys as `id:base64 of 32 bytes[,id:…]`; the first is the current one. The
// error names the place and never the key.
func NewCaja(keys string) (*Caja, error) {
	caja := &Caja{keys: map[string]cipher.AEAD{}}
	for i, entry := range strings.Split(keys, ",") {
		id, encoded, ok := strings.Cut(strings.TrimSpace(entry), ":")
		if !ok || id == "" {
			return nil, fmt.Errorf("key %d: not of the form id:base64", i+1)
		}
		if caja.keys[id] != nil {
			return nil, fmt.Errorf("key %d: its id is there twice", i+1)
		}
		aead, err := newAEAD(encoded)
		if err != nil {
			return nil, fmt.Errorf("key %d: %w", i+1, err)
		}
		caja.keys[id] = aead
		caja.ids = append(caja.ids, id)
	}
	return caja, nil
}

func newAEAD(encoded string) (cipher.AEAD, error) {
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(key) != lenKey {
		return nil, fmt.Errorf("not %d bytes in base64", lenKey)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make cipher: %w", err)
	}
	// Draws a nonce for each message and puts it in front.
	return cipher.NewGCMWithRandomNonce(block)
}

// Seal implements [cuentas.Caja].
func (c *Caja) Seal(secreto cuentas.Secreto, contexto string) (cuentas.Sellado, error) {
	datos := c.keys[c.ids[0]].Seal(nil, nil, []byte(secreto), []byte(contexto))
	return cuentas.Sellado{Llave: c.ids[0], Datos: datos}, nil
}

// Llaves implements [cuentas.Llavero].
func (c *Caja) Llaves() []string { return c.ids }

// Open implements [cuentas.Caja].
func (c *Caja) Open(sellado cuentas.Sellado, contexto string) (cuentas.Secreto, error) {
	aead, known := c.keys[sellado.Llave]
	if !known {
		return "", fmt.Errorf("open secret: key %q is not configured", sellado.Llave)
	}
	secreto, err := aead.Open(nil, nil, sellado.Datos, []byte(contexto))
	if err != nil {
		return "", errors.New("open secret: it was not sealed with this key for this place")
	}
	return cuentas.Secreto(secreto), nil
}

var _ cuentas.Llavero = (*Caja)(nil)
