// Package totp makes and checks the one-time codes of operators (RFC 6238), as every
// authenticator app does: SHA-1, six digits, steps of thirty seconds.
package totp

import (
	"fmt"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
)

const (
	issuer      = "Enlace"
	stepSeconds = 30
	// skew is how many steps a clock may be off, to either side (RFC 6238, 5.2).
	skew = 1
	// lenSecret is what RFC 4226 recommends: 160 bits.
	lenSecret = 20
)

// Codigos implements [cuentas.Codigos].
type Codigos struct{}

// New implements [cuentas.Codigos].
func (Codigos) New(usuario string) (secreto, url cuentas.Secreto, err error) {
	key, err := totp.Generate(totp.GenerateOpts{
		Issuer: issuer, AccountName: usuario, Period: stepSeconds, SecretSize: lenSecret,
	})
	if err != nil {
		return "", "", fmt.Errorf("make totp secret: %w", err)
	}
	return cuentas.Secreto(key.Secret()), cuentas.Secreto(key.URL()), nil
}

// Match implements [cuentas.Codigos]. The newest step comes first, so that accepting a
// code forbids as many others as it can.
func (Codigos) Match(secreto cuentas.Secreto, codigo cuentas.Secreto, at time.Time) (paso int64, ok bool) {
	now := at.Unix() / stepSeconds
	for paso := now + skew; paso >= now-skew; paso-- {
		right, err := hotp.ValidateCustom(string(codigo), uint64(paso), string(secreto),
			hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err == nil && right {
			return paso, true
		}
	}
	return 0, false
}

var _ cuentas.Codigos = Codigos{}
