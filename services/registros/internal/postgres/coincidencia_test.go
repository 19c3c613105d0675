package postgres

import (
	"context"
	"math"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// What a search has read and somebody else has written again since is left to that one: it may be
// of another person by then.
func TestInsertCoincidencias_leavesToItsWriterWhatWasWrittenAgain(t *testing.T) {
	t.Parallel()
	db, database := pgtest.Open(t, Migrations)
	admin, err := pgx.Connect(t.Context(), database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = admin.Close(context.Background()) }()
	_, err = admin.Exec(t.Context(), `
		INSERT INTO registros (empresa_id, folio, curp, tipo_evento, fecha_evento, datos, huella, revision)
		VALUES ('LAB010101AB1', 'F-1', 'MANY10000000000008', 'Toma de muestra', '2026-06-01', '{}', sha256(''), 7);
		INSERT INTO casos (empresa_id, id, reporte_id, ciclo, curp, persona, activado_en, continua_desde, corte)
		VALUES ('LAB010101AB1', gen_random_uuid(), 'R-1', 1, 'MANY10000000000007', '{}', now(), '2026-01-01', 1)`)
	if err != nil {
		t.Fatal(err)
	}
	var caso uuid.UUID
	err = admin.QueryRow(t.Context(), `SELECT id FROM casos`).Scan(&caso)
	if err != nil {
		t.Fatal(err)
	}
	read := registros.Registro{Folio: "F-1", Persona: manual.Persona{CURP: "MANY10000000000007"}}
	for _, tt := range []struct {
		hasta int64
		want  int
	}{{6, 0}, {7, 1}, {math.MaxInt64, 0}} { // told by then
		var opened []registros.CasoID
		err = db.InEmpresa(t.Context(), laboratorio, func(tx pgx.Tx) (err error) {
			pares := []par{{caso: caso, folio: "F-1", registro: &read, hasta: tt.hasta}}
			opened, err = insertCoincidencias(t.Context(), tx, laboratorio, manual.FaseContinua, pares)
			return err
		})
		if err != nil || len(opened) != tt.want {
			t.Errorf("read at revision %d: got %d coincidencias, %v, want %d", tt.hasta, len(opened), err, tt.want)
		}
	}
}
