package harness

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

// CurpUno and CurpDos are two CURPs that are right in every digit (pui.md 2.2).
const (
	CurpUno = "PEXA900115HDFRXN06"
	CurpDos = "LOXM851203MQTPXR00"
)

// Registro is a record with an event on a day.
func Registro(folio, curp, fecha string) map[string]any {
	return map[string]any{
		"folio": folio, "curp": curp, "tipo_evento": "Toma de muestra", "fecha_evento": fecha,
		"nombre": "NOMBRE", "telefono": "5555555555",
	}
}

// ReporteID makes an id as the platform's; n tells them apart.
func ReporteID(n int) string {
	return fmt.Sprintf("A1B2C3D4E5F6-550e8400-e29b-41d4-a716-%012d", n)
}

// Day is a day before or after today, in Mexico City.
func Day(days int) string {
	return time.Now().In(mexico).AddDate(0, 0, days).Format(time.DateOnly)
}

var mexico = mustLocation("America/Mexico_City")

func mustLocation(name string) *time.Location {
	location, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return location
}

// Fin is the step of a busqueda-finalizada.
const Fin = "fin"

// Llegada is one request about a report that reached the platform.
type Llegada struct {
	simuladortest.Recibido
	// Paso names what was told: "fase:fecha_evento" (a folio is not on the wire) or Fin.
	Paso string
}

// Tomada tells whether the platform took it: it keeps a match although it found several
// persons (300).
func (l Llegada) Tomada() bool {
	return l.Status == http.StatusOK || l.Status == http.StatusMultipleChoices
}

// Efectiva tells whether the platform took it and we could learn so.
func (l Llegada) Efectiva() bool { return l.Tomada() && l.RespondidoEn != nil }

// Llegadas lists all that arrived about a report, in order, whatever the answer was.
func (i *Institucion) Llegadas(reporteID string) []Llegada {
	return i.LlegadasPorReporte()[reporteID]
}

// LlegadasPorReporte lists the same for every report.
func (i *Institucion) LlegadasPorReporte() map[string][]Llegada {
	all := map[string][]Llegada{}
	for _, r := range i.Plataforma.Received(simuladortest.Filtro{InstitucionID: i.ID}) {
		var body struct {
			ID    string
			Fase  string `json:"fase_busqueda"`
			Fecha string `json:"fecha_evento"`
		}
		err := json.Unmarshal(r.Cuerpo, &body)
		if err != nil {
			continue
		}
		switch r.Ruta {
		case simuladortest.RutaBusquedaFinalizada:
			all[body.ID] = append(all[body.ID], Llegada{Recibido: r, Paso: Fin})
		case simuladortest.RutaNotificarCoincidencia:
			all[body.ID] = append(all[body.ID], Llegada{Recibido: r, Paso: body.Fase + ":" + body.Fecha})
		}
	}
	return all
}

// Told lists the steps that the platform took for a report, in order of arrival.
func (i *Institucion) Told(reporteID string) []string {
	return Tomadas(i.Llegadas(reporteID))
}

// Tomadas names the steps that the platform took.
func Tomadas(llegadas []Llegada) []string {
	var steps []string
	for _, l := range llegadas {
		if l.Tomada() {
			steps = append(steps, l.Paso)
		}
	}
	return steps
}
