package postgres_test

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// idAt is an id as it was made at an instant.
func idAt(instant time.Time) uuid.UUID {
	id := pg.NewID()
	var millis [8]byte
	binary.BigEndian.PutUint64(millis[:], uint64(instant.UnixMilli())<<16)
	copy(id[:6], millis[:6])
	return id
}

// receive remembers a batch of 4 as it came at an instant: one created, one changed, one refused.
func (b bundle) receive(t *testing.T, empresa tenant.EmpresaID, at string) {
	t.Helper()
	_, err := b.admin.Exec(t.Context(), `
		INSERT INTO lotes (empresa_id, id, key_id, recibido_en, total, creados, actualizados, rechazados)
		VALUES ($1, $2, 'KEY', $3, 4, 1, 1, 1)`, string(empresa), idAt(instant(t, at)), instant(t, at))
	if err != nil {
		t.Fatal(err)
	}
}

// find adds a Coincidencia to a Caso, found at an instant; after 0 it has not been told.
func (b bundle) find(t *testing.T, caso registros.CasoID, folio, at string, after time.Duration) {
	t.Helper()
	found, estado := instant(t, at), "notificada"
	told := new(found.Add(after))
	if after == 0 {
		estado, told = "pendiente", nil
	}
	_, err := b.admin.Exec(t.Context(), `
		INSERT INTO coincidencias (empresa_id, id, caso_id, fase, folio, revision, curp, tipo_evento, fecha_evento, datos, estado, detectada_en, notificada_en)
		VALUES ($1, $2, $3, 3, $4, 1, $5, 'Toma de muestra', '2026-06-01', '{}', $6, $7, $8)`,
		string(empresaUno), idAt(found), caso, folio, curpUno, estado, found, told)
	if err != nil {
		t.Fatal(err)
	}
}

func instant(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// Every day of the window is there, whatever happened in it, and is one of Mexico City, where
// it begins at six in UTC.
func TestStore_ListCifras(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caso := b.open(t, empresaUno, newReporte(nil))
	b.receive(t, empresaUno, "2026-05-17T05:59:59Z") // the day before the first
	b.receive(t, empresaUno, "2026-05-17T06:00:00Z")
	b.receive(t, empresaUno, "2026-06-15T06:00:00Z")
	b.receive(t, empresaUno, "2026-06-15T18:00:00Z")
	b.receive(t, empresaDos, "2026-06-15T18:00:00Z")
	b.find(t, caso, "A", "2026-06-15T05:59:59Z", 20*time.Millisecond)
	b.find(t, caso, "B", "2026-06-14T06:00:00Z", 3*time.Hour)
	b.find(t, caso, "C", "2026-06-14T07:00:00Z", time.Second)
	b.find(t, caso, "D", "2026-06-14T08:00:00Z", 0)

	got, err := b.store.ListCifras(t.Context(), empresaUno, instant(t, "2026-06-15T20:00:00Z"))
	if err != nil || len(got) != registros.DiasDeCifras {
		t.Fatalf("%d days, %v", len(got), err)
	}
	want := map[string]registros.Cifras{
		"2026-05-17": {Recibidos: 4, Creados: 1, Actualizados: 1, Rechazados: 1},
		"2026-06-14": {Coincidencias: 4, Notificadas: 3, Mediana: time.Second},
		"2026-06-15": {Recibidos: 8, Creados: 2, Actualizados: 2, Rechazados: 2},
	}
	day := fecha("2026-05-17")
	for _, c := range got {
		wanted := want[day.String()]
		wanted.Dia = day
		if c != wanted {
			t.Errorf("got %+v, want %+v", c, wanted)
		}
		day = fecha(day.Time().AddDate(0, 0, 1).Format(time.DateOnly))
	}
}
