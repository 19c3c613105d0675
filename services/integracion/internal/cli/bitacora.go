package cli

import (
	"context"
	"encoding/hex"
	"time"

	"github.com/spf13/pflag"

	"github.com/enlace-iis/enlace/services/integracion/internal/app"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/internal/terminal"
)

// asientoJSON is an entry of the Bitácora as it is printed.
type asientoJSON struct {
	ID         string               `json:"id"`
	OcurridoEn time.Time            `json:"ocurrido_en"`
	IDEmpresa  tenant.EmpresaID     `json:"id_empresa"`
	Tipo       bitacora.TipoAsiento `json:"tipo"`
	Accion     string               `json:"accion"`
	Actor      string               `json:"actor"`
	RequestID  *string              `json:"request_id"`
	ReporteID  *string              `json:"reporte_id"`
	Recurso    *string              `json:"recurso"`
	Status     *int                 `json:"status"`
	Motivo     *string              `json:"motivo"`
	DuracionMS *int64               `json:"duracion_ms"`
	CURPHuella *string              `json:"curp_huella"`
	Datos      map[string]any       `json:"datos"`
}

func printedAsiento(a bitacora.Asiento) asientoJSON {
	return asientoJSON{
		ID: a.ID.String(), OcurridoEn: a.OcurridoEn.UTC(), IDEmpresa: a.EmpresaID, Tipo: a.Tipo,
		Accion: a.Accion, Actor: a.Actor,
		RequestID: given(a.RequestID), ReporteID: given(a.ReporteID), Recurso: given(a.Recurso),
		Status: given(a.Status), Motivo: given(a.Motivo), DuracionMS: given(a.Duracion.Milliseconds()),
		CURPHuella: given(hex.EncodeToString(a.HuellaCURP)), Datos: a.Datos,
	}
}

// given is nil for the zero value, which is printed as null.
func given[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

func listBitacora(flags *pflag.FlagSet) action {
	id := flags.String("id-empresa", string(bitacora.SinEmpresa), "`RFC` con homoclave; sin él, lo que no es de ninguna institución")
	readPeriodo := periodoFlags(flags)
	return func(ctx context.Context, op *app.Operador, _ *terminal.Terminal) (any, error) {
		periodo, err := readPeriodo()
		if err != nil {
			return nil, err
		}
		printed := []asientoJSON{}
		err = op.Bitacora.EachAsiento(ctx, tenant.EmpresaID(*id), bitacora.FiltroAsientos{Periodo: periodo}, func(chunk []bitacora.Asiento) error {
			for _, a := range chunk {
				printed = append(printed, printedAsiento(a))
			}
			return nil
		})
		return map[string]any{"asientos": printed}, err
	}
}
