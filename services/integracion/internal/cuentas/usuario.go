package cuentas

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/enlace-iis/enlace/proto/errores"
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
	TOTP Sellado
	// TOTPNuevo is one that is being enrolled, and does not count yet.
	TOTPNuevo Sellado
	// Recuperaciones is how many recovery codes are left.
	Recuperaciones int
	CreadoEn       time.Time
	BajaEn         time.Time // zero: the operator is there
}

// UsuarioStore keeps operators. A missing one is NoEncontrado.
type UsuarioStore interface {
	// CreateUsuario is Conflicto if the name is taken.
	CreateUsuario(ctx context.Context, u Usuario) error
	// CreatePrimerUsuario is Conflicto if there is an operator already who has not left.
	CreatePrimerUsuario(ctx context.Context, u Usuario) error
	// GetUsuario finds the name as it is written.
	GetUsuario(ctx context.Context, usuario string) (Usuario, error)
	// GetUsuarioDeToken is NoEncontrado also if that token of the operator was voided.
	GetUsuarioDeToken(ctx context.Context, usuario, tokenID string) (Usuario, error)
	// VoidToken voids one token; repeating it is harmless.
	VoidToken(ctx context.Context, usuario, tokenID string) error
	// ListRestablecimientos gives what was reset of that operator by others within the span, or of
	// all operators if usuario is empty, newest first.
	ListRestablecimientos(ctx context.Context, usuario string, span time.Duration) ([]Restablecimiento, error)
	// SetClave voids the tokens given out so far.
	SetClave(ctx context.Context, usuario, hash string) error
	// RevokeTokens voids the tokens given out so far.
	RevokeTokens(ctx context.Context, usuario string) error
	// RemoveTOTP takes the second factor away, and voids the tokens given out so far.
	RemoveTOTP(ctx context.Context, usuario string) error
	// SetTOTPNuevo begins the enrolment of a second factor.
	SetTOTPNuevo(ctx context.Context, usuario string, secreto Sellado) error
	// ConfirmTOTP ends it: the second factor counts, recovery codes replace those from before,
	// and tokens given out so far are void. It gives the new version.
	ConfirmTOTP(ctx context.Context, usuario string, nuevo Sellado, paso int64, recuperacion [][]byte) (version int, err error)
	// UseRecuperacion uses a recovery code up, and tells whether there was one.
	UseRecuperacion(ctx context.Context, usuario string, huella []byte) (bool, error)
	ListUsuarios(ctx context.Context) ([]Usuario, error)
	// RemoveUsuario ends an account, with its tokens; repeating it is harmless.
	RemoveUsuario(ctx context.Context, usuario string) error
	// UseTOTP takes note of the time step of a code, and tells whether it is later than
	// that of every code before.
	UseTOTP(ctx context.Context, usuario string, paso int64) (bool, error)
}

// Restablecimiento is a clave or a second factor of an operator that another one replaced.
type Restablecimiento struct {
	Usuario    string
	Que        RestablecimientoTipo
	Por        string
	OcurridoEn time.Time
}

// RestablecimientoTipo is what was reset.
type RestablecimientoTipo string

// What can be reset.
const (
	RestablecidaClave  RestablecimientoTipo = "clave"
	RestablecidoFactor RestablecimientoTipo = "segundo_factor"
)

// RestablecimientoVisible is how long a reset is told to the operator whose it is, and to all.
const RestablecimientoVisible = 7 * 24 * time.Hour

// Usuarios is what is done with operators.
type Usuarios struct {
	Store  UsuarioStore
	Hasher Hasher
}

const (
	maxUsuario = 64
	// minClaveOperador is for claves that a person chose; the ones made up here are longer.
	minClaveOperador = 12
	maxClaveOperador = 128
)

var (
	formaUsuario       = fmt.Sprintf("El usuario debe tener de 1 a %d letras sin acento, dígitos o signos . _ -, y no puede parecer %s.", maxUsuario, strings.Join(reservados, ", "))
	formaClaveOperador = fmt.Sprintf("La clave debe tener de %d a %d caracteres.", minClaveOperador, maxClaveOperador)
)

// Create adds an operator and gives the clave back; an empty one is made up.
func (s *Usuarios) Create(ctx context.Context, usuario string, clave Secreto) (Secreto, error) {
	return s.create(ctx, usuario, clave, s.Store.CreateUsuario)
}

// CreatePrimero adds the first operator, whom nobody could add, in the same way.
func (s *Usuarios) CreatePrimero(ctx context.Context, usuario string, clave Secreto) (Secreto, error) {
	return s.create(ctx, usuario, clave, s.Store.CreatePrimerUsuario)
}

func (s *Usuarios) create(ctx context.Context, usuario string, clave Secreto, keep func(context.Context, Usuario) error) (Secreto, error) {
	if !isNuevoUsuario(usuario) {
		return "", errs.New(errores.Validacion, formaUsuario)
	}
	clave, err := claveOperador(clave)
	if err != nil {
		return "", err
	}
	err = keep(ctx, Usuario{Usuario: usuario, Hash: s.Hasher.Hash(clave)})
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

// List gives all operators by name, those who left too.
func (s *Usuarios) List(ctx context.Context) ([]Usuario, error) {
	return s.Store.ListUsuarios(ctx)
}

// Get gives an operator.
func (s *Usuarios) Get(ctx context.Context, usuario string) (Usuario, error) {
	return s.Store.GetUsuario(ctx, usuario)
}

// Remove ends an operator's account: clave and tokens work no more. Nobody ends the own one,
// so that somebody is left.
func (s *Usuarios) Remove(ctx context.Context, usuario, by string) error {
	if usuario == by {
		return errs.New(errores.Conflicto, "Nadie se da de baja a sí mismo: pídalo a otro operador.")
	}
	return s.Store.RemoveUsuario(ctx, usuario)
}

// claveOperador makes up a clave that was not given, and checks one that was.
func claveOperador(clave Secreto) (Secreto, error) {
	if clave == "" {
		return NewClave(), nil
	}
	n := utf8.RuneCountInString(string(clave))
	if n < minClaveOperador || n > maxClaveOperador {
		return "", errs.New(errores.Validacion, formaClaveOperador)
	}
	return clave, nil
}

// reservados are the names that the Bitácora gives to who is no operator, and those of the programs.
var reservados = []string{"pui", "sistema", "desconocido", "consola", "plataforma", "integracion", "registros", "gateway", "simulador"}

// isNuevoUsuario reports whether an operator may be given that name. It has to be one that no reader
// of the Bitácora takes for another: no letters that only look like these, and no reserved word
// with other capitals or with signs in it.
func isNuevoUsuario(s string) bool {
	plain := strings.ToLower(strings.NewReplacer(".", "", "_", "", "-", "").Replace(s))
	return isUsuario(s) && plain != "" && !strings.Contains(s, "@") && !slices.Contains(reservados, plain)
}

// isUsuario is the constraint usuarios_usuario_check. Names from before may have an @.
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
