package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// empresaColumns are the columns that scanEmpresa reads.
const empresaColumns = `e.id, e.nombre, e.institucion_id, e.estado, e.pui_url, e.version, e.entrega_pausada_en, coalesce(e.sitio, '{}'), coalesce(e.tipo_evento_neutro, ''), e.creada_en`

// empresaRow is where a row of empresas is scanned to.
type empresaRow struct {
	empresa *cuentas.Empresa
	url     *string
	pausada *time.Time
}

func (r *empresaRow) targets() []any {
	e := r.empresa
	return []any{&e.ID, &e.Nombre, &e.InstitucionID, &e.Estado, &r.url, &e.Version, &r.pausada, &e.Sitio, &e.TipoEventoNeutro, &e.CreadaEn}
}

func (r *empresaRow) fill() {
	r.empresa.PUIURL, r.empresa.EntregaPausadaEn = pg.Value(r.url), pg.Value(r.pausada)
}

func scanEmpresa(row pgx.Row) (cuentas.Empresa, error) {
	var e cuentas.Empresa
	r := empresaRow{empresa: &e}
	err := row.Scan(r.targets()...)
	r.fill()
	return e, err
}

// GetEmpresa implements [cuentas.EmpresaStore]. Those who ask at the same time share a look.
func (s *Store) GetEmpresa(ctx context.Context, id tenant.EmpresaID) (cuentas.Empresa, error) {
	e, err := s.empresas.Ask(ctx, id, struct{}{})
	return e, notFound(err, "read empresa", cuentas.EmpresaMissing)
}

const empresaByID = `SELECT ` + empresaColumns + ` FROM empresas e WHERE e.id = $1`

// readEmpresa takes one round trip: two of these go before each activation.
func (s *Store) readEmpresa(ctx context.Context, id tenant.EmpresaID) (e cuentas.Empresa, err error) {
	r := empresaRow{empresa: &e}
	err = s.db.ReadRow(ctx, id, empresaByID, []any{string(id)}, r.targets()...)
	r.fill()
	return e, err
}

// ListEmpresas implements [cuentas.EmpresaStore].
func (s *Store) ListEmpresas(ctx context.Context) ([]cuentas.Empresa, error) {
	var empresas []cuentas.Empresa
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT `+empresaColumns+` FROM empresas e ORDER BY e.id`)
		if err != nil {
			return err
		}
		empresas, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (cuentas.Empresa, error) {
			return scanEmpresa(row)
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list empresas: %w", err)
	}
	return empresas, nil
}

// SetEstado implements [cuentas.EmpresaStore].
func (s *Store) SetEstado(ctx context.Context, id tenant.EmpresaID, estado cuentas.EstadoEmpresa) (cuentas.Empresa, error) {
	accion := "empresa_reanudada"
	if estado == cuentas.EmpresaSuspendida {
		accion = "empresa_suspendida"
	}
	return s.changeEmpresa(ctx, id, accion, `
		UPDATE empresas AS e SET estado = $2,
			version = version + (estado <> $2 AND $2 = 'suspendida')::int
		WHERE id = $1 RETURNING `+empresaColumns, string(id), string(estado))
}

// SetClaveEntrada implements [cuentas.EmpresaStore].
func (s *Store) SetClaveEntrada(ctx context.Context, id tenant.EmpresaID, huella []byte) error {
	_, err := s.changeEmpresa(ctx, id, accionClaveEntrada, `
		UPDATE empresas AS e SET clave_entrada = $2, version = version + 1
		WHERE id = $1 RETURNING `+empresaColumns, string(id), huella)
	if pg.ConstraintOf(err) == "empresas_clave_entrada_key" {
		return errs.New(errores.Conflicto, "Esa clave no se puede usar; elija otra.")
	}
	return err
}

// SetSalida implements [cuentas.EmpresaStore].
func (s *Store) SetSalida(ctx context.Context, id tenant.EmpresaID, url string, clave cuentas.Sellado) (cuentas.Empresa, error) {
	return s.changeEmpresa(ctx, id, "clave_salida", `
		UPDATE empresas AS e SET pui_url = $2, pui_clave = $3, pui_clave_llave = $4
		WHERE id = $1 RETURNING `+empresaColumns, string(id), url, clave.Datos, clave.Llave)
}

// changeEmpresa runs a statement that changes one Empresa and gives it, and leaves accion in
// the Bitácora.
func (s *Store) changeEmpresa(ctx context.Context, id tenant.EmpresaID, accion, sql string, args ...any) (cuentas.Empresa, error) {
	var e cuentas.Empresa
	r := newRemoval(id, accion, "")
	err := s.db.InEmpresa(ctx, id, func(tx pgx.Tx) error {
		var err error
		e, err = scanEmpresa(tx.QueryRow(ctx, sql, args...))
		if err != nil {
			return err
		}
		if accion == accionClaveEntrada {
			return s.insertRemoval(ctx, tx, r)
		}
		return insertCambio(ctx, tx, id, accion, "")
	})
	return e, notFound(err, "change empresa", cuentas.EmpresaMissing)
}
