package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// How many Registros an institution has is the sum of its conteos. Whoever creates or deletes some
// adds the change, in the same transaction, to one of them that no other transaction has locked, and
// to a new one if there is none: no batch waits for another. What the quota refuses is decided with
// the sum of what is committed and the batch itself, so batches that are written at the same time
// may together pass it by what they add.
const (
	sumConteos = `SELECT coalesce(sum(registros), 0)::bigint FROM conteos WHERE empresa_id = $1`

	// freeConteo is a look-up in conteos_pkey (see openCoincidencias).
	freeConteo = `SELECT id FROM conteos WHERE empresa_id = $1 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED`

	onConteo = ` ON CONFLICT (empresa_id, id) DO UPDATE SET registros = c.registros + excluded.registros`

	addConteo = `INSERT INTO conteos AS c (empresa_id, id, registros) VALUES ($1, $2, $3)` + onConteo

	// countEscritos counts what a merge of one server creates. Of a batch that creates nothing it
	// looks at no row.
	countEscritos = `
	INSERT INTO conteos AS c (empresa_id, id, registros)
	SELECT $1, coalesce((` + freeConteo + `), gen_random_uuid()), count(*) FROM escritos WHERE creado HAVING count(*) > 0` + onConteo
)

// countDeleted takes so many Registros off what is counted of an institution.
func countDeleted(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, deleted int) error {
	if deleted == 0 {
		return nil
	}
	id := pg.NewID()
	err := tx.QueryRow(ctx, freeConteo, string(empresa)).Scan(&id)
	if err == nil || errors.Is(err, pgx.ErrNoRows) {
		_, err = tx.Exec(ctx, addConteo, string(empresa), id, -deleted)
	}
	if err != nil {
		return fmt.Errorf("count deleted registros: %w", err)
	}
	return nil
}

// refuseOver refuses a batch whose new Registros have no room left. One that creates none is taken,
// however full it is.
func (s *Store) refuseOver(m merged) error {
	if s.Cuota == 0 || m.Creados == 0 || m.antes+m.Creados <= s.Cuota {
		return nil
	}
	return errs.New(errores.CuotaAgotada, fmt.Sprintf(
		"La institución tiene %d de los %d registros que puede guardar, y este envío añadiría %d. No se guardó nada de él; "+
			"los cambios de registros que ya existen se reciben en envíos que no añaden ninguno.", m.antes, s.Cuota, m.Creados))
}

// mostCuotas bounds the series of cuotaDesc, which are one an institution.
const mostCuotas = 50

var cuotaDesc = prometheus.NewDesc("enlace_record_quota_used_ratio",
	"The part of its quota of Registros (RECORD_QUOTA) that an institution has used; only the fullest institutions, and none without a quota. "+
		"Every replica reports the same: use max().", []string{"id_empresa"}, nil)

const fullestEmpresas = `
	SELECT empresa_id, sum(registros)::float8 / $1 FROM conteos GROUP BY empresa_id ORDER BY sum(registros) DESC LIMIT $2`

func (s *Store) readCuotas(ctx context.Context, tx pgx.Tx) ([]prometheus.Metric, error) {
	if s.Cuota == 0 {
		return nil, nil
	}
	return readByEmpresa(ctx, tx, cuotaDesc, fullestEmpresas, s.Cuota, mostCuotas)
}
