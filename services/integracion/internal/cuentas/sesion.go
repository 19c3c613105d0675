package cuentas

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/process/fair"
)

// Sesion is what a token says of its holder.
type Sesion struct {
	// ID names the token. Empty before it is signed.
	ID        string
	Sujeto    string // the user
	Rol       auth.Rol
	EmpresaID tenant.EmpresaID // only with RolPUI
	// Version is the Empresa's or the Usuario's at login; the token lasts while it does.
	Version int
	// Desde is when the holder showed the clave. Zero before the first token is signed: then.
	Desde time.Time
}

// Tokens signs sessions, for an hour each.
type Tokens interface {
	Sign(s Sesion) (Secreto, error)
}

// Credenciales is a try to log in.
type Credenciales struct {
	EmpresaID tenant.EmpresaID // of an institution's own address; empty at the root
	Usuario   string
	Clave     Secreto
	Codigo    Secreto // of the second factor; empty if there is none
	IP        string  // where the try comes from
}

// SesionStore is what a login needs from storage.
type SesionStore interface {
	// FindEmpresaByClave finds the institution with that fingerprint of its clave.
	FindEmpresaByClave(ctx context.Context, huella []byte) (Empresa, error)
	// LoginWait is how long a try must wait for its limits; zero: it may go on.
	LoginWait(ctx context.Context, o OrigenLogin, limite LimiteLogin) (time.Duration, error)
	// RecordLoginFailure counts a wrong login against each part of o that is given.
	RecordLoginFailure(ctx context.Context, o OrigenLogin) error
}

// Sesiones lets the platform and operators in.
type Sesiones struct {
	SesionesConfig
	claves *fair.Gate
}

// SesionesConfig is what Sesiones works with.
type SesionesConfig struct {
	Store    SesionStore
	Empresas EmpresaStore
	Usuarios UsuarioStore
	Hasher   Hasher
	Huellas  Huellas
	Tokens   Tokens
	// Caja, Codigos and Now serve the second factor of operators.
	Caja    Caja
	Codigos Codigos
	Now     func() time.Time
	Limite  LimiteLogin
	// SegundoFactor requires one of operators.
	SegundoFactor bool
}

// NewSesiones makes a Sesiones. One clave per core is examined at a time: argon2id takes
// 19 MiB and tens of milliseconds of a core, which a flood of logins must not multiply. The
// cores are those that the container is given, not the machine's.
func NewSesiones(cfg SesionesConfig) *Sesiones {
	return &Sesiones{
		SesionesConfig: cfg,
		claves:         fair.New(fair.Config{Capacity: int64(runtime.GOMAXPROCS(0)), Share: maxClaves}),
	}
}

// Login gives a token for a user and its clave, and what the token says. An unknown user, a
// wrong clave and a suspended institution cost the same work and get the same answer.
func (s *Sesiones) Login(ctx context.Context, c Credenciales) (Secreto, Sesion, error) {
	sesion, err := s.admit(ctx, c)
	if err != nil {
		return "", Sesion{}, err
	}
	token, err := s.Tokens.Sign(sesion)
	if err != nil {
		return "", Sesion{}, fmt.Errorf("sign token: %w", err)
	}
	return token, sesion, nil
}

func (s *Sesiones) admit(ctx context.Context, c Credenciales) (Sesion, error) {
	// Before all else (contract.md 8), and before the turn, so that refusals do not queue
	// behind real logins.
	origen := s.origenOf(c)
	err := s.checkLimits(ctx, origen)
	if err != nil {
		return Sesion{}, err
	}
	err = c.validate()
	if err != nil {
		return Sesion{}, err
	}
	return s.examine(ctx, c, origen)
}

// maxCredencial bounds what is hashed and stored.
const maxCredencial = 256

func (c Credenciales) validate() error {
	refusal := errs.SolicitudInvalida()
	for _, campo := range []struct{ nombre, valor string }{{"usuario", c.Usuario}, {"clave", string(c.Clave)}} {
		switch {
		case campo.valor == "":
			refusal = refusal.WithFields(errs.CampoManual(campo.nombre, errores.Requerido, "es obligatorio"))
		case len(campo.valor) > maxCredencial:
			refusal = refusal.WithFields(errs.CampoManual(campo.nombre, errores.Longitud, "es demasiado largo"))
		case manual.HasControl(campo.valor):
			// No user has one, and PostgreSQL takes no NUL.
			refusal = refusal.WithFields(errs.CampoManual(campo.nombre, errores.CaracterNoPermitido, "no admite caracteres de control"))
		}
	}
	if len(c.Codigo) > maxCredencial {
		refusal = refusal.WithFields(errs.CampoManual("codigo", errores.Longitud, "es demasiado largo"))
	}
	if len(refusal.Fields) == 0 {
		return nil
	}
	return refusal
}

func (s *Sesiones) identify(ctx context.Context, c Credenciales) (Sesion, error) {
	if c.Usuario == UsuarioPUI {
		return s.identifyPUI(ctx, c)
	}
	return s.identifyOperador(ctx, c)
}

// identifyPUI finds the institution by its clave alone (pui.md, decided here); under an
// institution's own address it must be that one.
func (s *Sesiones) identifyPUI(ctx context.Context, c Credenciales) (Sesion, error) {
	empresa, err := s.Store.FindEmpresaByClave(ctx, s.Hasher.Fingerprint(c.Clave))
	if errs.Is(err, errores.NoEncontrado) {
		return Sesion{}, errCredenciales(nil)
	}
	if err != nil {
		return Sesion{}, err
	}
	if empresa.Estado != EmpresaActiva || c.EmpresaID != "" && c.EmpresaID != empresa.ID {
		return Sesion{}, errCredenciales(nil)
	}
	return Sesion{Sujeto: UsuarioPUI, Rol: auth.RolPUI, EmpresaID: empresa.ID, Version: empresa.Version}, nil
}

// identifyOperador admits operators at the root only: an institution's own address is the
// platform's.
func (s *Sesiones) identifyOperador(ctx context.Context, c Credenciales) (Sesion, error) {
	usuario, err := s.findUsuario(ctx, c.Usuario)
	if err != nil {
		return Sesion{}, err
	}
	// Also for a user that does not exist, whose hash is empty.
	right := s.Hasher.Verify(c.Clave, usuario.Hash)
	if !right || c.EmpresaID != "" {
		return Sesion{}, errCredenciales(nil)
	}
	err = s.checkCodigo(ctx, usuario, c.Codigo)
	if err != nil {
		return Sesion{}, err
	}
	rol := auth.RolOperador
	if s.SegundoFactor && usuario.TOTP.IsZero() {
		rol = auth.RolInscripcion
	}
	return Sesion{Sujeto: usuario.Usuario, Rol: rol, Version: usuario.Version}, nil
}

// findUsuario gives the zero Usuario for one that does not exist. A name that is none is not
// looked up: it may hold what the database refuses.
func (s *Sesiones) findUsuario(ctx context.Context, nombre string) (Usuario, error) {
	if !isUsuario(nombre) {
		return Usuario{}, nil
	}
	usuario, err := s.Usuarios.GetUsuario(ctx, nombre)
	if errs.Is(err, errores.NoEncontrado) || err == nil && !usuario.BajaEn.IsZero() {
		return Usuario{}, nil
	}
	return usuario, err
}

// HasUsuario tells whether there is such a user: the platform's, or an operator.
func (s *Sesiones) HasUsuario(ctx context.Context, nombre string) (bool, error) {
	if nombre == UsuarioPUI {
		return true, nil
	}
	usuario, err := s.findUsuario(ctx, nombre)
	return usuario.Usuario != "", err
}

// Check tells whether a session that was signed here still stands, and gives the name of
// its institution if it has one.
func (s *Sesiones) Check(ctx context.Context, sesion Sesion) (string, error) {
	nombre, version, err := s.current(ctx, sesion)
	if errs.Is(err, errores.NoEncontrado) {
		return "", errTokenInvalido()
	}
	if err != nil {
		return "", err
	}
	if version != sesion.Version {
		return "", errTokenInvalido()
	}
	return nombre, nil
}

func (s *Sesiones) current(ctx context.Context, sesion Sesion) (nombre string, version int, err error) {
	if sesion.Rol != auth.RolPUI {
		usuario, err := s.Usuarios.GetUsuarioDeToken(ctx, sesion.Sujeto, sesion.ID)
		if err == nil && (!usuario.BajaEn.IsZero() || sesion.Rol == auth.RolOperador && s.SegundoFactor && usuario.TOTP.IsZero()) {
			err = errTokenInvalido()
		}
		return "", usuario.Version, err
	}
	empresa, err := s.Empresas.GetEmpresa(ctx, sesion.EmpresaID)
	if err == nil && empresa.Estado != EmpresaActiva {
		err = errTokenInvalido()
	}
	return empresa.Nombre, empresa.Version, err
}

// errCredenciales is the one refusal of whatever was wrong; its cause is for the log.
func errCredenciales(cause error) error {
	return errs.Wrap(cause, errores.CredencialInvalida, "Credenciales inválidas")
}

func errTokenInvalido() error {
	return errs.New(errores.CredencialInvalida, "El token no es válido.")
}
