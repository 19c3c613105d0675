package entregas

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// plainSalida opens what has a key.
type plainSalida struct{ cuentas.Caja }

func (plainSalida) Open(s cuentas.Sellado, _ string) (cuentas.Secreto, error) {
	if s.IsZero() {
		return "", errs.New(errores.Interno, "no key opens it")
	}
	return cuentas.Secreto(s.Datos), nil
}

// sends is the storage of one Envío of an active Reporte, which may end at any time.
type sends struct {
	fila uuid.UUID

	mu     sync.Mutex
	ended  bool // the Reporte
	inicio Inicio
	fins   []Fin
	begun  int

	historia Historia
}

func newSends() *sends {
	s := &sends{fila: uuid.New()}
	s.inicio = Inicio{
		Intento:     Intento{EnvioID: uuid.New(), Numero: 1, Fila: s.fila},
		Institucion: cuentas.Institucion{EmpresaID: empresaA, ID: string(empresaA), URL: "https://pui.example.mx"},
		Clave:       cuentas.Sellado{Llave: "2026", Datos: []byte("clave")},
	}
	return s
}

func (s *sends) BeginIntento(_ context.Context, _ Envio, _ time.Duration, permitted bool) (Inicio, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	inicio := s.inicio
	if inicio.Bloqueo == SinBloqueo && !permitted {
		inicio.Bloqueo = PermisoFaltante
	}
	if inicio.Bloqueo == SinBloqueo {
		s.begun++
	}
	return inicio, nil
}

func (s *sends) EndIntento(ctx context.Context, _ Envio, _ Intento, fin Fin) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fins = append(s.fins, fin)
	return ctx.Err()
}

func (s *sends) ReadHistoria(context.Context, tenant.EmpresaID, uuid.UUID) (Historia, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.historia, nil
}

func (s *sends) IsActive(context.Context, tenant.EmpresaID, uuid.UUID) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.ended, nil
}

func (s *sends) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
}

func (s *sends) recorded() []Fin {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Fin(nil), s.fins...)
}

// plataformaFunc is a platform that answers as the function does.
type plataformaFunc func(ctx context.Context, i cuentas.Institucion) Desenlace

func (f plataformaFunc) NotifyCoincidencia(ctx context.Context, i cuentas.Institucion, _ Coincidencia) Desenlace {
	return f(ctx, i)
}

func (f plataformaFunc) FinishBusqueda(ctx context.Context, i cuentas.Institucion, _ Finalizacion) Desenlace {
	return f(ctx, i)
}
