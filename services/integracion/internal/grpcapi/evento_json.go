package grpcapi

import (
	"errors"

	"github.com/enlace-iis/enlace/proto/errores"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/proto/jsonwire"
	"github.com/enlace-iis/enlace/services/integracion/internal/eventos"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

// readEvento reads a signed body as the gateway reads every other (contract, section 2).
func readEvento(cuerpo []byte) (eventos.EventoFirmado, error) {
	var firmado integracionv1.EventoFirmado
	err := jsonwire.Read(cuerpo, &firmado)
	problem, ok := errors.AsType[*jsonwire.Error](err)
	if ok {
		return eventos.EventoFirmado{}, errJSON(problem)
	}
	if err != nil {
		return eventos.EventoFirmado{}, err
	}
	return eventos.EventoFirmado{
		ID:    firmado.GetId(),
		Tipo:  eventos.TipoEvento(firmado.GetTipo()),
		Fecha: firmado.GetFecha(),
		Datos: firmado.GetDatos(),
	}, nil
}

func errJSON(problem *jsonwire.Error) error {
	return errs.New(errores.JSONInvalido, jsonwire.Detalle).WithFields(errs.Field{
		Indice:  errs.SinIndice,
		Puntero: problem.Puntero,
		Codigo:  problem.Codigo,
		Mensaje: problem.Mensaje,
		Byte:    problem.Byte,
	})
}
