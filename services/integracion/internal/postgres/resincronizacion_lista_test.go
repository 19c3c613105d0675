package postgres

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/integracion/internal/resincronizacion"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/manual"
)

// A field that cannot be read costs no activation: it is left out, and named in the Bitácora.
func TestResincronizacion_oddOptionalFieldsCostNoActivation(t *testing.T) {
	t.Parallel()
	quoted, year, word, number := entrada(1), entrada(2), entrada(3), entrada(4)
	quoted.Activacion.Nombre = `MA. "LUPITA"`
	year.Activacion.FechaNacimiento, year.Activacion.FechaDesaparicion = "1990", "2024-01-02"
	word.Activacion.SexoAsignado = "HOMBRE"
	number.Ilegibles = []string{"segundo_apellido"}
	r, _, store, q := newResincronizacion(t, quoted, year, word, number)
	run(t, r)
	if q.len() != 4 {
		t.Fatalf("%d of 4 were activated", q.len())
	}
	reporte, err := store.GetReporte(t.Context(), empresaA, q.filas[1])
	must(t, err)
	if reporte.FechaDesaparicion.String() != "2024-01-02" || !reporte.Persona.FechaNacimiento.IsZero() {
		t.Errorf("got %+v, want the one date that can be read", reporte)
	}
	var left []string
	all := asientos(t, store, empresaA)
	all = all[len(all)-5:]
	for _, a := range all[:4] {
		left = append(left, fmt.Sprint(a.Accion, a.Datos["descartados"]))
	}
	want := []string{"activar-por-listado[nombre]", "activar-por-listado[fecha_nacimiento]", "activar-por-listado[sexo_asignado]", "activar-por-listado[segundo_apellido]"}
	if !slices.Equal(left, want) {
		t.Errorf("bitacora = %v, want %v", left, want)
	}
	if datos := all[4].Datos; datos["descartados"] != 4.0 || datos["invalidos"] != 0.0 ||
		fmt.Sprint(datos["descartados_campos"]) != "[fecha_nacimiento nombre segundo_apellido sexo_asignado]" {
		t.Errorf("bitacora of the run = %v", datos)
	}
	if got := pendientes(t, store); len(got) != 0 {
		t.Errorf("an operator has to look at %v", got)
	}
}

// A known Reporte gets what it lacks, once, as from a repeated activation (rule 12).
func TestResincronizacion_completesWhatIsKnown(t *testing.T) {
	t.Parallel()
	r, platform, store, q := newResincronizacion(t)
	saveActivo(t, store, 1)
	_, err := store.SaveActivacion(t.Context(), empresaA, solicitud(func(s *reportes.Solicitud) {
		s.ReporteID, s.FechaDesaparicion = idNumber(2), manual.MustParseFecha("2023-01-01")
		s.Persona.Nombre = "NOMBRE"
	}))
	must(t, err)
	saveActivo(t, store, 3)
	_, err = store.SaveDesactivacion(t.Context(), empresaA, idNumber(3))
	must(t, err)
	for n := 1; n <= 3; n++ {
		e := entrada(n)
		e.Activacion.FechaDesaparicion, e.Activacion.Nombre, e.Activacion.PrimerApellido = "2024-05-06", "OTRO", "APELLIDO"
		platform.entradas = append(platform.entradas, e)
	}
	other := entrada(1) // another person
	other.Activacion.CURP, other.Activacion.SegundoApellido = "TEST010101HDFABC02", "AJENO"
	before, filas := q.len(), slices.Clone(q.filas)
	for range 2 { // the second finds nothing new
		run(t, r)
	}
	if q.len() != before+2 {
		t.Errorf("registros was told %d times, want once of each", q.len()-before)
	}
	platform.entradas = []resincronizacion.Entrada{other}
	run(t, r)
	for n, want := range []string{"2024-05-06 OTRO APELLIDO ", "2023-01-01 NOMBRE APELLIDO ", "   "} {
		reporte, err := store.GetReporte(t.Context(), empresaA, filas[n])
		must(t, err)
		p := reporte.Persona
		if got := fmt.Sprint(reporte.FechaDesaparicion, " ", p.Nombre, " ", p.PrimerApellido, " ", p.SegundoApellido); got != want {
			t.Errorf("reporte %d: got %q, want %q", n+1, got, want)
		}
	}
	completed := 0
	for _, a := range asientos(t, store, empresaA) {
		if a.Accion == bitacora.AccionCompletarPorListado {
			completed++
		}
	}
	if completed != 2 {
		t.Errorf("the bitacora has %d completions, want 2", completed)
	}
}

// The day of the request is the one on which the platform registered the report.
func TestResincronizacion_keepsTheDayOfTheRequest(t *testing.T) {
	t.Parallel()
	days := []string{"2026-01-02", "20/04/2003", ""}
	var entradas []resincronizacion.Entrada
	for n, day := range days {
		e := entrada(n)
		e.Activacion.FechaRegistro = day
		entradas = append(entradas, e)
	}
	r, _, store, q := newResincronizacion(t, entradas...)
	run(t, r)
	for n, want := range []string{"2026-01-02", "", ""} {
		reporte, err := store.GetReporte(t.Context(), empresaA, q.filas[n])
		must(t, err)
		if got := reporte.FechaRegistro.String(); got != want {
			t.Errorf("%q: got %q, want %q", days[n], got, want)
		}
		if got := manual.FechaOf(reporte.SolicitadoEn()).String(); want != "" && got != want {
			t.Errorf("requested on %s, want %s", got, want)
		}
	}
}

// pendientes is what of an institution opened no search: its ids, and how many have none.
func pendientes(t *testing.T, store *Store) map[string]int {
	t.Helper()
	all, err := store.ListPendientes(t.Context(), 0)
	must(t, err)
	found := map[string]int{}
	for _, p := range all {
		if p.Tipo == seguimiento.PendienteSinAbrir {
			found[string(p.EmpresaID)+" "+p.Recurso] = p.Total
		}
	}
	return found
}

func wantPendientes(t *testing.T, store *Store, want map[string]int) {
	t.Helper()
	if diff := cmp.Diff(want, pendientes(t, store)); diff != "" {
		t.Errorf("to review (-want +got):\n%s", diff)
	}
}

// What cannot be used stands until an operator reviewed it, however often the list says it.
func TestResincronizacion_unusableEntriesStandUntilReviewed(t *testing.T) {
	t.Parallel()
	short, bare, none := entrada(1), entrada(2), resincronizacion.Entrada{}
	short.Activacion.CURP, bare.Activacion.ID = "corta", "sin-uuid"
	gone := inactiva(5) // asks for no search
	gone.Activacion.CURP = ""
	known := entrada(6) // has one
	known.Activacion.CURP = ""
	twin := entrada(7) // a second entry can be used
	twin.Activacion.CURP = ""
	r, platform, store, q := newResincronizacion(t, short, bare, none, gone, known, entrada(3), twin, entrada(7))
	saveActivo(t, store, 6)
	before := q.len()
	for range 3 {
		run(t, r)
	}
	const a = string(empresaA) + " "
	wantPendientes(t, store, map[string]int{a + idNumber(1): 1, a: 2})
	if q.len() != before+2 {
		t.Errorf("%d activated, want those that can be", q.len()-before)
	}
	reviewed, err := store.ReviewSinAbrir(t.Context(), empresaA, 10)
	must(t, err)
	var said []string
	for _, s := range reviewed {
		said = append(said, fmt.Sprint(s.Origen, " ", s.ReporteID, s.Defectos))
	}
	slices.Sort(said)
	want := []string{"listado [id longitud]", "listado [id requerido curp requerido]", "listado " + idNumber(1) + "[curp longitud]"}
	slices.Sort(want)
	if !slices.Equal(said, want) {
		t.Errorf("reviewed %q, want %q", said, want)
	}
	run(t, r) // says the same again
	wantPendientes(t, store, map[string]int{})

	other := entrada(4)
	other.Activacion.CURP = ""
	platform.entradas = append(platform.entradas, other)
	run(t, r)
	wantPendientes(t, store, map[string]int{a + idNumber(4): 1})
	platform.entradas = []resincronizacion.Entrada{entrada(4)} // mended
	run(t, r)
	wantPendientes(t, store, map[string]int{})
}

// A list that goes on naming another person under an id that is active here is looked at.
func TestResincronizacion_anotherPersonUnderTheSameID(t *testing.T) {
	t.Parallel()
	other := entrada(1)
	other.Activacion.CURP = "TEST010101HDFABC02"
	r, _, store, _ := newResincronizacion(t, other)
	saveActivo(t, store, 1)
	run(t, r) // it may have been made before
	wantPendientes(t, store, map[string]int{})
	r.Store = twoHoursLater{store}
	run(t, r)
	wantPendientes(t, store, map[string]int{string(empresaA) + " " + idNumber(1): 1})
}

// What a later entry of the same id and person adds is not lost.
func TestResincronizacion_anIDThatIsListedTwice(t *testing.T) {
	t.Parallel()
	first, second, stranger := entrada(1), entrada(1), entrada(1)
	first.Activacion.FechaDesaparicion, first.Activacion.Nombre = "2025-02-30", "PRIMERO"
	second.Activacion.FechaDesaparicion, second.Activacion.Nombre, second.Activacion.PrimerApellido = "2025-02-01", "SEGUNDO", "APELLIDO"
	stranger.Activacion.CURP, stranger.Activacion.SegundoApellido = "TEST010101HDFABC02", "AJENO"
	r, _, store, q := newResincronizacion(t, first, second, stranger)
	run(t, r)
	reporte, err := store.GetReporte(t.Context(), empresaA, q.filas[0])
	must(t, err)
	p := reporte.Persona
	if got, want := fmt.Sprint(reporte.FechaDesaparicion, " ", p.Nombre, " ", p.PrimerApellido, " ", p.SegundoApellido), "2025-02-01 PRIMERO APELLIDO "; got != want || q.len() != 1 {
		t.Errorf("got %q of %d activations, want %q of one", got, q.len(), want)
	}
}

// That an earlier activation of the id was refused, and then made, hides no other person.
func TestResincronizacion_anotherPersonAfterARefusal(t *testing.T) {
	t.Parallel()
	other := entrada(1)
	other.Activacion.CURP = "TEST010101HDFABC02"
	r, _, store, _ := newResincronizacion(t, other)
	must(t, store.SaveRechazo(t.Context(), bitacora.Asiento{EmpresaID: empresaA, Tipo: bitacora.AsientoSolicitud, Accion: bitacora.AccionActivar, Status: 400},
		reportes.NewSinAbrir(reportes.SinAbrirActivacion, idNumber(1), "", "", []string{"fecha_desaparicion fecha_invalida"})))
	saveActivo(t, store, 1)
	wantPendientes(t, store, map[string]int{})
	r.Store = twoHoursLater{store}
	run(t, r)
	wantPendientes(t, store, map[string]int{string(empresaA) + " " + idNumber(1): 1})
}

func TestResincronizacion_invalidEntriesAreSkippedAndAudited(t *testing.T) {
	t.Parallel()
	wrong := entrada(2)
	wrong.Activacion.CURP = "corta"
	r, _, store, q := newResincronizacion(t, resincronizacion.Entrada{}, wrong, entrada(3))
	run(t, r)
	if q.len() != 1 {
		t.Errorf("%d activated, want the valid one", q.len())
	}
	all := asientos(t, store, empresaA)
	datos := all[len(all)-1].Datos
	if datos["invalidos"] != 2.0 || fmt.Sprint(datos["invalidos_ids"]) != fmt.Sprint([]any{"", idNumber(2)}) || datos["activados"] != 1.0 {
		t.Errorf("bitacora = %v", datos)
	}
}

// An entry with a state that does not say active is never activated, and shown.
func TestResincronizacion_inactiveEntriesAreShown(t *testing.T) {
	t.Parallel()
	r, platform, store, q := newResincronizacion(t, inactiva(1), inactiva(2), inactiva(3), inactiva(3))
	saveActivo(t, store, 2)
	saveActivo(t, store, 3)
	_, err := store.SaveDesactivacion(t.Context(), empresaA, idNumber(3))
	must(t, err)
	before := q.len()
	run(t, r)
	want := map[string]string{idNumber(2) + " activo": "listado_inactivo", idNumber(3) + " desactivado": ""}
	if got := observaciones(t, store); fmt.Sprint(got) != fmt.Sprint(want) || q.len() != before {
		t.Errorf("flags = %v, %d activated; want %v", got, q.len()-before, want)
	}
	all := asientos(t, store, empresaA)
	datos := all[len(all)-1].Datos
	if datos["inactivos"] != 4.0 || datos["listados_inactivos"] != 1.0 || datos["no_listados"] != 0.0 {
		t.Errorf("bitacora = %v", datos)
	}
	platform.entradas = []resincronizacion.Entrada{entrada(2)}
	run(t, r)
	if got := observaciones(t, store)[idNumber(2)+" activo"]; got != "" {
		t.Errorf("it is still flagged %s", got)
	}
}

// Of a list that breaks off what came holds, and what did not come means nothing.
func TestResincronizacion_aListThatBreaksOff(t *testing.T) {
	t.Parallel()
	r, platform, store, q := newResincronizacion(t, entrada(1), entrada(2), entrada(3))
	saveActivo(t, store, 3)
	saveActivo(t, store, 4)
	saveActivo(t, store, 5)
	_, err := store.SaveDesactivacion(t.Context(), empresaA, idNumber(3))
	must(t, err)
	before := q.len()
	whole := platform.desenlace
	platform.desenlace = entregas.Desenlace{Resultado: envio.MasTarde, Status: 200, Motivo: "ilegible", Falla: true}
	pause, err := r.Run(t.Context(), empresaA)
	must(t, err)
	if pause == 0 || q.len() != before+2 {
		t.Errorf("pause %v, %d activated; want another try, and 2", pause, q.len()-before)
	}
	flags := observaciones(t, store)
	if flags[idNumber(3)+" desactivado"] != "listado_tras_baja" || flags[idNumber(4)+" activo"] != "" || flags[idNumber(5)+" activo"] != "" {
		t.Errorf("flags = %v", flags)
	}
	all := asientos(t, store, empresaA)
	if last := all[len(all)-1]; last.Motivo != "ilegible" || last.Datos["listados"] != 3.0 || last.Datos["activados"] != 2.0 {
		t.Errorf("bitacora = %+v", last)
	}
	platform.desenlace = whole
	run(t, r)
	flags = observaciones(t, store)
	if q.len() != before+2 || flags[idNumber(4)+" activo"] != "no_listado" || flags[idNumber(1)+" activo"] != "" {
		t.Errorf("then %d activated, flags = %v", q.len()-before, flags)
	}
}

// All pages of what the list may lack are looked at.
func TestResincronizacion_aListThatLacksMany(t *testing.T) {
	t.Parallel()
	r, platform, store, _ := newResincronizacion(t)
	withReportes(t, store, 10*comparables+100)
	run(t, r)
	flagged := func() (n int) {
		for _, flag := range observaciones(t, store) {
			if flag == "no_listado" {
				n++
			}
		}
		return n
	}
	if n := flagged(); n != comparables+10 {
		t.Errorf("%d flagged, want all %d active ones", n, comparables+10)
	}
	platform.meanwhile = func() {
		must(t, store.db.InEmpresa(t.Context(), empresaA, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), `UPDATE reportes SET estado = 'desactivado', desactivado_en = activado_en WHERE estado = 'activo'`)
			return err
		}))
	}
	run(t, r)
	if n := flagged(); n != 0 {
		t.Errorf("%d are flagged for ever", n)
	}
}

func TestResincronizacion_aListThatDoesNotComeChangesNothing(t *testing.T) {
	t.Parallel()
	r, platform, store, _ := newResincronizacion(t)
	saveActivo(t, store, 1)
	tests := []struct {
		name      string
		desenlace entregas.Desenlace
		again     bool
	}{
		{"away", entregas.Desenlace{Resultado: envio.MasTarde, Status: 503, Motivo: "servidor", Falla: true}, true},
		{"wrong clave", entregas.Desenlace{Resultado: envio.MasTarde, Status: 403, Motivo: "credencial", Falla: true}, false},
	}
	for _, tt := range tests {
		platform.desenlace = tt.desenlace
		pause, err := r.Run(t.Context(), empresaA)
		must(t, err)
		if (pause > 0) != tt.again {
			t.Errorf("%s: pause = %v", tt.name, pause)
		}
		all := asientos(t, store, empresaA)
		if last := all[len(all)-1]; last.Status != tt.desenlace.Status || last.Motivo != tt.desenlace.Motivo {
			t.Errorf("%s: bitacora = %+v", tt.name, last)
		}
	}
	if got := observaciones(t, store)[idNumber(1)+" activo"]; got != "" {
		t.Errorf("flag = %q", got)
	}
}
