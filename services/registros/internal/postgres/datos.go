package postgres

import (
	"encoding/json"
	"fmt"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// datos is the column `datos` of a Registro and of the Coincidencias that froze it: what
// was given beyond the columns that are searched. Names stay as they are for good, since
// rows written by earlier versions are read with them.
type datos struct {
	DescripcionLugarEvento string           `json:"descripcion_lugar_evento,omitzero"`
	DireccionEvento        manual.Direccion `json:"direccion_evento,omitzero"`
	manual.Persona
}

func marshalDatos(r *registros.Registro) ([]byte, error) {
	text, err := json.Marshal(datos{r.DescripcionLugarEvento, r.DireccionEvento, r.Persona})
	if err != nil {
		return nil, fmt.Errorf("encode datos: %w", err)
	}
	return text, nil
}

// fill puts the stored fields back into a Registro, beside those that have columns.
func (d datos) fill(r *registros.Registro) {
	d.CURP = r.CURP
	r.DescripcionLugarEvento, r.DireccionEvento, r.Persona = d.DescripcionLugarEvento, d.DireccionEvento, d.Persona
}
