package cuentas

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

// Cuenta is what an operator does with the own account, also while it has no second factor.
type Cuenta struct {
	Store   UsuarioStore
	Caja    Caja
	Codigos Codigos
	Huellas Huellas
	Tokens  Tokens
	Now     func() time.Time
}

// Inscripcion is a second factor that is being enrolled, for the operator's app.
type Inscripcion struct {
	URL     Secreto
	Secreto Secreto
}

// Begin makes a second factor, which does not count until a code confirms it.
func (s *Cuenta) Begin(ctx context.Context, usuario string) (Inscripcion, error) {
	secreto, address, err := s.Codigos.New(usuario)
	if err != nil {
		return Inscripcion{}, err
	}
	sellado, err := s.Caja.Seal(secreto, contextoTOTP(usuario))
	if err != nil {
		return Inscripcion{}, fmt.Errorf("seal totp secret: %w", err)
	}
	return Inscripcion{URL: address, Secreto: secretOf(address, secreto)}, s.Store.SetTOTPNuevo(ctx, usuario, sellado)
}

// secretOf is the secret as an app wants it typed, which is what its address has.
func secretOf(address, secreto Secreto) Secreto {
	parsed, err := url.Parse(string(address))
	if err != nil || parsed.Query().Get("secret") == "" {
		return secreto
	}
	return Secreto(parsed.Query().Get("secret"))
}

// Confirmada is an account whose second factor counts from now on.
type Confirmada struct {
	Token Secreto
	// Recuperacion are shown once; each serves once in the place of a code.
	Recuperacion []Secreto
}

// recuperaciones is how many recovery codes an operator gets.
const recuperaciones = 10

// Confirm makes the second factor count, once a code shows that the app has it. Tokens given
// out before are void, and recovery codes from before too. The new token is of the login at desde:
// it is no later one.
func (s *Cuenta) Confirm(ctx context.Context, usuario string, desde time.Time, codigo Secreto) (Confirmada, error) {
	u, err := s.Store.GetUsuario(ctx, usuario)
	if err != nil {
		return Confirmada{}, err
	}
	if u.TOTPNuevo.IsZero() {
		return Confirmada{}, errCodigoInscripcion("Pida primero un secreto para la aplicación de códigos.")
	}
	secreto, err := s.Caja.Open(u.TOTPNuevo, contextoTOTP(usuario))
	if err != nil {
		return Confirmada{}, fmt.Errorf("open totp secret: %w", err)
	}
	paso, right := s.Codigos.Match(secreto, codigo, s.Now())
	if !right {
		return Confirmada{}, errCodigoInscripcion("El código no es el que muestra la aplicación en este momento.")
	}
	var c Confirmada
	huellas := make([][]byte, recuperaciones)
	for i := range huellas {
		codigo := newRecuperacion()
		c.Recuperacion = append(c.Recuperacion, codigo)
		huellas[i] = huellaRecuperacion(s.Huellas, usuario, codigo)
	}
	version, err := s.Store.ConfirmTOTP(ctx, usuario, u.TOTPNuevo, paso, huellas)
	if err != nil {
		return Confirmada{}, err
	}
	c.Token, err = s.Tokens.Sign(Sesion{Sujeto: usuario, Rol: auth.RolOperador, Version: version, Desde: desde})
	if err != nil {
		return Confirmada{}, fmt.Errorf("sign token: %w", err)
	}
	return c, nil
}

func errCodigoInscripcion(mensaje string) error {
	return errs.New(errores.Validacion, mensaje).WithFields(errs.Campo("/codigo", errores.ValorNoAdmitido, mensaje))
}

const (
	lenRecuperacion   = 16
	groupRecuperacion = 4
)

// newRecuperacion draws 80 bits, in groups that are easily typed.
func newRecuperacion() Secreto {
	text := strings.ToLower(rand.Text())[:lenRecuperacion]
	var groups []string
	for i := 0; i < lenRecuperacion; i += groupRecuperacion {
		groups = append(groups, text[i:i+groupRecuperacion])
	}
	return Secreto(strings.Join(groups, "-"))
}

// huellaRecuperacion is how a recovery code is kept, whatever its case and signs.
func huellaRecuperacion(huellas Huellas, usuario string, codigo Secreto) []byte {
	plain := strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(string(codigo)))
	return huellas.Huella("recuperacion", usuario+":"+plain)
}

// isRecuperacion tells a recovery code from one of the app, which is six digits.
func isRecuperacion(codigo Secreto) bool {
	return len(strings.NewReplacer("-", "", " ", "").Replace(string(codigo))) == lenRecuperacion
}

// useRecuperacion takes a recovery code in the place of one of the app.
func (s *Sesiones) useRecuperacion(ctx context.Context, u Usuario, codigo Secreto) error {
	used, err := s.Usuarios.UseRecuperacion(ctx, u.Usuario, huellaRecuperacion(s.Huellas, u.Usuario, codigo))
	if err != nil {
		return err
	}
	if !used {
		return errCredenciales(errCodigo)
	}
	return nil
}
