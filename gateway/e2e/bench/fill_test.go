package bench

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// Persons of whom there is no record: those of cases that are only there, and those that the
// platform reports.
const (
	casePersons     = 3 << 30
	reportedPersons = 1 << 31
	listedRows      = 100_000
)

// fillAll brings the tables to the size that the options ask for.
func (s *session) fillAll() { s.fill(s.options.records, s.options.cases) }

// fill brings the tables, ours and the peer's, to a number of narrow records and open cases of
// the institution, faster than the front door would.
func (s *session) fill(records, cases int) {
	s.tb.Helper()
	grown := s.fillRecords(records) + s.fillCases(cases)
	if grown == 0 {
		return
	}
	for _, conn := range []*pgx.Conn{s.admin, s.peerAdmin} {
		_, err := conn.Exec(s.tb.Context(), `VACUUM ANALYZE registros, casos`)
		if err != nil {
			s.tb.Fatal(err)
		}
	}
	s.exec(`CHECKPOINT`)
}

func (s *session) fillRecords(to int) (grown int) {
	from := s.numbers
	grown = max(to-s.records, 0)
	s.numbers, s.records = s.numbers+grown, s.records+grown
	narrow := func(k int) []any { return append([]any{s.empresa.ID}, s.rowsOf(newRegistros(from+k, 1, false))[0]...) }
	s.copyRows(s.admin, "registros", append([]string{"empresa_id"}, columns...), grown, narrow)
	s.copyRows(s.peerAdmin, "registros", append([]string{"empresa_id"}, columns[:5]...), grown, func(k int) []any { return narrow(k)[:6] })
	return grown
}

func (s *session) fillCases(to int) (grown int) {
	from := s.cases
	grown = max(to-s.cases, 0)
	s.cases += grown
	s.copyCases(s.empresa, from, grown)
	s.copyRows(s.peerAdmin, "casos", []string{"empresa_id", "curp", "continua_desde"}, grown, func(k int) []any {
		return []any{s.empresa.ID, newPersona(casePersons + from + k).curp, lastWeek()}
	})
	return grown
}

// copyCases adds cases whose search is over.
func (s *session) copyCases(i *harness.Institucion, from, n int) {
	now := time.Now()
	who := []byte(`{"nombre": "NOMBRE", "primer_apellido": "PRIMERO", "segundo_apellido": "SEGUNDO"}`)
	s.copyRows(s.admin, "casos", []string{
		"empresa_id", "id", "reporte_id", "ciclo", "curp", "persona", "activado_en", "continua_desde", "corte",
		"basicos_en", "buscado_en", "finalizacion", "busqueda_finalizada_en", "estado",
	}, n, func(k int) []any {
		return []any{
			i.ID, rowID(from + k), harness.ReporteID(casePersons + from + k), 1, newPersona(casePersons + from + k).curp, who, now, lastWeek(), 1,
			now, now, "notificada", now, "monitoreo",
		}
	})
	s.exec(`INSERT INTO revisiones (empresa_id, revision) VALUES ($1, 1) ON CONFLICT DO NOTHING`, i.ID)
}

// lastWeek is from when on the open cases look at events.
func lastWeek() time.Time { return time.Now().AddDate(0, 0, -7) }

// fillLists gives the other institution lists of 100,000 rows, which nothing else touches.
func (s *session) fillLists() {
	var filled bool
	err := s.admin.QueryRow(s.tb.Context(), `SELECT EXISTS (SELECT FROM casos WHERE empresa_id = $1)`, s.listed.ID).Scan(&filled)
	if err != nil {
		s.tb.Fatal(err)
	}
	if filled {
		return
	}
	s.copyCases(s.listed, 0, listedRows)
	now := time.Now()
	s.copyRows(s.admin, "coincidencias", []string{
		"empresa_id", "id", "caso_id", "fase", "folio", "revision", "curp", "tipo_evento", "fecha_evento", "datos", "estado", "notificada_en",
	}, listedRows, func(k int) []any {
		return []any{
			s.listed.ID, rowID(k), rowID(k), 3, fmt.Sprintf("LAB-%010d", k), k, newPersona(casePersons + k).curp,
			"Toma de muestra en sucursal", now, []byte(`{}`), "notificada", now,
		}
	})
	s.exec(`VACUUM ANALYZE casos, coincidencias`)
}

// copyRows adds n rows to a table.
func (s *session) copyRows(conn *pgx.Conn, table string, columns []string, n int, row func(k int) []any) {
	s.tb.Helper()
	_, err := conn.CopyFrom(s.tb.Context(), pgx.Identifier{table}, columns,
		pgx.CopyFromSlice(n, func(k int) ([]any, error) { return row(k), nil }))
	if err != nil {
		s.tb.Fatal(err)
	}
}

// rowID makes ids that grow, as ours do.
func rowID(n int) (id [16]byte) {
	binary.BigEndian.PutUint32(id[:], uint32(n)+1)
	id[6], id[8] = 0x70, 0x80
	return id
}
