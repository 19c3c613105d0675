package bench

import (
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/deploy/local/stack"
)

// A list is a route and the rows that it is made of.
type list struct {
	name, query string
	// row gives where a row goes.
	row func() []any
}

var longLists = []list{
	{"casos", `
		SELECT id, reporte_id, ciclo, activado_en, fecha_desaparicion, curp, persona,
			estado, finalizacion, coincidencias, abierto_en, busqueda_finalizada_en, cerrado_en, actualizado_en
		FROM casos WHERE empresa_id = $1 ORDER BY id DESC`,
		func() []any {
			return []any{new([16]byte), new(string), new(int), new(time.Time), new(*time.Time), new(string), new([]byte),
				new(string), new(string), new(int), new(time.Time), new(*time.Time), new(*time.Time), new(time.Time)}
		}},
	{"coincidencias", `
		SELECT m.id, m.caso_id, c.reporte_id, m.fase, m.folio, m.curp, m.tipo_evento, m.fecha_evento,
			m.estado, m.detectada_en, m.notificada_en, m.detalle
		FROM coincidencias m JOIN casos c ON c.empresa_id = m.empresa_id AND c.id = m.caso_id
		WHERE m.empresa_id = $1 ORDER BY m.id DESC`,
		func() []any {
			return []any{new([16]byte), new([16]byte), new(string), new(int), new(string), new(string), new(*string), new(*time.Time),
				new(string), new(time.Time), new(*time.Time), new(*string)}
		}},
}

// lists reads long lists by HTTP and by pgx, and looks at the first byte and at the gateway's
// memory.
func lists(s *session) {
	s.fillLists()
	c := newCaller(s.tb, s.ours.base, apiKey, s.listed.ApiKey)
	// A gateway that has not worked yet grows by whatever it is asked.
	s.rate(callers, func() { s.ours.post(pingPath, nil) })
	for _, l := range longLists {
		before := s.resident(stack.Gateway)
		s.rounds(l.name,
			side{ours, func() float64 { return took(func() { s.readList(c, l) }) }},
			side{bare, func() float64 { return took(func() { s.readRows(l) }) }},
		)
		s.note(l.name, "growth", max(s.resident(stack.Gateway)-before, 0))
	}
}

func (s *session) readList(c *caller, l list) {
	started := time.Now()
	c.get("/cliente/"+l.name, func() { s.note(l.name, "first byte", time.Since(started).Seconds()) })
}

func (s *session) readRows(l list) {
	rows, err := s.admin.Query(s.tb.Context(), l.query, s.listed.ID)
	if err != nil {
		s.tb.Fatal(err)
	}
	read := 0
	_, err = pgx.ForEachRow(rows, l.row(), func() error {
		read++
		return nil
	})
	if err != nil || read != listedRows {
		s.tb.Errorf("%d rows read: %v", read, err)
	}
}
