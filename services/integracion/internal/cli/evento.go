package cli

import (
	"context"
	"errors"
	"flag"
	"io"
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/app"
	"github.com/enlace-iis/enlace/services/integracion/internal/integracion"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// eventoJSON is an event as it is printed; its record is not.
type eventoJSON struct {
	ID            string                   `json:"id"`
	Estado        integracion.EstadoEvento `json:"estado"`
	Tipo          *string                  `json:"tipo"`
	Fecha         *time.Time               `json:"fecha"`
	Folio         *string                  `json:"folio"`
	KeyID         string                   `json:"key_id"`
	RecibidoEn    time.Time                `json:"recibido_en"`
	DecididoEn    *time.Time               `json:"decidido_en"`
	Coincidencias int                      `json:"coincidencias"`
	Errores       []errorJSON              `json:"errores"`
}

type errorJSON struct {
	Puntero string `json:"puntero"`
	Codigo  string `json:"codigo"`
	Mensaje string `json:"mensaje"`
}

func printedEvento(e integracion.EventoRecibido) eventoJSON {
	printed := eventoJSON{
		ID:            e.ID,
		Estado:        e.Estado,
		Tipo:          nullText(string(e.Tipo)),
		Fecha:         nullTime(e.Fecha),
		Folio:         nullText(e.Folio),
		KeyID:         e.KeyID,
		RecibidoEn:    e.RecibidoEn.UTC(),
		DecididoEn:    nullTime(e.DecididoEn),
		Coincidencias: e.Coincidencias,
		Errores:       []errorJSON{},
	}
	for _, f := range e.Errores {
		printed.Errores = append(printed.Errores, errorJSON{Puntero: f.Puntero, Codigo: f.Codigo, Mensaje: f.Mensaje})
	}
	return printed
}

func nullText(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// maxEventos bounds what one listing holds in memory.
const maxEventos = 10_000

func listEventos(flags *flag.FlagSet) action {
	id := flags.String("id-empresa", "", "RFC with homoclave")
	estado := flags.String("estado", "", "recibido, procesado or rechazado; default: all")
	limit := flags.Int("maximo", 100, "how many of the newest")
	return func(ctx context.Context, op *app.Operador, _ io.Reader) (any, error) {
		switch integracion.EstadoEvento(*estado) {
		case "", integracion.EventoRecibidoAun, integracion.EventoProcesado, integracion.EventoRechazado:
		default:
			return nil, errors.New("--estado must be recibido, procesado or rechazado")
		}
		if *limit < 1 || *limit > maxEventos {
			return nil, errors.New("--maximo must be from 1 to 10000")
		}
		eventos, err := op.Eventos.ListEventos(ctx, tenant.EmpresaID(*id), integracion.EstadoEvento(*estado), *limit)
		printed := make([]eventoJSON, len(eventos))
		for i, e := range eventos {
			printed[i] = printedEvento(e)
		}
		return map[string]any{"eventos": printed}, err
	}
}
