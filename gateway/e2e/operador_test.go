package e2e

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

// momento is an entry of a timeline or of the evidence.
type momento struct {
	Tipo          string
	Accion        string
	ReporteID     *string `json:"reporte_id"`
	Fase          *string `json:"fase_busqueda"`
	Status        *int
	Motivo        *string
	Coincidencias int
	CURPHuella    *string `json:"curp_huella"`
}

func (m momento) String() string {
	text := m.Tipo + " " + m.Accion
	if m.Fase != nil {
		text += " " + *m.Fase
	}
	return text
}

// seguido is a report as the operator's list has it.
type seguido struct {
	ReporteID   string `json:"reporte_id"`
	Estado      string
	Observacion *string
	Caso        *struct {
		Fase        string
		Pendientes  int
		Notificadas int
		Rechazadas  int

		Finalizacion string
	}
}

func seguidos(t *testing.T, i *harness.Institucion) []seguido {
	t.Helper()
	var answer struct{ Reportes []seguido }
	system.Operate(t, "", &answer, "reportes", "listar", "--id-empresa", i.ID)
	return answer.Reportes
}

func TestOperador_aRejectedMatchIsToldAgain(t *testing.T) {
	t.Parallel()
	i := system.NewInstitucion(t)
	id := harness.ReporteID(20)
	i.Post(t, "/cliente/registros", harness.Registro("A-1", harness.CurpUno, harness.Day(-3))).Want(t, http.StatusCreated)
	i.Plataforma.Fail(simuladortest.Falla{
		Ruta: simuladortest.RutaNotificarCoincidencia, InstitucionID: i.ID, Tipo: simuladortest.FallaStatus, Status: 400, Veces: 1,
	})
	i.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})
	harness.Eventually(t, "the end of the search", func() bool { return slices.Contains(i.Told(id), "fin") })
	harness.Eventually(t, "phase 3 in the operator's list", func() bool {
		all := seguidos(t, i)
		return len(all) == 1 && all[0].Caso != nil && all[0].Caso.Fase == "3" && all[0].Caso.Rechazadas == 1 && all[0].Caso.Notificadas == 1
	})

	var rejected struct {
		Coincidencias []struct {
			ID      string
			Detalle *string
		}
	}
	system.Operate(t, "", &rejected, "coincidencias", "listar", "--id-empresa", i.ID, "--estado", "rechazada")
	if len(rejected.Coincidencias) != 1 || rejected.Coincidencias[0].Detalle == nil {
		t.Fatalf("rejected = %+v", rejected)
	}
	system.Operate(t, "", nil, "coincidencias", "reintentar", "--id-empresa", i.ID, "--id", rejected.Coincidencias[0].ID)
	want := []string{"2:" + harness.Day(-3), "fin", "1:"}
	harness.Eventually(t, "the match that was rejected", func() bool { return len(i.Told(id)) == len(want) })
	if got := i.Told(id); !slices.Equal(got, want) {
		t.Errorf("the platform was told %v, want %v", got, want)
	}
	harness.Eventually(t, "the record of it", func() bool {
		return !slices.ContainsFunc(i.Coincidencias(t), func(c harness.Coincidencia) bool { return c.Estado != "notificada" })
	})

	var shown struct{ Historia []momento }
	system.Operate(t, "", &shown, "reportes", "mostrar", "--id-empresa", i.ID, "--reporte-id", id)
	var history []string
	for _, m := range shown.Historia {
		history = append(history, m.String())
	}
	for _, step := range []string{
		"solicitud activar-reporte", "busqueda buscar 1", "busqueda buscar 2", "coincidencia detectar 1", "coincidencia detectar 2",
		"envio notificar-coincidencia 1", "envio notificar-coincidencia 2", "envio busqueda-finalizada", "cambio coincidencia_reintentada",
	} {
		if !slices.Contains(history, step) {
			t.Errorf("the history %v lacks %q", history, step)
		}
	}
	if history[0] != "solicitud activar-reporte" {
		t.Errorf("the history begins with %q", history[0])
	}
}

// An operator ends a load, and has all searched again after records that came late: phase 1 has
// what it lacked, and nothing is told twice, the end neither.
func TestOperador_aLateLoadIsSearchedAgain(t *testing.T) {
	t.Parallel()
	i := system.NewCargando(t)
	id := harness.ReporteID(23)
	i.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})
	var finished struct {
		En string `json:"carga_terminada_en"`
	}
	system.Operate(t, "", &finished, "empresas", "terminar-carga", "--id-empresa", i.ID)
	if finished.En == "" {
		t.Error("it is not said when the load ended")
	}
	harness.Eventually(t, "the end of the search", func() bool { return slices.Contains(i.Told(id), "fin") })
	i.Post(t, "/cliente/registros", harness.Registro("A-1", harness.CurpUno, harness.Day(-3))).Want(t, http.StatusCreated)
	want := []string{"fin", "3:" + harness.Day(-3), "1:"}
	harness.Eventually(t, "phase 3", func() bool { return slices.Equal(i.Told(id), want[:2]) })

	system.Operate(t, "", nil, "reportes", "rebuscar", "--id-empresa", i.ID, "--reporte-id", id)
	harness.Eventually(t, "phase 1", func() bool { return slices.Equal(i.Told(id), want) })
	system.Operate(t, "", nil, "reportes", "rebuscar", "--id-empresa", i.ID, "--todos")
	var history []string
	harness.Eventually(t, "three searches of two phases", func() bool {
		var shown struct{ Historia []momento }
		system.Operate(t, "", &shown, "reportes", "mostrar", "--id-empresa", i.ID, "--reporte-id", id)
		history = nil
		searches := 0
		for _, m := range shown.Historia {
			history = append(history, m.String())
			if strings.HasPrefix(m.String(), "busqueda buscar") {
				searches++
			}
		}
		return searches == 3*2
	})
	if !slices.Contains(history, "cambio reporte_rebuscado") {
		t.Errorf("the history %v lacks the act", history)
	}
	if got := i.Told(id); !slices.Equal(got, want) {
		t.Errorf("the platform was told %v, want %v", got, want)
	}
	var bitacora struct{ Asientos []struct{ Accion string } }
	system.Operate(t, "", &bitacora, "bitacora", "listar", "--id-empresa", i.ID)
	for _, accion := range []string{"carga_terminada", "reportes_rebuscados"} {
		if !slices.ContainsFunc(bitacora.Asientos, func(a struct{ Accion string }) bool { return a.Accion == accion }) {
			t.Errorf("the Bitácora lacks %s", accion)
		}
	}
}

// A mistyped institucion_id makes the platform refuse everything; once it is corrected, the
// end of the search can be told too.
func TestOperador_aRejectedEndIsToldAgain(t *testing.T) {
	t.Parallel()
	i := system.NewInstitucion(t)
	id := harness.ReporteID(22)
	i.Plataforma.Fail(simuladortest.Falla{
		Ruta: simuladortest.RutaBusquedaFinalizada, InstitucionID: i.ID, Tipo: simuladortest.FallaStatus, Status: 400, Veces: 1,
	})
	i.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})
	finalizacion := func(want string) {
		harness.Eventually(t, "the end of the search is "+want, func() bool {
			all := seguidos(t, i)
			return len(all) == 1 && all[0].Caso != nil && all[0].Caso.Finalizacion == want
		})
	}
	finalizacion("rechazada")
	system.Operate(t, "", nil, "reportes", "reintentar-fin", "--id-empresa", i.ID, "--reporte-id", id)
	finalizacion("notificada")
	if got := i.Told(id); !slices.Equal(got, []string{"fin"}) {
		t.Errorf("the platform was told %v, want the end once", got)
	}
}

func TestOperador_evidence(t *testing.T) {
	t.Parallel()
	i := system.NewInstitucion(t)
	id := harness.ReporteID(21)
	i.Post(t, "/cliente/registros", harness.Registro("A-1", harness.CurpUno, harness.Day(-3))).Want(t, http.StatusCreated)
	i.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "nombre": "NOMBREOCULTO", "fecha_desaparicion": harness.Day(-10)})
	harness.Eventually(t, "the end of the search", func() bool { return slices.Contains(i.Told(id), "fin") })
	refused := i.Plataforma.Activate(i.ID, map[string]any{"id": id, "curp": "corta"})
	if refused.Status != http.StatusBadRequest {
		t.Fatalf("a wrong activation answered %d", refused.Status)
	}

	var evidence []momento
	harness.Eventually(t, "the end of the search in the evidence", func() bool {
		evidence = evidenceOf(t, i.ID)
		return slices.ContainsFunc(evidence, func(m momento) bool { return m.Accion == "busqueda-finalizada" })
	})
	statuses := map[string][]int{}
	tipos := map[string]int{}
	for _, m := range evidence {
		tipos[m.Tipo]++
		if m.Status != nil {
			statuses[m.Accion] = append(statuses[m.Accion], *m.Status)
		}
		if m.ReporteID != nil && m.Tipo != "resincronizacion" && (m.CURPHuella == nil || len(*m.CURPHuella) != 64) && m.Status != nil && *m.Status == 200 {
			t.Errorf("%v has no hash of the CURP", m)
		}
	}
	if got := statuses["activar-reporte"]; !slices.Equal(got, []int{200, 400}) {
		t.Errorf("activations in the evidence: %v, want the accepted and the refused one", got)
	}
	if got := statuses["login"]; !slices.Contains(got, 200) || tipos["busqueda"] == 0 || tipos["coincidencia"] == 0 {
		t.Errorf("logins in the evidence: %v, and %v", got, tipos)
	}
	table, err := system.Operator(t.Context(), "", "evidencia", "exportar", "--id-empresa", i.ID, "--formato", "csv")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(table))).ReadAll()
	if err != nil || len(rows) < 2 || rows[0][0] != "numero" {
		t.Errorf("table of %d rows, %v", len(rows), err)
	}
	log, err := system.Operator(t.Context(), "", "bitacora", "listar", "--id-empresa", i.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, personal := range []string{harness.CurpUno, "NOMBREOCULTO", "5555555555"} {
		if strings.Contains(string(table), personal) || strings.Contains(string(log), personal) {
			t.Errorf("%s is in the evidence", personal)
		}
	}
}

// evidenceOf reads an institution's evidence, but for its first and last line.
func evidenceOf(t *testing.T, id string) []momento {
	t.Helper()
	file, err := system.Operator(t.Context(), "", "evidencia", "exportar", "--id-empresa", id)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(file)), "\n")
	var all []momento
	for _, line := range lines[1 : len(lines)-1] {
		var m momento
		err = json.Unmarshal([]byte(line), &m)
		if err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		all = append(all, m)
	}
	return all
}

func TestOperador_pauseAndResume(t *testing.T) {
	t.Parallel()
	i := system.NewInstitucion(t)
	id := harness.ReporteID(22)
	system.Operate(t, "", nil, "entregas", "pausar", "--id-empresa", i.ID)
	i.Post(t, "/cliente/registros", harness.Registro("A-1", harness.CurpUno, harness.Day(-3))).Want(t, http.StatusCreated)
	i.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})
	harness.Eventually(t, "the reason for the pause", func() bool {
		return slices.ContainsFunc(i.Coincidencias(t), func(c harness.Coincidencia) bool {
			return c.Estado == "pendiente" && c.Detalle != nil && strings.Contains(*c.Detalle, "pausa")
		})
	})
	if got := i.Told(id); len(got) != 0 {
		t.Errorf("the platform was told %v during the pause", got)
	}
	var resumed struct {
		PausadaEn *string `json:"entrega_pausada_en"`
	}
	system.Operate(t, "", &resumed, "entregas", "reanudar", "--id-empresa", i.ID)
	if resumed.PausadaEn != nil {
		t.Errorf("still paused since %s", *resumed.PausadaEn)
	}
}

func TestOperador_resynchronisation(t *testing.T) {
	t.Parallel()
	i := system.NewInstitucion(t)
	id := harness.ReporteID(23)
	i.Post(t, "/cliente/registros", harness.Registro("A-1", harness.CurpUno, harness.Day(-3))).Want(t, http.StatusCreated)
	i.Plataforma.SetReportes(i.ID, []any{
		map[string]any{"id": id, "curp": harness.CurpUno, "nombre": nil, "fecha_desaparicion": harness.Day(-10), "campo_nuevo": 1},
	})
	var asked struct {
		Resincronizaciones []struct{ Estado string }
	}
	system.Operate(t, "", &asked, "resincronizar", "--id-empresa", i.ID)
	if len(asked.Resincronizaciones) != 1 {
		t.Errorf("asked = %+v", asked)
	}
	want := []string{"1:", "2:" + harness.Day(-3), "fin"}
	harness.Eventually(t, "the search of the listed report", func() bool { return len(i.Told(id)) == len(want) })
	if got := i.Told(id); !slices.Equal(got, want) {
		t.Errorf("the platform was told %v, want %v", got, want)
	}
	if avisos := i.Avisos(t); len(avisos) != 1 || avisos[0].Tipo != "activacion" {
		t.Errorf("avisos = %+v", avisos)
	}

	i.Plataforma.SetReportes(i.ID, []any{})
	harness.Eventually(t, "the flag of the report that is not listed", func() bool {
		system.Operate(t, "", nil, "resincronizar", "--id-empresa", i.ID)
		all := seguidos(t, i)
		return len(all) == 1 && all[0].Estado == "activo" && all[0].Observacion != nil && *all[0].Observacion == "no_listado"
	})
}
