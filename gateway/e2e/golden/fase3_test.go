package golden

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// fase3Case is a person, missing or not since a day that is known, what was committed of her
// before the search and, one after the other, after it; and the days of the events that phase 3
// tells of it under the rule of days that was, and under the rule of commits that is
// (contract.md, section 8).
type fase3Case struct {
	name         string
	desaparicion string // "" is not known
	reporte      map[string]any
	antes        []map[string]any
	despues      []map[string]any
	era, es      []string
}

// hace is a day before today, ofYears the day so many years before it.
func hace(days int) string { return harness.Day(-days) }

func ofYears(years, days int) string {
	today, err := time.Parse(time.DateOnly, harness.Day(0))
	if err != nil {
		panic(err)
	}
	return today.AddDate(-years, 0, days).Format(time.DateOnly)
}

// evento is a record of the person; change sets fields of it.
func evento(folio, fecha string, change map[string]any) map[string]any {
	r := harness.Registro(folio, harness.CurpUno, fecha)
	maps.Copy(r, change)
	return r
}

var (
	telefono = map[string]any{"telefono": "4444444444"}
	sede     = map[string]any{"descripcion_lugar_evento": "Sucursal Centro"}
)

func fase3Cases() []fase3Case {
	type regs = []map[string]any
	// The person is missing for ten days, or for thirteen years.
	const missing = 10
	known := map[string]any{"nombre": "NOMBRE", "telefono": "5555555555"}
	return []fase3Case{
		{name: "sin fecha, del día de la activación", despues: regs{evento("A", hace(0), nil)}, era: []string{hace(0)}, es: []string{hace(0)}},
		{name: "sin fecha, de antes", despues: regs{evento("A", hace(3), nil)}, es: []string{hace(3)}},
		{
			name: "sin fecha, de antes y modificado", antes: regs{evento("A", hace(3), nil)},
			despues: regs{evento("A", hace(3), sede)}, es: []string{hace(3)},
		},
		{name: "sin fecha, de hace doce años", despues: regs{evento("A", ofYears(12, 0), nil)}, es: []string{ofYears(12, 0)}},
		{name: "sin fecha, de hace más de doce años", despues: regs{evento("A", ofYears(12, -1), nil)}},
		{name: "sin fecha, guardado antes, del día de la activación", antes: regs{evento("A", hace(0), nil)}, era: []string{hace(0)}, es: []string{hace(0)}},
		{name: "sin fecha, guardado antes, de antes", antes: regs{evento("A", hace(3), nil)}},

		{name: "del día de la desaparición", desaparicion: hace(missing), despues: regs{evento("A", hace(missing), nil)}, era: []string{hace(missing)}, es: []string{hace(missing)}},
		{name: "anterior, completa lo que se sabe", desaparicion: hace(missing), despues: regs{evento("A", hace(20), nil)}, es: []string{hace(20)}},
		{name: "anterior, dice lo que el reporte", desaparicion: hace(missing), reporte: known, despues: regs{evento("A", hace(20), nil)}},
		{
			name: "anterior, dice lo que la fase 1", desaparicion: hace(missing), antes: regs{evento("A", hace(21), nil)},
			despues: regs{evento("B", hace(20), nil)},
		},
		{
			name: "anterior, dice lo que otra coincidencia", desaparicion: hace(missing), reporte: known,
			despues: regs{evento("A", hace(5), telefono), evento("B", hace(20), telefono)}, era: []string{hace(5)}, es: []string{hace(5)},
		},
		{
			name: "anterior y modificado, cambia un dato básico", desaparicion: hace(missing), antes: regs{evento("A", hace(20), nil)},
			despues: regs{evento("A", hace(20), telefono)}, es: []string{hace(20)},
		},
		{
			name: "anterior y modificado, cambia otra cosa", desaparicion: hace(missing), antes: regs{evento("A", hace(20), nil)},
			despues: regs{evento("A", hace(20), sede)},
		},
		{name: "anterior, de hace más de doce años", desaparicion: hace(missing), despues: regs{evento("A", ofYears(12, -1), nil)}},
		{
			name: "posterior, de hace más de doce años", desaparicion: ofYears(13, 0),
			despues: regs{evento("A", ofYears(12, -1), nil)}, era: []string{ofYears(12, -1)},
		},
		{
			name: "modificado y devuelto", desaparicion: hace(missing), antes: regs{evento("A", hace(5), nil)},
			despues: regs{evento("A", hace(5), telefono), evento("A", hace(5), nil)}, era: []string{hace(5), hace(5)}, es: []string{hace(5)},
		},
		{
			name: "modificado en lo que no se notifica", desaparicion: hace(missing), antes: regs{evento("A", hace(5), nil)},
			despues: regs{evento("A", hace(5), map[string]any{"sexo_asignado": "H"})}, era: []string{hace(5)},
		},
	}
}

// dias are the days that the rule that was tells in phase 3: those of the activation and after,
// or of the disappearance and after, whatever changed.
func (c *fase3Case) dias() (days []string) {
	written, from := c.despues, c.desaparicion
	if from == "" {
		written, from = append(slices.Clone(c.antes), c.despues...), hace(0)
	}
	for _, r := range written {
		if dia := fmt.Sprint(r["fecha_evento"]); dia >= from {
			days = append(days, dia)
		}
	}
	return days
}

// The order of commits decides what phase 3 tells; the day of the event limits it.
func TestFase3(t *testing.T) {
	for n, c := range fase3Cases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := c.dias(); !slices.Equal(got, c.era) {
				t.Errorf("the rule that was tells %v, the table says %v", got, c.era)
			}
			i := system.NewInstitucion(t)
			for _, r := range c.antes {
				i.Post(t, "/cliente/registros", r).Want(t, http.StatusCreated)
			}
			id := harness.ReporteID(n)
			reporte := map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": c.desaparicion}
			maps.Copy(reporte, c.reporte)
			i.Activate(t, reporte)
			harness.Eventually(t, "the end of the search", func() bool { return slices.Contains(i.Told(id), harness.Fin) })

			// A last record says that nothing more comes.
			const last = "último"
			want := make([]string, 0, len(c.es)+1)
			for _, dia := range append(slices.Clone(c.es), hace(0)) {
				want = append(want, "3:"+dia)
			}
			for _, r := range append(slices.Clone(c.despues), evento(last, hace(0), map[string]any{"correo": "alguien@example.com"})) {
				if got := i.Post(t, "/cliente/registros", r); got.Status >= http.StatusBadRequest {
					t.Fatalf("a record was answered %d: %s", got.Status, got.Body)
				}
			}
			harness.Eventually(t, "the last record", func() bool {
				return slices.ContainsFunc(i.Coincidencias(t), func(m harness.Coincidencia) bool { return m.Folio == last && m.Estado == "notificada" })
			})
			told := i.Told(id)
			if got := told[slices.Index(told, harness.Fin)+1:]; !slices.Equal(got, want) {
				t.Errorf("phase 3 told %v, want %v", got, want)
			}
		})
	}
}
