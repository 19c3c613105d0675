package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// institucionIDKey is the constraint that no two institutions have one institucion_id.
const (
	institucionIDKey   = "empresas_institucion_id_key"
	institucionIDTaken = "Otra institución ya tiene ese institucion_id."
)

// errSimulated undoes what was only tried.
var errSimulated = errors.New("simulated")

// CreateEmpresas implements [cuentas.EmpresaStore].
func (s *Store) CreateEmpresas(ctx context.Context, nuevas []cuentas.NuevaEmpresa, simular bool) ([]cuentas.Empresa, error) {
	var created []cuentas.Empresa
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		created = created[:0]
		var sinCarga []tenant.EmpresaID
		for _, n := range nuevas {
			e, err := insertEmpresa(ctx, tx, n)
			if err != nil {
				return err
			}
			created = append(created, e)
			if n.SinCarga {
				sinCarga = append(sinCarga, e.ID)
			}
		}
		if simular {
			return errSimulated
		}
		if len(sinCarga) == 0 {
			return nil
		}
		return s.queue.FinishCargas(ctx, tx, sinCarga)
	})
	if err != nil && !errors.Is(err, errSimulated) {
		return nil, fmt.Errorf("create empresas: %w", err)
	}
	return created, nil
}

func insertEmpresa(ctx context.Context, tx pgx.Tx, n cuentas.NuevaEmpresa) (cuentas.Empresa, error) {
	e, err := scanEmpresa(tx.QueryRow(ctx, `
		INSERT INTO empresas AS e (id, nombre, institucion_id, pui_url, clave_entrada, sitio, tipo_evento_neutro)
		VALUES ($1, $2, $3, nullif($4, ''), $5, $6, nullif($7, '')) RETURNING `+empresaColumns,
		string(n.ID), n.Nombre, n.InstitucionID, n.PUIURL, n.HuellaClave, sitioOf(n.Sitio), n.TipoEventoNeutro))
	switch pg.ConstraintOf(err) {
	case "empresas_pkey":
		return e, errs.New(errores.Conflicto, fmt.Sprintf("Ya existe la institución %s; no se dio de alta ninguna.", n.ID))
	case institucionIDKey:
		return e, errs.New(errores.Conflicto, fmt.Sprintf("Otra institución ya tiene el institucion_id %s; no se dio de alta ninguna.", n.InstitucionID))
	}
	if err != nil {
		return e, err
	}
	return e, insertCambio(ctx, tx, n.ID, "empresa_creada", "")
}

// sitioOf is NULL for no site.
func sitioOf(s cuentas.Sitio) *cuentas.Sitio {
	if s.IsZero() {
		return nil
	}
	return &s
}

// ChangeEmpresa implements [cuentas.EmpresaStore].
func (s *Store) ChangeEmpresa(ctx context.Context, id tenant.EmpresaID, c cuentas.CambioEmpresa) (cuentas.Empresa, error) {
	var e cuentas.Empresa
	err := s.db.InEmpresa(ctx, id, func(tx pgx.Tx) error {
		var err error
		e, err = scanEmpresa(tx.QueryRow(ctx, `
			UPDATE empresas AS e SET nombre = coalesce(nullif($2, ''), nombre),
				institucion_id = coalesce(nullif($3, ''), institucion_id), pui_url = coalesce(nullif($4, ''), pui_url),
				sitio = CASE WHEN $6 THEN NULL ELSE coalesce($5, sitio) END,
				tipo_evento_neutro = coalesce(nullif($7, ''), tipo_evento_neutro)
			WHERE id = $1 RETURNING `+empresaColumns,
			string(id), c.Nombre, c.InstitucionID, c.PUIURL, sitioOf(c.Sitio), c.QuitarSitio, c.TipoEventoNeutro))
		if err != nil {
			return err
		}
		return insertAsiento(ctx, tx, bitacora.Asiento{
			EmpresaID: id, Tipo: bitacora.AsientoCambio, Accion: "empresa_cambiada", Datos: map[string]any{"campos": c.Campos()},
		})
	})
	if pg.ConstraintOf(err) == institucionIDKey {
		return e, errs.New(errores.Conflicto, institucionIDTaken)
	}
	return e, notFound(err, "change empresa", cuentas.EmpresaMissing)
}
