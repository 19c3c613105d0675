package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"math/big"
	"strings"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

// An API key is iis_<ambiente>_<key id>_<secret><checksum> (contract, section 5).
const (
	keyPrefix      = "iis"
	maxAmbiente    = 16
	newKeyID       = 20
	minKeyID       = 16
	maxKeyID       = 26
	secretDigits   = 43 // 256 bits in base 62
	checksumDigits = 6  // 32 bits in base 62
)

// Key is an API key: who it says it is, and the secret that proves it. It prints, logs and
// marshals without the secret.
type Key struct {
	// Comparing keys with == would compare pointers, and is not what anyone should do with
	// secrets.
	_ [0]func()

	// Ambiente is the environment the key was made for, such as "produccion".
	Ambiente string
	// ID is the public identifier.
	ID string

	// A pointer, so that printing a struct which holds a Key in an unexported field, where
	// package fmt calls no methods, shows an address.
	secret *string
}

// Generate makes a new key. The ambiente is 1 to 16 lower-case letters and digits.
func Generate(ambiente string) (Key, error) {
	if !validAmbiente(ambiente) {
		return Key{}, errors.New("generate api key: the ambiente must be 1 to 16 lower-case letters and digits")
	}
	return Key{
		Ambiente: ambiente,
		ID:       rand.Text()[:newKeyID],
		secret:   new(randomSecret()),
	}, nil
}

// Parse reads a key as a client presents it. A mistyped one is refused here, by its
// checksum, without a look-up. The error is CredencialInvalida and says nothing of the key.
func Parse(text string) (Key, error) {
	prefix, rest, _ := strings.Cut(text, "_")
	ambiente, rest, _ := strings.Cut(rest, "_")
	id, tail, _ := strings.Cut(rest, "_")
	if prefix != keyPrefix || !validAmbiente(ambiente) || !validKeyID(id) || !validTail(tail) {
		return Key{}, errInvalida(errors.New("parse api key: not the format of a key"))
	}
	key := Key{Ambiente: ambiente, ID: id, secret: new(tail[:secretDigits])}
	if key.checksum() != tail[secretDigits:] {
		return Key{}, errInvalida(errors.New("parse api key: the checksum does not match"))
	}
	return key, nil
}

// Reveal gives the whole key, to be shown to its owner once. Nothing else does.
func (k Key) Reveal() string {
	return k.unchecked() + k.checksum()
}

// SecretHash is what the database keeps: the SHA-256 of the key without its checksum. A
// plain hash is enough for 256 random bits, and as it covers the ambiente and the id,
// neither can be altered.
func (k Key) SecretHash() [sha256.Size]byte {
	return sha256.Sum256([]byte(k.unchecked()))
}

// Prefijo is the part that may be shown at any time, so that an owner can tell keys apart.
func (k Key) Prefijo() string {
	return keyPrefix + "_" + k.Ambiente + "_" + k.ID
}

// String shows the public part.
func (k Key) String() string {
	return k.Prefijo() + "_…"
}

// Format keeps every verb of package fmt, %#v and %d included, from printing the secret.
func (k Key) Format(state fmt.State, _ rune) {
	// A Formatter has no way to report a failed write; fmt keeps it itself.
	_, _ = io.WriteString(state, k.String())
}

// LogValue shows the public part.
func (k Key) LogValue() slog.Value {
	return slog.StringValue(k.String())
}

// MarshalText shows the public part.
func (k Key) MarshalText() ([]byte, error) {
	return []byte(k.String()), nil
}

func (k Key) unchecked() string {
	if k.secret == nil {
		return k.Prefijo() + "_"
	}
	return k.Prefijo() + "_" + *k.secret
}

func (k Key) checksum() string {
	sum := crc32.ChecksumIEEE([]byte(k.unchecked()))
	return fixedBase62(new(big.Int).SetUint64(uint64(sum)), checksumDigits)
}

func randomSecret() string {
	var bits [32]byte
	// rand.Read never fails; it ends the process instead.
	_, _ = rand.Read(bits[:])
	return fixedBase62(new(big.Int).SetBytes(bits[:]), secretDigits)
}

// fixedBase62 pads with zeros: a field of fixed width needs no separator.
func fixedBase62(number *big.Int, width int) string {
	text := number.Text(62)
	return strings.Repeat("0", width-len(text)) + text
}

func validAmbiente(text string) bool {
	return len(text) >= 1 && len(text) <= maxAmbiente && consistsOf(text, isLowerOrDigit)
}

func validKeyID(text string) bool {
	return len(text) >= minKeyID && len(text) <= maxKeyID && consistsOf(text, isLetterOrDigit)
}

func validTail(text string) bool {
	return len(text) == secretDigits+checksumDigits && consistsOf(text, isLetterOrDigit)
}

func consistsOf(text string, member func(byte) bool) bool {
	for i := range len(text) {
		if !member(text[i]) {
			return false
		}
	}
	return true
}

func isLowerOrDigit(char byte) bool {
	return char >= 'a' && char <= 'z' || char >= '0' && char <= '9'
}

func isLetterOrDigit(char byte) bool {
	return isLowerOrDigit(char) || char >= 'A' && char <= 'Z'
}

// errInvalida is the one answer for a credential that is not right, whatever the cause.
func errInvalida(cause error) error {
	return errs.Wrap(cause, errores.CredencialInvalida, errores.DetalleCredencialInvalida)
}
