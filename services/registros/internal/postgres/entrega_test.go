package postgres_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/registros/internal/postgres"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// A delivery ends in the transaction that finds nothing left to tell: with the record of the
// last step, or at the first look.
func TestPasos_endsTheDeliveryWithItsLastStep(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caso := b.open(t, empresaUno, newReporte(nil))
	completed := 0
	pasos := postgres.Pasos{Store: b.store, Complete: func(context.Context, pgx.Tx) error {
		completed++
		return nil
	}}
	paso, err := pasos.NextPaso(t.Context(), empresaUno, caso)
	if err != nil || paso.Finish == nil || completed != 0 {
		t.Fatalf("next is %+v, %v; %d ends", paso, err, completed)
	}
	paso, err = pasos.RecordPaso(t.Context(), empresaUno, caso, paso, envio.Respuesta{Resultado: envio.MasTarde})
	if err != nil || paso.Finish == nil || completed != 0 {
		t.Fatalf("after a pause next is %+v, %v; %d ends", paso, err, completed)
	}
	b.save(t, empresaUno, newRegistro("F-1", func(r *registros.Registro) { r.FechaEvento = fecha("2026-06-16") }))
	paso, err = pasos.RecordPaso(t.Context(), empresaUno, caso, paso, envio.Respuesta{Resultado: envio.Aceptado})
	if err != nil || paso.Coincidencia == nil || completed != 0 {
		t.Fatalf("after the end of the search next is %+v, %v; %d ends", paso, err, completed)
	}
	paso, err = pasos.RecordPaso(t.Context(), empresaUno, caso, paso, envio.Respuesta{Resultado: envio.Aceptado})
	if err != nil || paso != (registros.Paso{}) || completed != 1 {
		t.Fatalf("after the last one next is %+v, %v; %d ends", paso, err, completed)
	}
	paso, err = pasos.NextPaso(t.Context(), empresaUno, caso)
	if err != nil || paso != (registros.Paso{}) || completed != 2 {
		t.Errorf("later on next is %+v, %v; %d ends", paso, err, completed)
	}
}
