package cuentas

import (
	"context"
	"errors"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/process/fair"
)

// LimiteLogin is how many wrong logins are borne within a window of time, for each pair of
// address and base; and how many wrong codes, for each operator.
type LimiteLogin struct {
	Intentos int
	Ventana  time.Duration
}

// OrigenLogin is a try to log in as the limits see it: keyed hashes of what is counted.
type OrigenLogin struct {
	// Par is the address and the base: an institution's own address, or the root. What
	// fails at one base counts at no other. An operator logs in at the root alone, so that
	// no pair of address and operator can fail more often than that of address and root.
	Par []byte
	// Codigo is the operator whose second factor is asked for; nil for the platform.
	Codigo []byte
}

func (s *Sesiones) origenOf(c Credenciales) OrigenLogin {
	origen := OrigenLogin{Par: s.Huellas.Huella("login_par", c.IP+"/"+string(c.EmpresaID))}
	if c.isOperador() {
		origen.Codigo = s.Huellas.Huella("login_codigo", c.Usuario)
	}
	return origen
}

// isOperador tells who can only be an operator, if anybody.
func (c Credenciales) isOperador() bool {
	return c.EmpresaID == "" && c.Usuario != UsuarioPUI
}

// checkLimits looks at the operator's wrong codes before the clave: refused only after it, a
// login would tell that the clave is right.
func (s *Sesiones) checkLimits(ctx context.Context, origen OrigenLogin) error {
	wait, err := s.Store.LoginWait(ctx, origen, s.Limite)
	if err != nil {
		return err
	}
	if wait > 0 {
		return errs.New(errores.DemasiadasSolicitudes, "Demasiados intentos fallidos. Espere antes de repetir la solicitud.").
			After(wait).
			Within(errs.Cuota{Limite: s.Limite.Intentos, Ventana: s.Limite.Ventana})
	}
	return nil
}

const (
	// maxClaves is how many claves of one base may be examined or wait for it: about two
	// seconds of a core.
	maxClaves = 32
	// crowdedPause is when to come again to a base that has so many.
	crowdedPause = time.Second
	// colaOperadores is the queue of operators. No institution is called so.
	colaOperadores = "operadores"
)

// cola names where a try waits for its turn. Guesses at operators, and at another base, hold
// up nobody's platform, since the queues take turns.
func (c Credenciales) cola() string {
	if c.isOperador() {
		return colaOperadores
	}
	return string(c.EmpresaID)
}

// examine compares the clave once it is this try's turn. The limits are looked at again
// then: of many tries at once no more get through than there are turns.
func (s *Sesiones) examine(ctx context.Context, c Credenciales, origen OrigenLogin) (Sesion, error) {
	leave, err := s.claves.Enter(ctx, c.cola(), 1)
	if errors.Is(err, fair.ErrShare) {
		return Sesion{}, errs.Wrap(err, errores.NoDisponible, "Hay demasiados accesos en espera. Repita la solicitud en unos segundos.").
			After(crowdedPause)
	}
	if err != nil {
		return Sesion{}, err
	}
	defer leave()
	err = s.checkLimits(ctx, origen)
	if err != nil {
		return Sesion{}, err
	}
	sesion, err := s.identify(ctx, c)
	if errs.Is(err, errores.CredencialInvalida) {
		return Sesion{}, s.countFailure(ctx, origen, err)
	}
	return sesion, err
}

// countFailure counts although the client may be gone: guessing and hanging up is guessing.
// A wrong code costs no more time than a wrong clave, or it would tell that the clave is right.
func (s *Sesiones) countFailure(ctx context.Context, origen OrigenLogin, refusal error) error {
	if !errors.Is(refusal, errCodigo) {
		origen.Codigo = nil
	}
	err := s.Store.RecordLoginFailure(context.WithoutCancel(ctx), origen)
	if err != nil {
		return err
	}
	return refusal
}
