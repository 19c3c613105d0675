package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// chunkRows is how many rows of a list are read at a time: enough to make the round trip
// cheap, few enough to keep memory flat.
const chunkRows = 500

// newest is before every row of a list that goes from the newest to the oldest, and oldest
// before every row of one that goes the other way: an instant, and an id among equal instants.
var (
	newest = []any{pgtype.Timestamptz{InfinityModifier: pgtype.Infinity, Valid: true}, uuid.Max}
	oldest = []any{pgtype.Timestamptz{InfinityModifier: pgtype.NegativeInfinity, Valid: true}, uuid.Nil}
)

// pageOfCasos and pageOfCoincidencias are the queries of the lists, see eachPage. They read
// casos_abierto_en_idx and coincidencias_detectada_en_idx: ids are made before the transaction
// that writes them has its instant, so their order is not that of the instants. Of the person
// PostgreSQL gives what the list shows, which costs less than to read the JSON here.
const (
	pageOfCasos = `
		SELECT id, reporte_id, fecha_desaparicion, curp,
			coalesce(persona->>'nombre', ''), coalesce(persona->>'primer_apellido', ''), coalesce(persona->>'segundo_apellido', ''),
			coalesce(persona->>'fecha_nacimiento', ''), coalesce(persona->>'lugar_nacimiento', ''), coalesce(persona->>'sexo_asignado', ''),
			estado, finalizacion, coincidencias, abierto_en, busqueda_finalizada_en, cerrado_en, actualizado_en
		FROM casos
		WHERE empresa_id = $1 AND (abierto_en, id) < ($3, $4) ORDER BY abierto_en DESC, id DESC LIMIT $2`
	pageOfCoincidencias = `
		SELECT m.id, m.caso_id, c.reporte_id, m.fase, m.folio, m.curp, m.tipo_evento, m.fecha_evento,
			m.estado, m.detectada_en, m.notificada_en, m.detalle
		FROM coincidencias m JOIN casos c ON c.empresa_id = m.empresa_id AND c.id = m.caso_id
		WHERE m.empresa_id = $1 AND (m.detectada_en, m.id) < ($3, $4) ORDER BY m.detectada_en DESC, m.id DESC LIMIT $2`
)

// Revision is the state of an institution's lists; another text means that something
// changed, and a higher number at its end that it is newer. No two institutions have the same, so that one's ETag never stands for the
// other's list. It costs one row, and that once for all who ask at the same time.
func (s *Store) Revision(ctx context.Context, empresa tenant.EmpresaID) (string, error) {
	return s.revisiones.Ask(ctx, empresa, struct{}{})
}

func (s *Store) readRevision(ctx context.Context, empresa tenant.EmpresaID) (string, error) {
	var revision string
	err := s.db.Lectura().ReadRow(ctx, empresa, `
		SELECT substr(encode(sha256((epoca || $1)::bytea), 'hex'), 1, 16) || '-' ||
			coalesce((SELECT revision FROM revisiones WHERE empresa_id = $1), 0)
		FROM instancia`, []any{string(empresa)}, &revision)
	if err != nil {
		return "", fmt.Errorf("read revision: %w", err)
	}
	return revision, nil
}

// EachCasos hands over all Casos of an institution as of a revision or later, newest first,
// in chunks, with what the list shows of each. No connection is held while yield runs, so a
// slow reader costs the database nothing. Memory does not grow with the list: chunks are
// reused, and yield must not keep them.
func (s *Store) EachCasos(ctx context.Context, empresa tenant.EmpresaID, revision string, yield func([]registros.Caso) error) error {
	return eachPage(ctx, s.listReader(empresa, revision), empresa, pageOfCasos, newest, nil,
		scanListado, func(c registros.Caso) []any { return []any{c.AbiertoEn, c.ID} }, yield)
}

// EachCoincidencias hands over all Coincidencias of an institution as EachCasos does.
func (s *Store) EachCoincidencias(ctx context.Context, empresa tenant.EmpresaID, revision string, yield func([]registros.Coincidencia) error) error {
	return eachPage(ctx, s.listReader(empresa, revision), empresa, pageOfCoincidencias, newest, nil,
		scanCoincidencia, func(c registros.Coincidencia) []any { return []any{c.DetectadaEn, c.ID} }, yield)
}

// reader runs fn in a transaction that sees the rows of one Empresa.
type reader func(ctx context.Context, fn func(tx pgx.Tx) error) error

// listReader reads a list whose revision has been announced. Each chunk may come from
// another copy of the database, and none from one that is older than the announcement: a
// client would keep the old rows under the new ETag.
func (s *Store) listReader(empresa tenant.EmpresaID, revision string) reader {
	announced := numberOf(revision)
	return func(ctx context.Context, fn func(tx pgx.Tx) error) error {
		return s.db.Lectura().InEmpresa(ctx, empresa, func(tx pgx.Tx) (bool, error) {
			var fresh bool
			err := tx.QueryRow(ctx, `SELECT coalesce((SELECT revision FROM revisiones WHERE empresa_id = $1), 0) >= $2`,
				string(empresa), announced).Scan(&fresh)
			return fresh, err
		}, fn)
	}
}

// numberOf gives the number at the end of a revision.
func numberOf(revision string) int64 {
	number, err := strconv.ParseInt(revision[strings.LastIndexByte(revision, '-')+1:], 10, 64)
	if err != nil {
		// Not one of ours; nothing is promised, and everything is new enough.
		return 0
	}
	return number
}

// primary reads what has to be the latest.
func (s *Store) primary(empresa tenant.EmpresaID) reader {
	return func(ctx context.Context, fn func(tx pgx.Tx) error) error {
		return s.db.InEmpresa(ctx, empresa, fn)
	}
}

// eachPage reads chunk after chunk, each from the last row of the one before. The query's first
// arguments are the Empresa and the size of a chunk; then come those of the row to go on from,
// at first from, later what after gives of a row; args follow.
func eachPage[T any](ctx context.Context, read reader, empresa tenant.EmpresaID, query string, from, args []any, scan pgx.RowToFunc[T], after func(T) []any, yield func([]T) error) error {
	return eachChunk(ctx, read, func(tx pgx.Tx) (pgx.Rows, error) {
		return tx.Query(ctx, query, slices.Concat([]any{string(empresa), chunkRows}, from, args)...)
	}, scan, func(chunk []T) error {
		from = after(chunk[len(chunk)-1])
		return yield(chunk)
	})
}

// eachChunk reads chunk after chunk: next is to go on behind the last one that was yielded.
func eachChunk[T any](ctx context.Context, read reader, next func(tx pgx.Tx) (pgx.Rows, error), scan pgx.RowToFunc[T], yield func([]T) error) error {
	chunk := make([]T, 0, chunkRows)
	for {
		err := read(ctx, func(tx pgx.Tx) error {
			rows, err := next(tx)
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

// scanListado reads what the list shows of a Caso.
func scanListado(row pgx.CollectableRow) (registros.Caso, error) {
	var c registros.Caso
	var desaparicion, finalizada, cerrado *time.Time
	var nacimiento string
	p := &c.Reporte.Persona
	err := row.Scan((*[16]byte)(&c.ID), &c.Reporte.ID, &desaparicion, &p.CURP,
		&p.Nombre, &p.PrimerApellido, &p.SegundoApellido, &nacimiento, (*string)(&p.LugarNacimiento), (*string)(&p.SexoAsignado),
		(*string)(&c.Estado), (*string)(&c.Finalizacion), &c.Coincidencias, &c.AbiertoEn, &finalizada, &cerrado, &c.ActualizadoEn)
	if err != nil {
		return registros.Caso{}, err
	}
	p.FechaNacimiento, _ = manual.ParseFecha(nacimiento)
	c.Reporte.FechaDesaparicion = pg.Fecha(desaparicion)
	c.FinalizadaEn = pg.Value(finalizada)
	c.CerradoEn = pg.Value(cerrado)
	return c, nil
}

func scanCoincidencia(row pgx.CollectableRow) (registros.Coincidencia, error) {
	var c registros.Coincidencia
	var tipo, detalle *string
	var fecha, notificada *time.Time
	err := row.Scan((*[16]byte)(&c.ID), (*[16]byte)(&c.CasoID), &c.ReporteID, &c.Fase, (*string)(&c.Registro.Folio), &c.Registro.CURP, &tipo, &fecha,
		(*string)(&c.Estado), &c.DetectadaEn, &notificada, &detalle)
	if err != nil {
		return registros.Coincidencia{}, err
	}
	c.Registro.TipoEvento = pg.Value(tipo)
	c.Registro.FechaEvento = pg.Fecha(fecha)
	c.NotificadaEn = pg.Value(notificada)
	c.Detalle = pg.Value(detalle)
	return c, nil
}
