package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// chunkRows is how many rows of a list are read at a time: enough to make the round trip
// cheap, few enough to keep memory flat.
const chunkRows = 500

// newest is above every id, so that a list starts with the newest.
var newest = uuid.Max

// Revision is the state of an institution's lists; another text means that something
// changed. No two institutions have the same, so that one's ETag never stands for the
// other's list. It costs one row.
func (s *Store) Revision(ctx context.Context, empresa tenant.EmpresaID) (string, error) {
	var revision string
	err := s.db.ReadRow(ctx, empresa, `
		SELECT substr(encode(sha256((epoca || $1)::bytea), 'hex'), 1, 16) || '-' ||
			coalesce((SELECT revision FROM revisiones WHERE empresa_id = $1), 0)
		FROM instancia`, []any{string(empresa)}, &revision)
	if err != nil {
		return "", fmt.Errorf("read revision: %w", err)
	}
	return revision, nil
}

// EachCasos hands over all Casos of an institution, newest first, in chunks. No connection
// is held while yield runs, so a slow reader costs the database nothing. Memory does not
// grow with the list: chunks are reused, and yield must not keep them.
func (s *Store) EachCasos(ctx context.Context, empresa tenant.EmpresaID, yield func([]registros.Caso) error) error {
	return eachChunk(ctx, s, empresa, `
		SELECT `+casoColumns+` FROM casos
		WHERE empresa_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`,
		scanCaso, func(c registros.Caso) uuid.UUID { return c.ID }, yield)
}

// EachCoincidencias hands over all Coincidencias of an institution as EachCasos does.
func (s *Store) EachCoincidencias(ctx context.Context, empresa tenant.EmpresaID, yield func([]registros.Coincidencia) error) error {
	return eachChunk(ctx, s, empresa, `
		SELECT m.id, m.caso_id, c.reporte_id, m.fase, m.folio, m.curp, m.tipo_evento, m.fecha_evento,
			m.estado, m.detectada_en, m.notificada_en, m.detalle
		FROM coincidencias m JOIN casos c ON c.empresa_id = m.empresa_id AND c.id = m.caso_id
		WHERE m.empresa_id = $1 AND m.id < $2 ORDER BY m.id DESC LIMIT $3`,
		scanCoincidencia, func(c registros.Coincidencia) uuid.UUID { return c.ID }, yield)
}

func eachChunk[T any](ctx context.Context, s *Store, empresa tenant.EmpresaID, query string, scan pgx.RowToFunc[T], idOf func(T) uuid.UUID, yield func([]T) error) error {
	return eachPage(ctx, s, empresa, newest, query, nil, scan, idOf, yield)
}

// eachPage reads chunk after chunk, each from the last one's last id on. The query's first
// three arguments are the Empresa, that id and the size of a chunk; args follow.
func eachPage[T any](ctx context.Context, s *Store, empresa tenant.EmpresaID, from uuid.UUID, query string, args []any, scan pgx.RowToFunc[T], idOf func(T) uuid.UUID, yield func([]T) error) error {
	chunk := make([]T, 0, chunkRows)
	for ; ; from = idOf(chunk[len(chunk)-1]) {
		err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
			rows, err := tx.Query(ctx, query, append([]any{string(empresa), from, chunkRows}, args...)...)
			if err != nil {
				return err
			}
			chunk, err = pgx.AppendRows(chunk[:0], rows, scan)
			return err
		})
		if err != nil {
			return fmt.Errorf("read list: %w", err)
		}
		if len(chunk) == 0 {
			return nil
		}
		err = yield(chunk)
		if err != nil {
			return err
		}
		if len(chunk) < chunkRows {
			return nil
		}
	}
}

func scanCoincidencia(row pgx.CollectableRow) (registros.Coincidencia, error) {
	var c registros.Coincidencia
	var tipo, detalle *string
	var fecha, notificada *time.Time
	err := row.Scan(&c.ID, &c.CasoID, &c.ReporteID, &c.Fase, &c.Registro.Folio, &c.Registro.CURP, &tipo, &fecha,
		&c.Estado, &c.DetectadaEn, &notificada, &detalle)
	if err != nil {
		return registros.Coincidencia{}, err
	}
	c.Registro.TipoEvento = pg.Value(tipo)
	c.Registro.FechaEvento = pg.Fecha(fecha)
	c.NotificadaEn = pg.Value(notificada)
	c.Detalle = pg.Value(detalle)
	return c, nil
}
