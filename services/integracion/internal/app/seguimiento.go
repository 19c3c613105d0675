package app

import (
	"context"
	"fmt"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/registrosclient"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// RegistrosConfig is what an operator's command needs that asks registros; the settings are
// those of [Config].
type RegistrosConfig struct {
	RegistrosTarget string       `env:"REGISTROS_TARGET" envDefault:"dns:///localhost:9091"`
	ServiceSecret   auth.Secrets `env:"SERVICE_SECRET,required,notEmpty"`

	TLS    rpc.TLSConfig
	Client rpc.ClientConfig
}

// Validate implements [process.Validator].
func (c *RegistrosConfig) Validate() error {
	return c.ServiceSecret.Check("SERVICE_SECRET")
}

// OpenSeguimiento connects with registros too. The answer's second part ends the connection.
func (o *Operador) OpenSeguimiento(cfg RegistrosConfig) (*seguimiento.Seguimiento, func(), error) {
	tokens, err := auth.NewServiceTokens(cfg.ServiceSecret, auth.ServicioIntegracion, auth.ServicioRegistros)
	if err != nil {
		return nil, nil, err
	}
	client := cfg.Client
	client.TLS = cfg.TLS
	client.Credentials = tokens
	conn, err := rpc.Dial(cfg.RegistrosTarget, client)
	if err != nil {
		return nil, nil, err
	}
	// At the end of a command nothing is lost by a connection that does not close.
	closeConn := func() { _ = conn.Close() }
	return &seguimiento.Seguimiento{Store: o.store, Casos: registrosclient.NewOperacion(conn)}, closeConn, nil
}

// Pedida is a resynchronisation that was asked for.
type Pedida struct {
	EmpresaID tenant.EmpresaID
	// EnCurso: one was waiting or under way already, and serves.
	EnCurso bool
}

// Resincronizar asks the running service to compare one institution with the platform's
// list, or with an empty id all that can be compared. Its outcome is in the Bitácora.
func (o *Operador) Resincronizar(ctx context.Context, empresa tenant.EmpresaID) ([]Pedida, error) {
	ids, err := o.comparable(ctx, empresa)
	if err != nil {
		return nil, err
	}
	waiting, err := o.queue.Resincronizar(ctx, ids)
	if err != nil {
		return nil, err
	}
	already := make(map[tenant.EmpresaID]bool, len(waiting))
	for _, id := range waiting {
		already[id] = true
	}
	pedidas := make([]Pedida, len(ids))
	for i, id := range ids {
		pedidas[i] = Pedida{EmpresaID: id, EnCurso: already[id]}
		err = o.Bitacora.RecordAsiento(ctx, bitacora.Asiento{
			EmpresaID: id, Tipo: bitacora.AsientoCambio, Accion: "resincronizacion_pedida",
		})
		if err != nil {
			return nil, fmt.Errorf("note the request: %w", err)
		}
	}
	return pedidas, nil
}

// ReenviarReportes has the running service tell registros again how every Reporte stands,
// and gives how many there are.
func (o *Operador) ReenviarReportes(ctx context.Context) (int, error) {
	reportes, err := o.store.EnqueueReportes(ctx)
	if err != nil {
		return reportes, err
	}
	err = o.Bitacora.RecordAsiento(ctx, bitacora.Asiento{
		EmpresaID: bitacora.SinEmpresa, Tipo: bitacora.AsientoCambio, Accion: "reportes_reenviados",
		Datos: map[string]any{"reportes": reportes},
	})
	if err != nil {
		return reportes, fmt.Errorf("note the request: %w", err)
	}
	return reportes, nil
}

// comparable gives the institutions that are active and know the platform's address.
func (o *Operador) comparable(ctx context.Context, empresa tenant.EmpresaID) ([]tenant.EmpresaID, error) {
	if empresa != "" {
		found, err := o.store.GetEmpresa(ctx, empresa)
		return []tenant.EmpresaID{found.ID}, err
	}
	all, err := o.store.ListEmpresas(ctx)
	if err != nil {
		return nil, err
	}
	var ids []tenant.EmpresaID
	for _, e := range all {
		if e.CanCallPlataforma() {
			ids = append(ids, e.ID)
		}
	}
	return ids, nil
}
