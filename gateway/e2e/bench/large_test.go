package bench

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

// fewRecords are what the large table is held against, largeCases are open in either.
const (
	fewRecords = 1_000_000
	largeCases = 100
)

// dailies are what an institution and an operator ask for, each so many times.
var dailies = []struct {
	name  string
	turns int
	send  func(s *filled)
}{
	{"one new record", 500, func(s *filled) { s.ours.post(lotePath, body(s.tb, s.fresh(1, true))) }},
	{"500 new ones", 100, func(s *filled) { s.ours.post(lotePath, body(s.tb, s.fresh(smallBatch, true))) }},
	{"the last 500 again", 100, func(s *filled) {
		s.ours.post(lotePath, body(s.tb, newRegistros(s.numbers-smallBatch, smallBatch, true)))
	}},
	{"a person by CURP", 500, (*filled).look},
	{"the list of matches", 200, func(s *filled) { s.ours.get("/cliente/coincidencias", nil) }},
}

// BenchmarkLarge prints how long they take with as many records as -records says, beside
// another system with few, in turn.
func BenchmarkLarge(b *testing.B) {
	folder := outFolder(b)
	few, many := startFilled(b, filepath.Join(folder, "few"), fewRecords), startFilled(b, filepath.Join(folder, "many"), chosen.records)
	for _, daily := range dailies {
		var of [2][]float64
		for range daily.turns {
			for k, s := range []*filled{few, many} {
				of[k] = append(of[k], took(func() { daily.send(s) }))
			}
		}
		told := daily.name + ":"
		for _, p := range []int{50, 99} {
			before, after := percentile(of[0], p), percentile(of[1], p)
			told += fmt.Sprintf(" p%d %s, then %s (%s)", p, millis(before), millis(after), times(after/before))
		}
		fmt.Println(told)
	}
}

// filled is a system of its own with so many narrow records of one institution, and cases with
// matches.
type filled struct {
	*session
	records, looked int
	operador        *caller
}

func startFilled(b *testing.B, folder string, records int) *filled {
	b.Helper()
	s := &filled{records: records, session: &session{tb: b, options: chosen, system: startSystem(b, folder), numbers: records}}
	s.empresa = s.system.NewInstitucion(b)
	s.ours = newCaller(b, s.empresa.BaseURL, apiKey, s.empresa.ApiKey)
	s.admin = connect(b, s.system.AdminURL(stack.Postgres, stack.Registros))
	var made, granted struct{ Usuario, Clave, Token string }
	s.system.Operate(b, "", &made, "usuarios", "crear", "--usuario", "carga")
	harness.Call(b, http.MethodPost, s.empresa.BaseURL+"/login", nil, map[string]string{"usuario": made.Usuario, "clave": made.Clave}).
		Want(b, http.StatusOK).Into(b, &granted)
	s.operador = newCaller(b, s.empresa.BaseURL, "Authorization", "Bearer "+granted.Token)
	s.load()
	s.match()
	return s
}

// load fills the table, and prints how large it is.
func (s *filled) load() {
	s.tb.Helper()
	var index string
	s.ask(`SELECT pg_get_indexdef('registros_persona_idx'::regclass)`, &index)
	s.exec(`DROP INDEX registros_persona_idx`) // it is made faster than it grows
	s.copyRows(s.admin, "registros", append([]string{"empresa_id"}, columns...), s.records, func(k int) []any {
		return append([]any{s.empresa.ID}, s.rowsOf(newRegistros(k, 1, false))[0]...)
	})
	for _, statement := range []string{index, `VACUUM ANALYZE registros`, `CHECKPOINT`} {
		s.exec(statement)
	}
	var bytes int
	s.ask(`SELECT pg_total_relation_size('registros')`, &bytes)
	fmt.Printf("%d records, %d bytes each with indexes\n", s.records, bytes/s.records)
}

func (s *filled) ask(query string, value any) {
	s.tb.Helper()
	err := s.admin.QueryRow(s.tb.Context(), query).Scan(value)
	if err != nil {
		s.tb.Fatal(err)
	}
}

// match has the platform seek persons of whom there are records, and waits until it is told.
// Then the rows are counted, as autovacuum does within a minute: until then lists are slower.
func (s *filled) match() {
	s.tb.Helper()
	for n := range largeCases {
		s.empresa.Activate(s.tb, map[string]any{"id": harness.ReporteID(n), "curp": s.curp(n), "fecha_desaparicion": "2025-01-01"})
	}
	s.told(simuladortest.RutaBusquedaFinalizada, largeCases)
	s.exec(`ANALYZE casos, coincidencias`)
}

// look has the operator see the records of the next person.
func (s *filled) look() {
	s.looked++
	s.operador.post("/operador/registros/buscar", encode(s.tb, map[string]any{"id_empresa": s.empresa.ID, "curp": s.curp(s.looked)}))
}

// curp is of somebody of whom there is a record, each time from anywhere in the table.
func (s *filled) curp(n int) string {
	return newPersona(int(scatter(uint32(n))) % (s.records / 3) * 3).curp
}
