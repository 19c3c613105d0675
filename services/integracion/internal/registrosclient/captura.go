package registrosclient

import (
	"context"
	"strings"

	"google.golang.org/grpc"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Captura implements [eventos.Captura] on registros.
type Captura struct {
	client registrosv1.CapturaServiceClient
}

// NewCaptura makes a Captura on a connection to registros.
func NewCaptura(conn grpc.ClientConnInterface) *Captura {
	return &Captura{client: registrosv1.NewCapturaServiceClient(conn)}
}

// SaveRegistro implements [eventos.Captura].
func (c *Captura) SaveRegistro(ctx context.Context, empresa tenant.EmpresaID, r *registrosv1.Registro) ([]errs.Field, error) {
	answer, err := c.client.CaptureRegistro(ctx, &registrosv1.CaptureRegistroRequest{EmpresaId: string(empresa), Registro: r})
	return rejections(answer), err
}

// gravedadError marks what keeps a record from being saved.
const gravedadError = "error"

// onlyRegistro is where registros sees the one record of a capture.
const onlyRegistro = "/registros/0"

// rejections gives what is wrong with the record; doubts are not among it.
func rejections(answer *registrosv1.CaptureRegistroResponse) []errs.Field {
	var fields []errs.Field
	for _, o := range answer.GetObservaciones() {
		if o.GetGravedad() != gravedadError {
			continue
		}
		fields = append(fields, errs.Field{
			Indice:  errs.SinIndice,
			Folio:   o.GetFolio(),
			Puntero: strings.TrimPrefix(o.GetPuntero(), onlyRegistro),
			Codigo:  o.GetCodigo(),
			Mensaje: o.GetMensaje(),
		})
	}
	return fields
}
