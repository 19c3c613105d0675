package app

import (
	"fmt"
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/eventos"
	"github.com/enlace-iis/enlace/services/integracion/internal/evidencia"
	"github.com/enlace-iis/enlace/services/integracion/internal/firma"
	"github.com/enlace-iis/enlace/services/integracion/internal/grpcapi"
	"github.com/enlace-iis/enlace/services/integracion/internal/registrosclient"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/integracion/internal/tokens"
	"github.com/enlace-iis/enlace/services/integracion/internal/totp"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/process"
)

// servicios are all that is served, each made of its room of the domain.
func (s *service) servicios(used func(cuentas.ApiKey)) (grpcapi.Servicios, error) {
	signer := tokens.New(s.cfg.JWTSecret, time.Now)
	sesiones := s.newSesiones(signer)
	keys := &cuentas.ApiKeys{
		Store: s.store, Empresas: s.store, Caja: s.secrets.caja,
		Mint: mint(s.cfg.AppEnv), Used: used, Now: time.Now,
	}
	guard, err := s.guard(signer, sesiones, keys)
	if err != nil {
		return grpcapi.Servicios{}, err
	}
	exportacion, err := s.newEvidencia()
	if err != nil {
		return grpcapi.Servicios{}, err
	}
	auditoria := &grpcapi.Auditoria{
		Store: s.store, Rechazos: s.rechazos, Lecturas: s.lecturas, SinAbrir: s.store, Usuarios: sesiones, Huellas: s.secrets.huellas, Log: s.Log,
	}
	guard.Verdicts = auditoria.Verdict
	direccion := grpcapi.NewDireccionPropia(s.store)
	measured := grpcapi.NewMetrics(s.Ops.Registry)
	seguido := s.newSeguimiento()
	samplePendientes(seguido).Register(s.Ops.Registry)
	return grpcapi.Servicios{
		Acceso:    guard,
		Auditoria: auditoria,
		Inicio:    &grpcapi.InicioServer{Version: s.cfg.shownVersion()},
		Sesion: &grpcapi.SesionServer{
			Sesiones: sesiones, Auditoria: auditoria, Direccion: direccion, Gateways: s.cfg.GatewaySecret, Log: s.Log, Metrics: measured,
		},
		Reporte: &grpcapi.ReporteServer{Direccion: direccion, Auditoria: auditoria, Reportes: s.newReportes()},
		Aviso:   &grpcapi.AvisoServer{Avisos: s.store},
		ApiKey:  &grpcapi.ApiKeyServer{Keys: keys},
		Empresa: &grpcapi.EmpresaServer{
			Empresas: newEmpresas(s.cfg.Storage, s.store, s.secrets), BaseURL: s.cfg.PublicURL + s.cfg.RootPath,
			Seguimiento: seguido,
		},
		Usuario:  &grpcapi.UsuarioServer{Usuarios: newUsuarios(s.store, s.secrets), Auditoria: auditoria},
		Cuenta:   &grpcapi.CuentaServer{Usuarios: s.store, Cuenta: s.newCuenta(signer)},
		Secreto:  &grpcapi.SecretoServer{Recifrado: &cuentas.Recifrado{Store: s.store, Caja: s.secrets.caja}},
		Bitacora: &grpcapi.BitacoraServer{Bitacora: s.store, Empresas: s.store, Evidencia: exportacion, Auditoria: auditoria},
		Seguimiento: &grpcapi.SeguimientoServer{
			Auditoria: auditoria, Seguimiento: seguido, Peticiones: &seguimiento.Peticiones{Store: s.store, Cola: s.queue},
		},
		Evento:     &grpcapi.EventoServer{Metrics: measured, Auditoria: auditoria, Eventos: s.newEventos(keys)},
		Credencial: &grpcapi.CredencialServer{Keys: keys, Auditoria: auditoria},
		Entrega:    &grpcapi.EntregaServer{Entregas: s.newEntregas()},
	}, nil
}

func (s *service) newSesiones(signer *tokens.Tokens) *cuentas.Sesiones {
	return cuentas.NewSesiones(cuentas.SesionesConfig{
		Store: s.store, Empresas: s.store, Usuarios: s.store,
		Hasher: s.secrets.hasher, Huellas: s.secrets.huellas, Tokens: signer,
		Caja: s.secrets.caja, Codigos: totp.Codigos{}, Now: time.Now,
		SegundoFactor: s.cfg.requiresSecondFactor(),
		Limite:        cuentas.LimiteLogin{Intentos: s.cfg.LoginMaxFailures, Ventana: s.cfg.LoginFailureWindow},
	})
}

func (s *service) newCuenta(signer *tokens.Tokens) *cuentas.Cuenta {
	return &cuentas.Cuenta{
		Store: s.store, Caja: s.secrets.caja, Codigos: totp.Codigos{}, Huellas: s.secrets.huellas, Tokens: signer, Now: time.Now,
	}
}

func (s *service) newReportes() *reportes.Reportes {
	return &reportes.Reportes{
		Store: s.store, Sends: s.vuelos, Casos: s.sincronia, Log: s.Log,
		MaxWait: s.cfg.PuiTimeout + deactivationMargin, Interval: sendsInterval,
	}
}

func (s *service) newSeguimiento() *seguimiento.Seguimiento {
	return &seguimiento.Seguimiento{
		Store: s.store, Casos: registrosclient.NewOperacion(s.registros), Huellas: s.secrets.huellas,
		Plazos: s.cfg.plazos(), Now: time.Now,
	}
}

func (s *service) newEvidencia() (*evidencia.Exportacion, error) {
	llaves, err := evidencia.ParseLlaves(s.cfg.EvidenceKeys)
	if err != nil {
		return nil, fmt.Errorf("read EVIDENCE_KEYS: %w", err)
	}
	return &evidencia.Exportacion{
		Cadena: &bitacora.Cadena{Store: s.store}, Registros: registrosclient.NewOperacion(s.registros),
		Llaves: llaves, Programa: process.Version(), Now: time.Now,
	}, nil
}

func (s *service) newEventos(keys *cuentas.ApiKeys) *eventos.Eventos {
	return &eventos.Eventos{
		Store: s.store, Keys: keys, Firmas: firma.StandardWebhooks{}, Huellas: s.secrets.huellas, Captura: s.captura,
	}
}

func (s *service) newEntregas() *entregas.Entregas {
	return &entregas.Entregas{
		Store: s.store, Plataforma: s.plataforma, Circuito: s.circuito,
		Caja: s.secrets.caja, Vuelos: s.vuelos, Limit: s.cfg.PuiTimeout, Log: s.Log,
		Atasco: entregas.Atasco{Respuestas: s.cfg.StuckAnswers, Lapso: s.cfg.StuckAfter}, Recovered: s.recuperadas.Tell,
	}
}

func (s *service) guard(signer *tokens.Tokens, sesiones *cuentas.Sesiones, keys *cuentas.ApiKeys) (*auth.Guard, error) {
	fromRegistros, err := s.ServiceVerifier(auth.ServicioRegistros)
	if err != nil {
		return nil, err
	}
	guard := s.NewGuard(grpcapi.CheckKey(keys))
	guard.Tokens = auth.ByIssuer{
		tokens.Issuer:          &grpcapi.TokenVerifier{Tokens: signer, Sesiones: sesiones},
		auth.ServicioRegistros: fromRegistros,
	}
	guard.Restrict = grpcapi.OnlyOwnDireccion
	return guard, nil
}
