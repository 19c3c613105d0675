package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// The sample: three records of one institution and a report about the person of the first. Ids and dates are fixed, so a
// repetition changes nothing: known folios, an active report. The CURPs are computed, and belong to nobody (pui.md, 2.2).
const (
	muestraFolio   = "DEMO-0001"
	muestraCURP    = "RAXL991231MNLMXS05"
	muestraReporte = "DEMO-2025-0001-7b0f4c1e-5d2a-4e8b-9c3f-1a2b3c4d5e6f"
)

type registro struct {
	Folio                  string     `json:"folio"`
	CURP                   string     `json:"curp"`
	TipoEvento             string     `json:"tipo_evento"`
	FechaEvento            string     `json:"fecha_evento"`
	DescripcionLugarEvento string     `json:"descripcion_lugar_evento"`
	DireccionEvento        *direccion `json:"direccion_evento,omitempty"`
	Nombre                 string     `json:"nombre"`
	PrimerApellido         string     `json:"primer_apellido"`
	Telefono               string     `json:"telefono,omitempty"`
}

type direccion struct {
	Calle             string `json:"calle"`
	Numero            string `json:"numero"`
	CodigoPostal      string `json:"codigo_postal"`
	EntidadFederativa string `json:"entidad_federativa"`
}

var muestra = []registro{
	{
		Folio: muestraFolio, CURP: muestraCURP, TipoEvento: "Toma de muestra", FechaEvento: "2025-02-14",
		DescripcionLugarEvento: "Sucursal Centro", Nombre: "NOMBRE", PrimerApellido: "PRIMER APELLIDO",
		Telefono: "5555555555",
		DireccionEvento: &direccion{
			Calle: "Calle Uno", Numero: "1", CodigoPostal: "06000", EntidadFederativa: "Ciudad de México",
		},
	},
	{
		Folio: "DEMO-0002", CURP: "LOXM851203MQTPXR00", TipoEvento: "Entrega de resultados", FechaEvento: "2025-03-03",
		DescripcionLugarEvento: "Sucursal Norte", Nombre: "NOMBRE", PrimerApellido: "PRIMER APELLIDO",
	},
	{
		Folio: "DEMO-0003", CURP: "GAXJ030708HNERXLB3", TipoEvento: "Registro de paciente", FechaEvento: "2025-04-21",
		DescripcionLugarEvento: "Sucursal Sur", Nombre: "NOMBRE", PrimerApellido: "PRIMER APELLIDO",
	},
}

// matchLimit is far above the 5 s that a match may take.
const matchLimit = time.Minute

// Lote is what came of the sample batch.
type Lote struct {
	Total        int `json:"total"`
	Creados      int `json:"creados"`
	Actualizados int `json:"actualizados"`
	SinCambios   int `json:"sin_cambios"`
	Rechazados   int `json:"rechazados"`
}

// Coincidencia is the notified match as the institution reads it.
type Coincidencia struct {
	ReporteID    string `json:"reporte_id"`
	CURP         string `json:"curp"`
	Folio        string `json:"folio"`
	FaseBusqueda string `json:"fase_busqueda"`
	TipoEvento   string `json:"tipo_evento"`
	FechaEvento  string `json:"fecha_evento"`
	Estado       string `json:"estado"`
	NotificadaEn string `json:"notificada_en"`
}

// SendMuestra sends the sample batch as the first institution, and then ends the initial load of both: before that
// nothing is searched.
func (d *Demo) SendMuestra(ctx context.Context) (Lote, error) {
	const route = "/cliente/registros/lote"
	var lote Lote
	body := map[string]any{"registros": muestra}
	status, err := d.http.post(ctx, d.system.BaseURL+route, d.Empresas[0].header(), body, &lote)
	if err != nil {
		return Lote{}, err
	}
	if status != http.StatusOK {
		return Lote{}, unexpected(route, status)
	}
	if lote.Total != len(muestra) || lote.Rechazados != 0 {
		return Lote{}, fmt.Errorf("send sample: %d of %d records were rejected", lote.Rechazados, lote.Total)
	}
	for _, e := range d.Empresas {
		err = d.finishCarga(ctx, e)
		if err != nil {
			return Lote{}, err
		}
	}
	return lote, nil
}

func (d *Demo) finishCarga(ctx context.Context, e Empresa) error {
	const route = "/institucion/carga-terminada"
	status, err := d.http.post(ctx, d.system.BaseURL+route, e.header(), nil, nil)
	if err == nil && status != http.StatusOK {
		err = unexpected(route, status)
	}
	return err
}

// FindMuestra has the simulated platform look for a person of the sample, and waits until it was told of the event. When
// an earlier run did all that, the match is simply still there.
func (d *Demo) FindMuestra(ctx context.Context) (Coincidencia, error) {
	err := d.activate(ctx, d.Empresas[0], map[string]string{
		"id": muestraReporte, "curp": muestraCURP, "fecha_desaparicion": "2025-01-10",
		"lugar_nacimiento": "NUEVO LEÓN", "sexo_asignado": "M",
	})
	if err != nil {
		return Coincidencia{}, err
	}
	var match Coincidencia
	err = poll(ctx, matchLimit, func() (bool, error) {
		match, err = d.readMatch(ctx)
		return match.Estado == "notificada", err
	})
	if err != nil {
		return Coincidencia{}, fmt.Errorf("wait for the notified match: %w", err)
	}
	return match, nil
}

// readMatch returns the sample's match of phase 2, the one that tells the event; zero when there is none yet.
func (d *Demo) readMatch(ctx context.Context) (Coincidencia, error) {
	const route = "/cliente/coincidencias"
	var all []Coincidencia
	status, err := d.http.get(ctx, d.system.BaseURL+route, d.Empresas[0].header(), &all)
	if err != nil {
		return Coincidencia{}, err
	}
	if status != http.StatusOK {
		return Coincidencia{}, unexpected(route, status)
	}
	for _, match := range all {
		if match.ReporteID != muestraReporte || match.Folio != muestraFolio || match.FaseBusqueda != "2" {
			continue
		}
		if match.Estado == "rechazada" {
			return Coincidencia{}, errors.New("the platform rejected the match")
		}
		return match, nil
	}
	return Coincidencia{}, nil
}
