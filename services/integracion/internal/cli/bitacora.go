package cli

import (
	"context"

	"github.com/spf13/pflag"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
)

func (s *servicio) bitacora() integracionv1.BitacoraServiceClient {
	return integracionv1.NewBitacoraServiceClient(s.conn)
}

// periodoFlags declares --desde and --hasta.
func periodoFlags(flags *pflag.FlagSet) (desde, hasta *string) {
	return flags.String("desde", "", "`instante` (RFC 3339) o día de la Ciudad de México; sin él, desde el principio"),
		flags.String("hasta", "", "`instante` (RFC 3339), o día, incluido; sin él, hasta ahora")
}

var columnasAsiento = []string{"ocurrido_en", "tipo", "accion", "actor", "reporte_id", "recurso", "status", "motivo"}

func listBitacora(flags *pflag.FlagSet) act {
	id := flags.String("id-empresa", "", "`RFC` con homoclave; sin él, lo que no es de ninguna institución")
	desde, hasta := periodoFlags(flags)
	return operate(func(ctx context.Context, s *servicio) error {
		list := s.NewList("asientos", columnasAsiento...)
		if *id == "" {
			stream, err := s.bitacora().ListBitacoraGeneral(ctx, &integracionv1.ListBitacoraGeneralRequest{Desde: *desde, Hasta: *hasta})
			return printAll(list, stream, err, (*integracionv1.ListBitacoraGeneralResponse).GetAsientos)
		}
		stream, err := s.bitacora().ListBitacora(ctx, &integracionv1.ListBitacoraRequest{IdEmpresa: *id, Desde: *desde, Hasta: *hasta})
		return printAll(list, stream, err, (*integracionv1.ListBitacoraResponse).GetAsientos)
	})
}
