package pui

import (
	"bytes"
	"cmp"
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
// is null or no text counts as not given; the Entrada names the latter. An element of which
// nothing can be read is an empty Entrada, for the caller to refuse; of one that is no JSON, or
// too long, what stands before is read.
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
	FechaRegistro     dato            `json:"fecha_registro"`
	LugarNacimiento   dato            `json:"lugar_nacimiento"`
	LugarDeNacimiento dato            `json:"lugar_de_nacimiento"` // Annex 5 calls it so
	SexoAsignado      dato            `json:"sexo_asignado"`
	Estado            json.RawMessage `json:"estado"`
	Estatus           json.RawMessage `json:"estatus"`
	Activo            json.RawMessage `json:"activo"`
}

// dato is a text; what is none counts as not given.
type dato struct {
	text     string
	ilegible bool // it was neither a text nor null
}

// UnmarshalJSON implements [json.Unmarshaler].
func (d *dato) UnmarshalJSON(value []byte) error {
	var text string
	err := json.Unmarshal(value, &text)
	*d = dato{text: text, ilegible: err != nil}
	return nil
}

// ilegibles names the optional fields that are no text.
func (e *elemento) ilegibles() []string {
	var names []string
	for _, field := range []struct {
		name string
		dato dato
	}{
		{"nombre", e.Nombre}, {"primer_apellido", e.PrimerApellido}, {"segundo_apellido", e.SegundoApellido},
		{"fecha_nacimiento", e.FechaNacimiento}, {"fecha_desaparicion", e.FechaDesaparicion}, {"fecha_registro", e.FechaRegistro},
		{"lugar_nacimiento", e.LugarNacimiento}, {"lugar_de_nacimiento", e.LugarDeNacimiento}, {"sexo_asignado", e.SexoAsignado},
	} {
		if field.dato.ilegible {
			names = append(names, field.name)
		}
	}
	return names
}

func entradaOf(element []byte) resincronizacion.Entrada {
	var e elemento
	err := json.Unmarshal(element, &e)
	if err != nil {
		e = salvaged(element)
	}
	return resincronizacion.Entrada{
		Inactiva:  !saysActive(e.Estado) || !saysActive(e.Estatus) || !saysActive(e.Activo),
		Ilegibles: e.ilegibles(),
		Activacion: reportes.Activacion{
			ID:                e.ID.text,
			CURP:              e.CURP.text,
			Nombre:            e.Nombre.text,
			PrimerApellido:    e.PrimerApellido.text,
			SegundoApellido:   e.SegundoApellido.text,
			FechaNacimiento:   e.FechaNacimiento.text,
			FechaDesaparicion: e.FechaDesaparicion.text,
			FechaRegistro:     e.FechaRegistro.text,
			LugarNacimiento:   cmp.Or(e.LugarNacimiento.text, e.LugarDeNacimiento.text),
			SexoAsignado:      e.SexoAsignado.text,
		},
	}
}

// salvaged is what stands before the place where an element is no JSON or was cut: an id and a
// CURP that can be read are a person to search for.
func salvaged(element []byte) elemento {
	members := map[string]json.RawMessage{}
	decoder := json.NewDecoder(bytes.NewReader(element))
	start, err := decoder.Token()
	for err == nil && start == json.Delim('{') && decoder.More() {
		var name json.Token
		var value json.RawMessage
		name, err = decoder.Token()
		if err == nil {
			err = decoder.Decode(&value)
		}
		if text, ok := name.(string); ok && err == nil {
			members[text] = value
		}
	}
	var e elemento
	whole, err := json.Marshal(members)
	if err == nil {
		err = json.Unmarshal(whole, &e)
	}
	if err != nil {
		return elemento{}
	}
	return e
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
