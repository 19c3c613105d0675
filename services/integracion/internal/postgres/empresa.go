package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// empresaColumns are the columns that scanEmpresa reads.
const empresaColumns = `e.id, e.nombre, e.institucion_id, e.estado, e.pui_url, e.version, e.entrega_pausada_en, e.creada_en`

const empresaMissing = "No existe esa institución."

// institucionIDKey is the constraint that no two institutions have one institucion_id.
const (
	institucionIDKey   = "empresas_institucion_id_key"
	institucionIDTaken = "Otra institución ya tiene ese institucion_id."
)

func scanEmpresa(row pgx.Row) (cuentas.Empresa, error) {
	var e cuentas.Empresa
	var url *string
	var pausada *time.Time
	err := row.Scan(&e.ID, &e.Nombre, &e.InstitucionID, &e.Estado, &url, &e.Version, &pausada, &e.CreadaEn)
	e.PUIURL, e.EntregaPausadaEn = pg.Value(url), pg.Value(pausada)
	return e, err
}

// CreateEmpresa implements [cuentas.EmpresaStore].
func (s *Store) CreateEmpresa(ctx context.Context, e cuentas.Empresa) (cuentas.Empresa, error) {
	var created cuentas.Empresa
	err := s.db.InEmpresa(ctx, e.ID, func(tx pgx.Tx) error {
		var err error
		created, err = scanEmpresa(tx.QueryRow(ctx, `
			INSERT INTO empresas AS e (id, nombre, institucion_id, pui_url)
			VALUES ($1, $2, $3, nullif($4, '')) RETURNING `+empresaColumns,
			string(e.ID), e.Nombre, e.InstitucionID, e.PUIURL))
		if err != nil {
			return err
		}
		return insertCambio(ctx, tx, e.ID, "empresa_creada", "")
	})
	switch pg.ConstraintOf(err) {
	case "empresas_pkey":
		return created, errs.New(errs.Conflicto, "Ya existe una institución con ese RFC.")
	case institucionIDKey:
		return created, errs.New(errs.Conflicto, institucionIDTaken)
	}
	if err != nil {
		return created, fmt.Errorf("insert empresa: %w", err)
	}
	return created, nil
}

// GetEmpresa implements [cuentas.EmpresaStore].
func (s *Store) GetEmpresa(ctx context.Context, id tenant.EmpresaID) (cuentas.Empresa, error) {
	return s.oneEmpresa(ctx, id, "read empresa",
		`SELECT `+empresaColumns+` FROM empresas e WHERE e.id = $1`, string(id))
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

// SetInstitucionID implements [cuentas.EmpresaStore].
func (s *Store) SetInstitucionID(ctx context.Context, id tenant.EmpresaID, institucionID string) (cuentas.Empresa, error) {
	e, err := s.changeEmpresa(ctx, id, "institucion_id_cambiado", `
		UPDATE empresas AS e SET institucion_id = $2 WHERE id = $1 RETURNING `+empresaColumns, string(id), institucionID)
	if pg.ConstraintOf(err) == institucionIDKey {
		return e, errs.New(errs.Conflicto, institucionIDTaken)
	}
	return e, err
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
	_, err := s.changeEmpresa(ctx, id, "clave_entrada", `
		UPDATE empresas AS e SET clave_entrada = $2, version = version + 1
		WHERE id = $1 RETURNING `+empresaColumns, string(id), huella)
	if pg.ConstraintOf(err) == "empresas_clave_entrada_key" {
		return errs.New(errs.Conflicto, "Esa clave no se puede usar; elija otra.")
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
	err := s.db.InEmpresa(ctx, id, func(tx pgx.Tx) error {
		var err error
		e, err = scanEmpresa(tx.QueryRow(ctx, sql, args...))
		if err != nil {
			return err
		}
		return insertCambio(ctx, tx, id, accion, "")
	})
	return e, notFound(err, "change empresa", empresaMissing)
}

// oneEmpresa runs a statement that gives one Empresa.
func (s *Store) oneEmpresa(ctx context.Context, id tenant.EmpresaID, action, sql string, args ...any) (cuentas.Empresa, error) {
	var e cuentas.Empresa
	err := s.db.InEmpresa(ctx, id, func(tx pgx.Tx) error {
		var err error
		e, err = scanEmpresa(tx.QueryRow(ctx, sql, args...))
		return err
	})
	return e, notFound(err, action, empresaMissing)
}
