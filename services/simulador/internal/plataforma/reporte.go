package plataforma

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ciudadDeMexico has kept UTC-6 all year since 2022; a fixed zone needs no time
// zone database on the machine.
var ciudadDeMexico = time.FixedZone("America/Mexico_City", -6*60*60)

// reporteServido is one element of /reportes, ready to be sent.
type reporteServido struct {
	id       string
	elemento jsontext.Value
	baja     jsontext.Value // what is served after the deactivation; nil: nothing
}

// reporte holds the ten fields of §7.4. Values are passed on as the activation
// had them; what it had not is null, as footnote 5 allows for any datum.
type reporte struct {
	ID                jsontext.Value `json:"id"`
	CURP              jsontext.Value `json:"curp"`
	Nombre            jsontext.Value `json:"nombre"`
	PrimerApellido    jsontext.Value `json:"primer_apellido"`
	SegundoApellido   jsontext.Value `json:"segundo_apellido"`
	FechaNacimiento   jsontext.Value `json:"fecha_nacimiento"`
	FechaDesaparicion jsontext.Value `json:"fecha_desaparicion"`
	FechaRegistro     string         `json:"fecha_registro"`
	LugarNacimiento   jsontext.Value `json:"lugar_nacimiento"`
	SexoAsignado      jsontext.Value `json:"sexo_asignado"`
	Estado            string         `json:"estado,omitzero"`
}

// The states of a report, which §7.4 promises and does not print (manual line 835).
const (
	estadoActivo   = "ACTIVO"
	estadoInactivo = "INACTIVO"
)

// reporteFrom makes the element of /reportes from an activation's flat body. The
// day of registration is the activation's, in Mexico City. With states it is served after its
// deactivation too.
func reporteFrom(activacion []byte, now time.Time, conEstados bool) (reporteServido, error) {
	id, err := reporteID(activacion)
	if err != nil {
		return reporteServido{}, err
	}
	var r reporte
	if err := json.Unmarshal(activacion, &r); err != nil {
		return reporteServido{}, errors.New("body does not read as a report")
	}
	r.FechaRegistro, r.Estado = now.In(ciudadDeMexico).Format(time.DateOnly), ""
	servido := reporteServido{id: id}
	if conEstados {
		r.Estado = estadoInactivo
		servido.baja, err = json.Marshal(r)
		if err != nil {
			return reporteServido{}, fmt.Errorf("encode report: %w", err)
		}
		r.Estado = estadoActivo
	}
	servido.elemento, err = json.Marshal(r)
	if err != nil {
		return reporteServido{}, fmt.Errorf("encode report: %w", err)
	}
	return servido, nil
}

// servedAsGiven keeps an element untouched; one without an id cannot be named
// by a later deactivation, and that is all.
func servedAsGiven(elemento jsontext.Value) reporteServido {
	id, err := reporteID(elemento)
	if err != nil {
		id = ""
	}
	return reporteServido{id: id, elemento: elemento.Clone()}
}

// reporteID reads the id of an activation, a deactivation or a report. The
// decoder's own error is not kept: it may quote the body.
func reporteID(cuerpo []byte) (string, error) {
	var r struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(cuerpo, &r); err != nil || r.ID == "" {
		return "", errors.New("body has no id")
	}
	return r.ID, nil
}
