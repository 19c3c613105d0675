package bench

import (
	"time"

	"github.com/jackc/pgx/v5"
)

// columns are those of a record in the table, which the floors write.
var columns = []string{"folio", "curp", "tipo_evento", "fecha_evento", "datos", "huella"}

// rowsOf prepares records for the table, which is no part of a floor.
func (s *session) rowsOf(records []registro) [][]any {
	rows := make([][]any, len(records))
	for k, r := range records {
		day, err := time.Parse(time.DateOnly, r.FechaEvento)
		if err != nil {
			s.tb.Fatal(err)
		}
		rows[k] = []any{r.Folio, r.CURP, r.TipoEvento, day, r.datos(s.tb), r.huella(s.tb)}
	}
	return rows
}

const mergeBare = `
	INSERT INTO registros AS r (empresa_id, folio, curp, tipo_evento, fecha_evento, datos, huella)
	SELECT $1, folio, curp, tipo_evento, fecha_evento, datos, huella FROM `

const onConflict = `
	ON CONFLICT (empresa_id, folio) DO UPDATE SET curp = excluded.curp, tipo_evento = excluded.tipo_evento,
		fecha_evento = excluded.fecha_evento, datos = excluded.datos, huella = excluded.huella
	WHERE r.huella <> excluded.huella`

// copyBare is the floor of a batch: COPY into a temporary table and a merge, nothing else.
func (s *session) copyBare(rows [][]any) {
	err := pgx.BeginFunc(s.tb.Context(), s.admin, func(tx pgx.Tx) error {
		_, err := tx.Exec(s.tb.Context(), `
			CREATE TEMPORARY TABLE IF NOT EXISTS llegada (folio text, curp text, tipo_evento text, fecha_evento date, datos jsonb, huella bytea)
			ON COMMIT DELETE ROWS`)
		if err != nil {
			return err
		}
		_, err = tx.CopyFrom(s.tb.Context(), pgx.Identifier{"llegada"}, columns, pgx.CopyFromRows(rows))
		if err != nil {
			return err
		}
		_, err = tx.Exec(s.tb.Context(), mergeBare+`llegada`+onConflict, s.empresa.ID)
		return err
	})
	if err != nil {
		s.tb.Fatal(err)
	}
}

// unnestBare is the floor of a record: the same upsert of one row, in one statement.
func (s *session) unnestBare(row []any) {
	args := []any{s.empresa.ID, []string{row[0].(string)}, []string{row[1].(string)}, []string{row[2].(string)},
		[]time.Time{row[3].(time.Time)}, []string{string(row[4].([]byte))}, [][]byte{row[5].([]byte)}}
	s.exec(mergeBare+`unnest($2::text[], $3::text[], $4::text[], $5::date[], $6::text[]::jsonb[], $7::bytea[])
		AS l (folio, curp, tipo_evento, fecha_evento, datos, huella)`+onConflict, args...)
}
