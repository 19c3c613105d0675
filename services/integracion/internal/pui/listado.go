package pui

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/enlace-iis/enlace/services/integracion/internal/integracion"
)

// motivoIlegible is for an answer that should have been the documented array.
const motivoIlegible = "ilegible"

// ListReportes implements [integracion.Listado] (manual §7.4). The manual shows the array
// and says little else of it, so whatever can be read is (pui.md 1.4): unknown fields are
// passed over, and one that is null or no text counts as not given. An element of which
// nothing can be read is an empty Activacion, for the caller to refuse. Of a list that broke
// off nothing is read: what it lacks would look as if it had ended.
func (c *Client) ListReportes(ctx context.Context, i integracion.Institucion) ([]integracion.Activacion, integracion.Desenlace) {
	started := c.now()
	activaciones, outcome := c.listReportes(ctx, i)
	c.metrics.answered(routeReportes, outcome.Motivo, c.now().Sub(started))
	return activaciones, outcome
}

func (c *Client) listReportes(ctx context.Context, i integracion.Institucion) ([]integracion.Activacion, integracion.Desenlace) {
	answer := c.call(ctx, i, request{method: http.MethodGet, base: i.URL, path: "/" + routeReportes})
	outcome := classify(answer, c.now())
	if outcome.Clase != integracion.Aceptado {
		return nil, outcome
	}
	var elements []json.RawMessage
	err := json.Unmarshal(answer.body, &elements)
	if err != nil || answer.status != http.StatusOK || elements == nil {
		return nil, integracion.Desenlace{
			Clase: integracion.MasTarde, Status: answer.status, Motivo: motivoIlegible, Falla: true,
		}
	}
	activaciones := make([]integracion.Activacion, len(elements))
	for n, element := range elements {
		activaciones[n] = activacionOf(element)
	}
	return activaciones, outcome
}

// activacionOf reads an element of the list, which lacks the telephone, the e-mail and the
// address of a real activation.
func activacionOf(element json.RawMessage) integracion.Activacion {
	var fields map[string]json.RawMessage
	// What is no object has no fields, which is how it is told.
	_ = json.Unmarshal(element, &fields)
	text := func(name string) string {
		var value string
		// What is no text counts as not given.
		_ = json.Unmarshal(fields[name], &value)
		return value
	}
	return integracion.Activacion{
		ID:                text("id"),
		CURP:              text("curp"),
		Nombre:            text("nombre"),
		PrimerApellido:    text("primer_apellido"),
		SegundoApellido:   text("segundo_apellido"),
		FechaNacimiento:   text("fecha_nacimiento"),
		FechaDesaparicion: text("fecha_desaparicion"),
		LugarNacimiento:   text("lugar_nacimiento"),
		SexoAsignado:      text("sexo_asignado"),
	}
}
