package seguimiento

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const (
	empresaA tenant.EmpresaID = "LAB010101AB1"
	empresaB tenant.EmpresaID = "LAB020202CD2"
)

var now = time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)

// memory is the storage of what the tests ask for; the rest is nobody's.
type memory struct {
	Store
	panoramas  []Panorama
	pendientes []Pendiente
	seguidos   []Seguido
	reopened   []string
	reabribles map[Reintentables][]string
	asientos   []bitacora.Asiento
	personas   []ReporteDePersona
	forgotten  []string
	resets     []cuentas.Restablecimiento
}

func (m *memory) ListRestablecimientos(context.Context, string, time.Duration) ([]cuentas.Restablecimiento, error) {
	return m.resets, nil
}

func (m *memory) RecordErasure(ctx context.Context, a bitacora.Asiento, _ []string) error {
	return m.RecordAsiento(ctx, a)
}

func (m *memory) ForgetDetalles(_ context.Context, _ tenant.EmpresaID, huella []byte, coincidencias []string) error {
	m.forgotten = append(m.forgotten, string(huella)+" "+strings.Join(coincidencias, " "))
	return nil
}

func (m *memory) ListPanoramas(_ context.Context, empresa tenant.EmpresaID) ([]Panorama, error) {
	return slices.DeleteFunc(slices.Clone(m.panoramas), func(p Panorama) bool { return empresa != "" && p.ID != empresa }), nil
}

func (m *memory) ListPendientes(context.Context, time.Duration) ([]Pendiente, error) {
	return m.pendientes, nil
}

func (m *memory) GetEmpresa(_ context.Context, id tenant.EmpresaID) (cuentas.Empresa, error) {
	if id != empresaA {
		return cuentas.Empresa{}, errSinEmpresa()
	}
	return cuentas.Empresa{ID: id}, nil
}

func (m *memory) ListSeguidos(context.Context, tenant.EmpresaID, string) ([]Seguido, error) {
	return m.seguidos, nil
}

func (m *memory) ReopenEnvio(_ context.Context, e entregas.Envio) error {
	m.reopened = append(m.reopened, e.Clave)
	return nil
}

func (m *memory) ListReabribles(_ context.Context, _ tenant.EmpresaID, cuales Reintentables) ([]string, error) {
	return m.reabribles[cuales], nil
}

func (m *memory) RecordAsiento(_ context.Context, a bitacora.Asiento) error {
	m.asientos = append(m.asientos, a)
	return nil
}

func (m *memory) EachAsiento(context.Context, tenant.EmpresaID, bitacora.FiltroAsientos, func([]bitacora.Asiento) error) error {
	return nil
}

func (m *memory) ListReportesDePersona(_ context.Context, huella []byte) ([]ReporteDePersona, error) {
	if string(huella) != "curp:PEXA900115HDFRXN06" {
		return nil, nil
	}
	return m.personas, nil
}

// casos is what registros says.
type casos struct {
	CasosSeguidos
	actividades []Actividad
	err         error
	hallazgos   []Hallazgo
	retried     int
	kept        Borrado
	erased      int
	asked       []string
	refuses     error // to erase what could be counted a moment ago
}

func (c *casos) ListActividades(context.Context, tenant.EmpresaID) ([]Actividad, error) {
	return c.actividades, c.err
}

func (c *casos) ListSituaciones(context.Context, tenant.EmpresaID, string) ([]Situacion, error) {
	return nil, nil
}

func (c *casos) ListBusquedas(context.Context, tenant.EmpresaID, FiltroHallazgos) ([]Busqueda, error) {
	return nil, nil
}

func (c *casos) ListHallazgos(context.Context, tenant.EmpresaID, FiltroHallazgos) ([]Hallazgo, error) {
	return c.hallazgos, c.refuses
}

func (c *casos) RetryCoincidencia(context.Context, tenant.EmpresaID, uuid.UUID) error {
	c.retried++
	return nil
}

func (c *casos) DeleteRegistros(_ context.Context, _ Seleccion, simular bool) (Borrado, error) {
	if simular || c.err != nil {
		return c.kept, c.err
	}
	if c.refuses != nil {
		return Borrado{}, c.refuses
	}
	c.erased++
	return c.kept, nil
}

type plainHuellas struct{}

func (plainHuellas) Huella(tipo, valor string) []byte { return []byte(tipo + ":" + valor) }

func newSeguimiento(m *memory, c *casos) *Seguimiento {
	const day = 24 * time.Hour
	return &Seguimiento{
		Store: m, Casos: c, Huellas: plainHuellas{}, Now: func() time.Time { return now },
		Plazos: Plazos{Silencio: 7 * day, Caducidad: 30 * day, Carga: 30 * day},
	}
}

func panorama(id tenant.EmpresaID) Panorama {
	return Panorama{Empresa: cuentas.Empresa{ID: id, Estado: cuentas.EmpresaActiva, CreadaEn: now.AddDate(-1, 0, 0)}}
}

func TestSeguimiento_Resumen_theMostUrgentFirst(t *testing.T) {
	uno, dos := panorama(empresaA), panorama(empresaB)
	dos.EntregaPausadaEn = now
	m := &memory{
		panoramas:  []Panorama{uno, dos},
		pendientes: []Pendiente{{Tipo: PendienteLlavePorVence, EmpresaID: empresaA, Total: 1, Recurso: "K"}},
	}
	c := &casos{actividades: []Actividad{
		{EmpresaID: empresaA, UltimoRegistroEn: now.AddDate(0, 0, -8), Pendientes: 3, PendienteDesde: now.Add(-time.Minute)},
		{EmpresaID: empresaB, CargaTerminadaEn: now, UltimoRegistroEn: now, Rechazadas: 2, FinalesRechazados: 1, Pendientes: 4, PendienteDesde: now.Add(-time.Hour)},
	}}
	r, err := newSeguimiento(m, c).Resumen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range r.Pendientes {
		got = append(got, string(p.Tipo)+" "+string(p.EmpresaID))
		if p.Mensaje() == "" {
			t.Errorf("%s says nothing", p.Tipo)
		}
	}
	want := []string{
		"coincidencias_rechazadas LAB020202CD2", "finales_rechazados LAB020202CD2", "coincidencias_en_espera LAB020202CD2",
		"entregas_pausadas LAB020202CD2", "carga_sin_terminar LAB010101AB1", "llave_por_vencer LAB010101AB1", "institucion_silenciosa LAB010101AB1",
	}
	if !slices.Equal(got, want) || r.RegistrosCaido {
		t.Errorf("got %v, %v; want %v", got, r.RegistrosCaido, want)
	}
	totales := r.Totales()
	if len(totales) != len(urgencia) || totales[PendienteRechazadas] != 2 || totales[PendienteSilenciosa] != 1 || totales[PendienteVarias] != 0 {
		t.Errorf("counted %v", totales)
	}
}

// An institution may load for as long as the limit says; a suspended one sends nothing anyway.
func TestSeguimiento_Resumen_loads(t *testing.T) {
	for name, tt := range map[string]struct {
		creada time.Time
		estado cuentas.EstadoEmpresa
		want   bool
	}{
		"at the limit":     {now.AddDate(0, 0, -30), cuentas.EmpresaActiva, false},
		"beyond the limit": {now.AddDate(0, 0, -30).Add(-time.Second), cuentas.EmpresaActiva, true},
		"suspended":        {now.AddDate(0, 0, -31), cuentas.EmpresaSuspendida, false},
	} {
		p := panorama(empresaA)
		p.CreadaEn, p.Estado = tt.creada, tt.estado
		c := &casos{actividades: []Actividad{{EmpresaID: empresaA, UltimoRegistroEn: now}}}
		r, err := newSeguimiento(&memory{panoramas: []Panorama{p}}, c).Resumen(t.Context())
		listed := slices.ContainsFunc(r.Pendientes, func(p Pendiente) bool { return p.Tipo == PendienteCarga && p.Fecha.Equal(tt.creada) })
		if err != nil || listed != tt.want {
			t.Errorf("%s: listed %t, %v, want %t", name, listed, err, tt.want)
		}
	}
}

func (c *casos) FinishCarga(context.Context, tenant.EmpresaID) (time.Time, error) {
	c.asked = append(c.asked, "carga")
	return now, c.err
}

func (c *casos) SearchAgain(_ context.Context, _ tenant.EmpresaID, reporteID string, ciclo int) error {
	c.asked = append(c.asked, fmt.Sprintf("%s %d", reporteID, ciclo))
	return c.err
}

// What registros is asked to change has its line in the Bitácora, and what it refused has the reason.
func TestSeguimiento_loadsAndSearchesAreAudited(t *testing.T) {
	for name, reason := range map[string]error{"done": nil, "refused": errs.New(errores.Conflicto, "x")} {
		m := &memory{seguidos: []Seguido{{ReporteID: "R-1", Ciclo: 3}, {ReporteID: "R-1", Ciclo: 2}}}
		c := &casos{err: reason}
		s := newSeguimiento(m, c)
		_, finished := s.FinishCarga(t.Context(), empresaA)
		again, all := s.SearchAgain(t.Context(), empresaA, "R-1"), s.SearchAllAgain(t.Context(), empresaA)
		for _, err := range []error{finished, again, all} {
			if !errors.Is(err, reason) {
				t.Errorf("%s: got %v", name, err)
			}
		}
		if want := []string{"carga", "R-1 3", " 0"}; !slices.Equal(c.asked, want) {
			t.Errorf("%s: asked %q, want %q", name, c.asked, want)
		}
		var lines []string
		for _, a := range m.asientos {
			lines = append(lines, strings.TrimSpace(a.Accion+" "+a.ReporteID+" "+a.Motivo))
			if a.EmpresaID != empresaA || a.Tipo != bitacora.AsientoCambio {
				t.Errorf("%s: the line is %+v", name, a)
			}
		}
		want := []string{"carga_terminada", "reporte_rebuscado R-1", "reportes_rebuscados"}
		if reason != nil {
			want = []string{"carga_terminada  conflicto", "reporte_rebuscado R-1 conflicto", "reportes_rebuscados  conflicto"}
		}
		if !slices.Equal(lines, want) {
			t.Errorf("%s: the Bitácora says %q, want %q", name, lines, want)
		}
	}
	s := newSeguimiento(&memory{}, &casos{})
	_, finished := s.FinishCarga(t.Context(), empresaB)
	for _, err := range []error{finished, s.SearchAllAgain(t.Context(), empresaB), s.SearchAgain(t.Context(), empresaA, "R-1")} {
		if !errs.Is(err, errores.NoEncontrado) {
			t.Errorf("of what is not there: %v", err)
		}
	}
}

// Without registros the rest is told, and that it is not all.
func TestSeguimiento_Resumen_withoutRegistros(t *testing.T) {
	m := &memory{panoramas: []Panorama{panorama(empresaA)}}
	r, err := newSeguimiento(m, &casos{err: errs.New(errores.NoDisponible, "x")}).Resumen(t.Context())
	if err != nil || !r.RegistrosCaido || len(r.Pendientes) != 0 {
		t.Errorf("got %+v, %v", r, err)
	}
	totales := r.Totales()
	_, known := totales[PendienteSilenciosa]
	if known || len(totales) != len(urgencia)-len(ofRegistros) {
		t.Errorf("counted what is not known: %v", totales)
	}
	_, err = newSeguimiento(m, &casos{err: errs.New(errores.SinPermiso, "x")}).Resumen(t.Context())
	if !errs.Is(err, errores.SinPermiso) {
		t.Errorf("a fault of ours: %v", err)
	}
}

func TestSeguimiento_refusesFiltersThatNothingPasses(t *testing.T) {
	s := newSeguimiento(&memory{}, &casos{})
	_, err := s.Panoramas(t.Context(), "cerrada")
	if !errs.Is(err, errores.Validacion) {
		t.Errorf("empresas: %v", err)
	}
	for _, estado := range []string{"activa", "Activo", "pendiente "} {
		_, err = s.Reportes(t.Context(), Filtro{EmpresaID: empresaA, Estado: estado})
		if !errs.Is(err, errores.Validacion) {
			t.Errorf("reportes %q: %v", estado, err)
		}
		_, err = s.Hallazgos(t.Context(), Filtro{EmpresaID: empresaA, Estado: estado})
		if !errs.Is(err, errores.Validacion) {
			t.Errorf("coincidencias %q: %v", estado, err)
		}
	}
	_, err = s.Reportes(t.Context(), Filtro{EmpresaID: empresaB})
	if !errs.Is(err, errores.NoEncontrado) {
		t.Errorf("nobody: %v", err)
	}
}

func TestSeguimiento_RetryAll_passesOverWhatEnded(t *testing.T) {
	m := &memory{seguidos: []Seguido{{ReporteID: "R-1", Estado: reportes.ReporteActivo}, {ReporteID: "R-2", Estado: reportes.ReporteDesactivado}}}
	c := &casos{hallazgos: []Hallazgo{
		{ID: uuid.NewString(), ReporteID: "R-1"}, {ID: uuid.NewString(), ReporteID: "R-2"}, {ID: uuid.NewString(), ReporteID: "R-1"},
	}}
	want := Reintento{Reintentadas: 2, SinReintento: 1}
	for _, simular := range []bool{true, false} {
		got, err := newSeguimiento(m, c).RetryAll(t.Context(), empresaA, "", simular)
		if err != nil || got != want || (c.retried == 0) != simular {
			t.Errorf("simulated %v: %+v, %d retried, %v", simular, got, c.retried, err)
		}
	}
	if len(m.reopened) != 2 || c.retried != 2 {
		t.Errorf("%d reopened, %d retried", len(m.reopened), c.retried)
	}
}

func TestSeguimiento_RetryAll_ofTheSetThatIsNamed(t *testing.T) {
	m := &memory{reabribles: map[Reintentables][]string{
		ReintentablesAtascadas: {uuid.NewString()}, ReintentablesMultiples: {uuid.NewString(), uuid.NewString()},
	}}
	c := &casos{hallazgos: []Hallazgo{{ID: uuid.NewString(), ReporteID: "R-1"}}}
	for cuales, ids := range m.reabribles {
		m.reopened = nil
		got, err := newSeguimiento(m, c).RetryAll(t.Context(), empresaA, cuales, false)
		if err != nil || got != (Reintento{Reintentadas: len(ids)}) || !slices.Equal(m.reopened, ids) {
			t.Errorf("%s: %+v, reopened %v, %v; want %v", cuales, got, m.reopened, err, ids)
		}
		_, err = newSeguimiento(m, c).RetryAll(t.Context(), empresaB, cuales, false)
		if !errs.Is(err, errores.NoEncontrado) {
			t.Errorf("%s of nobody: %v", cuales, err)
		}
	}
	_, err := newSeguimiento(m, c).RetryAll(t.Context(), empresaA, "todas", false)
	if !errs.Is(err, errores.Validacion) {
		t.Errorf("an unknown set: %v", err)
	}
}

// The answer goes by the hash; who asked is in the Bitácora, the CURP is not.
func TestSeguimiento_FindPersona(t *testing.T) {
	m := &memory{
		seguidos: []Seguido{{ReporteID: "R-1", Estado: reportes.ReporteActivo}},
		personas: []ReporteDePersona{{empresaA, "R-1"}, {empresaB, "R-1"}},
	}
	c := &casos{hallazgos: []Hallazgo{{ID: "h", ReporteID: "R-1", Estado: envio.Notificada}}}
	s := newSeguimiento(m, c)
	p, err := s.FindPersona(t.Context(), " pexa900115hdfrxn06 ")
	if err != nil || len(p.Expedientes) != 2 || !p.Notificada() || p.Expedientes[1].EmpresaID != empresaB {
		t.Errorf("got %+v, %v", p, err)
	}
	if len(m.asientos) != 1 || m.asientos[0].Accion != "persona_buscada" || string(m.asientos[0].HuellaCURP) != "curp:PEXA900115HDFRXN06" {
		t.Errorf("the Bitácora says %+v", m.asientos)
	}
	c.refuses = errs.New(errores.NoDisponible, "x")
	_, err = s.FindPersona(t.Context(), "PEXA900115HDFRXN06")
	if !errs.Is(err, errores.NoDisponible) || len(m.asientos) != 2 {
		t.Errorf("one that fails midway: %v, %+v", err, m.asientos)
	}
	c.refuses = nil
	p, err = s.FindPersona(t.Context(), "LOXM851203MQTPXR00")
	if err != nil || len(p.Expedientes) != 0 || p.Notificada() {
		t.Errorf("nobody: %+v, %v", p, err)
	}
	_, err = s.FindPersona(t.Context(), "corta")
	if !errs.Is(err, errores.Validacion) {
		t.Errorf("no CURP: %v", err)
	}
}
