package integraciontest

import (
	"context"
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/tokens"
	"github.com/enlace-iis/enlace/services/integracion/internal/totp"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// CreateEmpresa adds an institution without an initial load.
func (s *Servicio) CreateEmpresa(id tenant.EmpresaID, nombre string) {
	s.tb.Helper()
	nueva := cuentas.NuevaEmpresa{Empresa: cuentas.Empresa{ID: id, Nombre: nombre}, SinCarga: true}
	_, err := s.operador.Empresas.Create(context.Background(), []cuentas.NuevaEmpresa{nueva}, false)
	s.must("create empresa", err)
}

// SetClaveEntrada makes up what the platform uses towards an institution.
func (s *Servicio) SetClaveEntrada(id tenant.EmpresaID) (clave string) {
	s.tb.Helper()
	made, err := s.operador.Empresas.SetClaveEntrada(context.Background(), id, "")
	s.must("set clave", err)
	return string(made)
}

// SetClaveSalida connects an institution with a platform.
func (s *Servicio) SetClaveSalida(id tenant.EmpresaID, url, clave string) {
	s.tb.Helper()
	_, err := s.operador.Empresas.SetClaveSalida(context.Background(), id, url, cuentas.Secreto(clave))
	s.must("set clave towards the platform", err)
}

// SuspendEmpresa stops an institution.
func (s *Servicio) SuspendEmpresa(id tenant.EmpresaID) {
	s.tb.Helper()
	_, err := s.operador.Empresas.Suspend(context.Background(), id)
	s.must("suspend empresa", err)
}

// CreateUsuario adds an operator and gives the clave.
func (s *Servicio) CreateUsuario(usuario string) (clave string) {
	s.tb.Helper()
	made, err := s.operador.Usuarios.Create(context.Background(), usuario, "")
	s.must("create usuario", err)
	return string(made)
}

// OldToken is a token of an operator who logged in so long ago.
func (s *Servicio) OldToken(usuario string, ago time.Duration) (token string) {
	s.tb.Helper()
	u, err := s.operador.Usuarios.Get(context.Background(), usuario)
	s.must("read user", err)
	signed, err := tokens.New(jwtSecret, time.Now).Sign(cuentas.Sesion{
		Sujeto: usuario, Rol: auth.RolOperador, Version: u.Version, Desde: time.Now().Add(-ago),
	})
	s.must("sign token", err)
	return string(signed)
}

// ResumeEmpresa restores a suspended institution.
func (s *Servicio) ResumeEmpresa(id tenant.EmpresaID) {
	s.tb.Helper()
	_, err := s.operador.Empresas.Resume(context.Background(), id)
	s.must("resume empresa", err)
}

// ChangeClave gives an operator another clave.
func (s *Servicio) ChangeClave(usuario string) (clave string) {
	s.tb.Helper()
	made, err := s.operador.Usuarios.ChangeClave(context.Background(), usuario, "")
	s.must("change clave", err)
	return string(made)
}

// RevokeTokens voids an operator's tokens.
func (s *Servicio) RevokeTokens(usuario string) {
	s.tb.Helper()
	s.must("revoke tokens", s.operador.Usuarios.RevokeTokens(context.Background(), usuario))
}

// ActivateTOTP gives an operator a second factor, and the address for the app.
func (s *Servicio) ActivateTOTP(usuario string) (url string) {
	s.tb.Helper()
	ctx := context.Background()
	store := s.operador.Usuarios.Store
	cuenta := cuentas.Cuenta{Store: store, Caja: s.operador.ApiKeys.Caja, Codigos: totp.Codigos{}}
	begun, err := cuenta.Begin(ctx, usuario)
	s.must("begin second factor", err)
	u, err := store.GetUsuario(ctx, usuario)
	s.must("read usuario", err)
	// Without a code, which would be used up.
	_, err = store.ConfirmTOTP(ctx, usuario, u.TOTPNuevo, 0, nil)
	s.must("confirm second factor", err)
	return string(begun.URL)
}

// RemoveTOTP takes it away.
func (s *Servicio) RemoveTOTP(usuario string) {
	s.tb.Helper()
	s.must("remove totp", s.operador.Usuarios.RemoveTOTP(context.Background(), usuario))
}

// ApiKey is a new key.
type ApiKey struct {
	KeyID          string
	Texto          string
	SecretoWebhook string
}

// IssueApiKey makes a key with these scopes; none means all.
func (s *Servicio) IssueApiKey(id tenant.EmpresaID, ambitos ...string) ApiKey {
	s.tb.Helper()
	nueva := cuentas.NuevaApiKey{EmpresaID: id, Nombre: "prueba"}
	for _, ambito := range ambitos {
		nueva.Ambitos = append(nueva.Ambitos, auth.Ambito(ambito))
	}
	if len(ambitos) == 0 {
		nueva.Ambitos = []auth.Ambito{auth.AmbitoCliente, auth.AmbitoEventos}
	}
	emitida, err := s.operador.ApiKeys.Issue(context.Background(), nueva)
	s.must("issue api key", err)
	return ApiKey{KeyID: emitida.KeyID, Texto: string(emitida.Texto), SecretoWebhook: string(emitida.SecretoWebhook)}
}

// RevokeApiKey ends a key.
func (s *Servicio) RevokeApiKey(keyID string) {
	s.tb.Helper()
	_, err := s.operador.ApiKeys.Revoke(context.Background(), keyID)
	s.must("revoke api key", err)
}

// patience bounds a call. It is longer than a program's, because a thousand calls at once on
// a busy machine take their time.
const patience = time.Minute

func (s *Servicio) must(action string, err error) {
	s.tb.Helper()
	if err != nil {
		s.tb.Fatalf("%s: %v", action, err)
	}
}
