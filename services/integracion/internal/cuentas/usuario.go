package cuentas

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/enlace-iis/enlace/services/internal/errs"
)

// UsuarioPUI is the user with which the platform logs in, always (manual §8.1).
const UsuarioPUI = "PUI"

// Usuario is an operator: a person who looks after institutions and keys.
type Usuario struct {
	Usuario string
	Hash    string // of the clave
	// Version is carried by the operator's tokens; it goes up when the clave or the second
	// factor changes and voids them.
	Version int
	// TOTP is the secret of the second factor; zero: there is none.
	TOTP     Sellado
	CreadoEn time.Time
}

// UsuarioStore keeps operators. A missing one is NoEncontrado.
type UsuarioStore interface {
	// CreateUsuario is Conflicto if the name is taken.
	CreateUsuario(ctx context.Context, u Usuario) error
	GetUsuario(ctx context.Context, usuario string) (Usuario, error)
	// SetClave voids the tokens given out so far.
	SetClave(ctx context.Context, usuario, hash string) error
	// RevokeTokens voids the tokens given out so far.
	RevokeTokens(ctx context.Context, usuario string) error
	// SetTOTP sets the second factor, or takes it away if it is zero, and voids the tokens
	// given out so far.
	SetTOTP(ctx context.Context, usuario string, secreto Sellado) error
	// UseTOTP takes note of the time step of a code, and tells whether it is later than
	// that of every code before.
	UseTOTP(ctx context.Context, usuario string, paso int64) (bool, error)
}

// Usuarios is what is done with operators.
type Usuarios struct {
	Store   UsuarioStore
	Hasher  Hasher
	Caja    Caja
	Codigos Codigos
}

const (
	maxUsuario = 64
	// minClaveOperador is for claves that a person chose; the ones made up here are longer.
	minClaveOperador = 12
	maxClaveOperador = 128
)

// Create adds an operator and gives the clave back; an empty one is made up.
func (s *Usuarios) Create(ctx context.Context, usuario string, clave Secreto) (Secreto, error) {
	if !isUsuario(usuario) {
		return "", errs.New(errs.Validacion, "El usuario debe tener de 1 a 64 letras, dígitos o signos . _ - @, y no puede ser PUI.")
	}
	clave, err := claveOperador(clave)
	if err != nil {
		return "", err
	}
	err = s.Store.CreateUsuario(ctx, Usuario{Usuario: usuario, Hash: s.Hasher.Hash(clave)})
	if err != nil {
		return "", err
	}
	return clave, nil
}

// ChangeClave gives an operator another clave, and gives it back; an empty one is made up.
// Tokens given out before are void.
func (s *Usuarios) ChangeClave(ctx context.Context, usuario string, clave Secreto) (Secreto, error) {
	clave, err := claveOperador(clave)
	if err != nil {
		return "", err
	}
	err = s.Store.SetClave(ctx, usuario, s.Hasher.Hash(clave))
	if err != nil {
		return "", err
	}
	return clave, nil
}

// RevokeTokens voids all of an operator's tokens.
func (s *Usuarios) RevokeTokens(ctx context.Context, usuario string) error {
	return s.Store.RevokeTokens(ctx, usuario)
}

// claveOperador makes up a clave that was not given, and checks one that was.
func claveOperador(clave Secreto) (Secreto, error) {
	if clave == "" {
		return newClave(), nil
	}
	n := utf8.RuneCountInString(string(clave))
	if n < minClaveOperador || n > maxClaveOperador {
		return "", errs.New(errs.Validacion, "La clave debe tener de 12 a 128 caracteres.")
	}
	return clave, nil
}

// isUsuario is the constraint usuarios_usuario_check.
func isUsuario(s string) bool {
	if s == "" || len(s) > maxUsuario || s == UsuarioPUI {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') &&
			c != '.' && c != '_' && c != '-' && c != '@' {
			return false
		}
	}
	return true
}
