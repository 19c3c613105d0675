package postgres

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
)

// entry is one that is sealed.
const entry = `WHERE empresa_id = 'LAB010101AB1' AND accion = 'n3'`

// Who can change the tables changes no entry that is sealed without being found out.
func TestCadena_findsWhatWasChangedInTheDatabase(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"another text":     `UPDATE bitacora SET actor = 'otro' ` + entry,
		"another time":     `UPDATE bitacora SET ocurrido_en = '2040-01-01T00:00:03.000001Z' ` + entry,
		"other data":       `UPDATE bitacora SET datos = '{"n": 1}' ` + entry,
		"missing":          `DELETE FROM bitacora ` + entry,
		"another order":    `UPDATE bitacora_sellos SET asientos = asientos[2:] || asientos[1] WHERE primero = 2`,
		"a missing seal":   `DELETE FROM bitacora_sellos WHERE primero = 2`,
		"the last seal":    `DELETE FROM bitacora_sellos WHERE primero = 8`,
		"the last entry":   `DELETE FROM bitacora WHERE ocurrido_en >= '2041-01-01'`,
		"never to be seen": `DELETE FROM bitacora_por_sellar`,
		"gone before":      `DELETE FROM bitacora WHERE accion = 'sin_sellar'`,
		"another end":      `UPDATE bitacora_sellos SET hash = decode(repeat('00', 32), 'hex') WHERE primero = 2`,
		"an earlier end":   `UPDATE bitacora_sellos SET hash = decode(repeat('00', 32), 'hex') WHERE primero = 1`,
		"a swapped number": `UPDATE bitacora SET id = '00000000-0000-4000-8000-000000000000' ` + entry,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantFound(t, statement)
		})
	}
}

// wantFound has a statement change what was sealed, or is still to be.
func wantFound(t *testing.T, statement string) {
	t.Helper()
	db, database := pgtest.Open(t, Migrations)
	store := NewStore(db, &queue{}, huellas)
	must(t, store.RecordAsiento(t.Context(), bitacora.Asiento{EmpresaID: empresaA, Tipo: bitacora.AsientoCambio, Accion: "primero"}))
	seal(t, store, empresaA)
	insertRows(t, store, time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC), time.Second, 6)
	seal(t, store, empresaA)
	insertRows(t, store, time.Date(2041, 1, 1, 0, 0, 0, 0, time.UTC), time.Second, 1)
	seal(t, store, empresaA)
	_, all, err := chain(t, store, empresaA, bitacora.Periodo{})
	if err != nil || len(all) != 8 {
		t.Fatalf("before: %d entries, %v", len(all), err)
	}
	must(t, store.RecordAsiento(t.Context(), bitacora.Asiento{EmpresaID: empresaA, Tipo: bitacora.AsientoCambio, Accion: "sin_sellar"}))
	asOwner(t, database, statement)
	_, _, err = chain(t, store, empresaA, bitacora.Periodo{})
	if !errs.Is(err, errores.Conflicto) {
		t.Errorf("after: %v, want it found", err)
	}
}

func TestCadena_logsWhereItStands(t *testing.T) { // not parallel: it takes the log
	store, _ := newStore(t)
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	tramo, _, err := chain(t, store, empresaA, bitacora.Periodo{})
	must(t, err)
	if want := fmt.Sprintf("empresa_id=%s ultimo=%d hash=%s\n", empresaA, tramo.Ultimo, tramo.Hash); !strings.Contains(log.String(), want) {
		t.Errorf("the log has no %s: %s", want, log.String())
	}
	log.Reset()
	seal(t, store, empresaA)
	if log.Len() > 0 {
		t.Errorf("nothing was sealed, and the log says %s", log.String())
	}
}

// Who controls the database alone can chain anew what they changed, and the chain is sound
// again: it is found only by comparing with an earlier export, or with the log of the seals.
func TestCadena_rewrittenWholeDiffersFromWhatOthersHold(t *testing.T) {
	t.Parallel()
	db, database := pgtest.Open(t, Migrations)
	store := NewStore(db, &queue{}, huellas)
	must(t, store.RecordAsiento(t.Context(), bitacora.Asiento{EmpresaID: empresaA, Tipo: bitacora.AsientoCambio, Accion: "uno"}))
	held, _, err := chain(t, store, empresaA, bitacora.Periodo{})
	must(t, err)
	for _, statement := range []string{
		`UPDATE bitacora SET actor = 'otro'`, `DELETE FROM bitacora_sellos`,
		`INSERT INTO bitacora_por_sellar (empresa_id, id) SELECT empresa_id, id FROM bitacora`,
	} {
		asOwner(t, database, statement)
	}
	got, _, err := chain(t, store, empresaA, bitacora.Periodo{})
	must(t, err)
	if got.Ultimo != held.Ultimo || got.Hash == held.Hash {
		t.Errorf("entry %d has the hash %s, as entry %d had %s", got.Ultimo, got.Hash, held.Ultimo, held.Hash)
	}
}

func asOwner(t *testing.T, database pgtest.Database, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database.AdminURL)
	must(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	tag, err := conn.Exec(t.Context(), statement)
	must(t, err)
	if tag.RowsAffected() != 1 {
		t.Fatalf("%s changed %d rows", statement, tag.RowsAffected())
	}
}
