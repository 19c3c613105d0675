package cli

import "testing"

const curp = "SABC560626MDFLRN01"

// Without registros what is integracion's own goes on, and the rest says who is away.
func TestSeguimiento_registrosAway(t *testing.T) {
	settings(t)
	mustRun(t, "", "empresas", "crear", "--id", empresa, "--nombre", "LABORATORIO")
	resumen := mustRun(t, "", "estado")
	wantKeys(t, resumen, "en_orden", "registros_caido", "pendientes", "restablecimientos")
	if resumen["registros_caido"] != true || resumen["en_orden"] != false {
		t.Errorf("estado = %v", resumen)
	}
	wantText(t, people(t, "estado"), "registros no contesta: de sus coincidencias y búsquedas no se sabe nada ahora.")
	_, err := run(t, "", "coincidencias", "listar", "--id-empresa", empresa)
	wantStatus(t, err, 4, "registros no contesta; sirve lo que es de integracion")
}

// Both ends of waiting ask registros, and say so while it is away.
func TestCarga_registrosAway(t *testing.T) {
	settings(t)
	mustRun(t, "", "empresas", "crear", "--id", empresa, "--nombre", "LABORATORIO")
	wantText(t, people(t, "empresas", "mostrar", "--id-empresa", empresa), "○ terminó la carga inicial")
	for _, args := range [][]string{{"empresas", "terminar-carga"}, {"reportes", "rebuscar", "--todos"}} {
		_, err := run(t, "", append(args, "--id-empresa", empresa)...)
		wantStatus(t, err, 4, "registros no contesta")
	}
	for want, args := range map[string][]string{
		"Dé --reporte-id, de un reporte, o --todos.": {},
		"Dé --reporte-id, de un":                     {"--reporte-id", "x", "--todos"},
	} {
		_, err := run(t, "", append([]string{"reportes", "rebuscar", "--id-empresa", empresa}, args...)...)
		wantStatus(t, err, 2, want)
	}
	_, err := run(t, "", "reportes", "rebuscar", "--id-empresa", empresa, "--reporte-id", "x")
	wantStatus(t, err, 3, "No existe ese reporte")
}

func TestPersona_buscar(t *testing.T) {
	settings(t)
	found := mustRun(t, curp+"\n", "persona", "buscar")
	wantKeys(t, found, "curp_huella", "notificada", "expedientes")
	if found["notificada"] != false || len(found["expedientes"].([]any)) != 0 {
		t.Errorf("found %v", found)
	}
	for stdin, want := range map[string]string{"": "La entrada estándar está vacía", "SABC\n": "CURP"} {
		_, err := run(t, stdin, "persona", "buscar")
		wantStatus(t, err, 2, want)
	}
	_, err := run(t, "", "persona", "buscar", curp)
	wantStatus(t, err, 2, "persona buscar no admite")
}

func TestCoincidencias_reintentar(t *testing.T) {
	settings(t)
	for want, args := range map[string][]string{
		"Dé --id, de una coincidencia, o --todas.": {},
		"Dé --id, de una":                          {"--id", "x", "--todas"},
		"--simular y --cuales van con --todas.":    {"--id", "x", "--simular"},
		"--simular y --cuales van con":             {"--id", "x", "--cuales", "multiples"},
	} {
		_, err := run(t, "", append([]string{"coincidencias", "reintentar", "--id-empresa", empresa}, args...)...)
		wantStatus(t, err, 2, want)
	}
}
