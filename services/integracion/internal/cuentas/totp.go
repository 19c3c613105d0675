package cuentas

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Codigos makes and checks the one-time codes of the second factor (RFC 6238).
type Codigos interface {
	// New makes a secret, and the address with which an authenticator app takes it.
	New(usuario string) (secreto, url Secreto, err error)
	// Match gives the time step of a code that is right now or was a moment ago.
	Match(secreto, codigo Secreto, at time.Time) (paso int64, ok bool)
}

// RemoveTOTP takes the second factor away. Tokens given out before are void.
func (s *Usuarios) RemoveTOTP(ctx context.Context, usuario string) error {
	return s.Store.RemoveTOTP(ctx, usuario)
}

// contextoTOTP binds a sealed secret to its operator.
func contextoTOTP(usuario string) string {
	return "totp:" + usuario
}

// errCodigo is the cause of a refusal that counts against the operator's second factor.
var errCodigo = errors.New("the code is wrong or was used before")

// checkCodigo asks for the code of an operator who has a second factor, and whose clave was
// right. A code that was accepted before is refused, within its time too (RFC 6238, 5.2).
func (s *Sesiones) checkCodigo(ctx context.Context, u Usuario, codigo Secreto) error {
	if u.TOTP.IsZero() {
		return nil
	}
	if isRecuperacion(codigo) {
		return s.useRecuperacion(ctx, u, codigo)
	}
	secreto, err := s.Caja.Open(u.TOTP, contextoTOTP(u.Usuario))
	if err != nil {
		return fmt.Errorf("open totp secret: %w", err)
	}
	if codigo == "" {
		// No guess, which alone counts against the operator.
		return errCredenciales(nil)
	}
	paso, right := s.Codigos.Match(secreto, codigo, s.Now())
	if !right {
		return errCredenciales(errCodigo)
	}
	fresh, err := s.Usuarios.UseTOTP(ctx, u.Usuario, paso)
	if err != nil {
		return err
	}
	if !fresh {
		return errCredenciales(errCodigo)
	}
	return nil
}
