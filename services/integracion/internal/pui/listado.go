package pui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/integracion/internal/resincronizacion"
	"github.com/enlace-iis/enlace/services/internal/envio"
)

// motivoIlegible is for an answer that should have been the documented array.
const motivoIlegible = "ilegible"

// batchListado is how many elements are handed over at once.
const batchListado = 500

// ReadReportes implements [resincronizacion.Listado] (manual §7.4). The list may be of any size and
// take its time, as long as something comes. The manual shows the array and says little else
// of it, so whatever can be read is (pui.md 1.4): unknown fields are passed over, and one that
// is null or no text counts as not given. An element of which nothing can be read is an empty
// Entrada, for the caller to refuse.
func (c *Client) ReadReportes(ctx context.Context, i cuentas.Institucion, take func([]resincronizacion.Entrada) error) entregas.Desenlace {
	started := c.now()
	outcome := c.readReportes(ctx, i, take)
	c.metrics.answered(bitacora.AccionReportes, outcome.Motivo, c.now().Sub(started))
	return outcome
}

func (c *Client) readReportes(ctx context.Context, i cuentas.Institucion, take func([]resincronizacion.Entrada) error) entregas.Desenlace {
	ctx, idle := withIdleLimit(ctx, c.timeout)
	defer idle.stop()
	var unread, taken error
	answer := c.call(ctx, i, request{method: http.MethodGet, base: i.URL, path: "/" + bitacora.AccionReportes, read: func(body io.Reader) {
		unread = readListado(idle.reader(body), func(batch []resincronizacion.Entrada) error {
			taken = take(batch)
			return taken
		})
	}})
	if idle.passed() {
		answer.err = context.DeadlineExceeded
	}
	outcome := classify(answer, c.now())
	switch {
	case taken != nil:
		return entregas.Desenlace{Resultado: envio.Cancelado, Status: answer.status, Motivo: motivoInterno}
	case outcome.Resultado == envio.Aceptado && (unread != nil || answer.status != http.StatusOK):
		return entregas.Desenlace{Resultado: envio.MasTarde, Status: answer.status, Motivo: motivoIlegible, Falla: true}
	default:
		return outcome
	}
}

// readListado hands over what comes, also of a list that breaks off.
func readListado(body io.Reader, take func([]resincronizacion.Entrada) error) error {
	batch := make([]resincronizacion.Entrada, 0, batchListado)
	var taken error
	err := newReader(body).list(func(element []byte) error {
		batch = append(batch, entradaOf(element))
		if len(batch) == batchListado {
			taken = take(batch)
			batch = batch[:0]
		}
		return taken
	})
	if taken != nil || len(batch) == 0 {
		return err
	}
	return errors.Join(err, take(batch))
}

// elemento is what is read of an element of the list, which lacks the telephone, the e-mail
// and the address of a real activation.
type elemento struct {
	ID                dato            `json:"id"`
	CURP              dato            `json:"curp"`
	Nombre            dato            `json:"nombre"`
	PrimerApellido    dato            `json:"primer_apellido"`
	SegundoApellido   dato            `json:"segundo_apellido"`
	FechaNacimiento   dato            `json:"fecha_nacimiento"`
	FechaDesaparicion dato            `json:"fecha_desaparicion"`
	LugarNacimiento   dato            `json:"lugar_nacimiento"`
	SexoAsignado      dato            `json:"sexo_asignado"`
	Estado            json.RawMessage `json:"estado"`
	Estatus           json.RawMessage `json:"estatus"`
	Activo            json.RawMessage `json:"activo"`
}

// dato is a text; what is none counts as not given.
type dato string

// UnmarshalJSON implements [json.Unmarshaler].
func (d *dato) UnmarshalJSON(value []byte) error {
	var text string
	err := json.Unmarshal(value, &text)
	if err == nil {
		*d = dato(text)
	}
	return nil
}

func entradaOf(element []byte) resincronizacion.Entrada {
	var e elemento
	err := json.Unmarshal(element, &e)
	if err != nil {
		return resincronizacion.Entrada{}
	}
	return resincronizacion.Entrada{
		Inactiva: !saysActive(e.Estado) || !saysActive(e.Estatus) || !saysActive(e.Activo),
		Activacion: reportes.Activacion{
			ID:                string(e.ID),
			CURP:              string(e.CURP),
			Nombre:            string(e.Nombre),
			PrimerApellido:    string(e.PrimerApellido),
			SegundoApellido:   string(e.SegundoApellido),
			FechaNacimiento:   string(e.FechaNacimiento),
			FechaDesaparicion: string(e.FechaDesaparicion),
			LugarNacimiento:   string(e.LugarNacimiento),
			SexoAsignado:      string(e.SexoAsignado),
		},
	}
}

// saysActive tells whether a state is one of those that pui.md 1.4 lists, or is not given.
func saysActive(state json.RawMessage) bool {
	if state == nil || bytes.Equal(state, []byte("null")) {
		return true
	}
	text := string(state)
	var word string
	err := json.Unmarshal(state, &word)
	if err == nil {
		text = word
	}
	switch strings.ToUpper(strings.TrimSpace(text)) {
	case "", "ACTIVO", "ACTIVA", "VIGENTE", "TRUE", "1":
		return true
	default:
		return false
	}
}
