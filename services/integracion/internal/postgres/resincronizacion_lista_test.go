package postgres

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/resincronizacion"
	"github.com/enlace-iis/enlace/services/internal/envio"
)

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
