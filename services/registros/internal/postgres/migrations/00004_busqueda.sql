-- +goose NO TRANSACTION
-- Indexes are built beside the writes. What a broken-off migration left is made anew.

-- +goose Up

-- When the search of a Caso, phase 3's look at what was there already included, was last
-- over; and, while it runs, how far it has come (see busqueda.go). A Caso that was searched
-- by an earlier version is looked at once more, which tells what that one overlooked.
ALTER TABLE casos
    ADD COLUMN IF NOT EXISTS buscado_en timestamptz,
    ADD COLUMN IF NOT EXISTS avance jsonb;

-- A search reads the Registros of a person here, a portion at a time. The id stays when a
-- Registro changes, so that none is passed over that is written meanwhile. The retention
-- goes over it too.
DROP INDEX CONCURRENTLY IF EXISTS registros_persona_idx;
CREATE INDEX CONCURRENTLY registros_persona_idx ON registros (empresa_id, curp, fecha_evento, id);
DROP INDEX CONCURRENTLY IF EXISTS registros_curp_idx;
DROP INDEX CONCURRENTLY IF EXISTS registros_fecha_evento_idx;

-- What is left to do of the open Casos: next to nothing, most of the time, however many
-- there are.
DROP INDEX CONCURRENTLY IF EXISTS casos_por_buscar_idx;
CREATE INDEX CONCURRENTLY casos_por_buscar_idx ON casos (empresa_id, id) WHERE estado <> 'cerrado' AND buscado_en IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS casos_por_finalizar_idx;
CREATE INDEX CONCURRENTLY casos_por_finalizar_idx ON casos (empresa_id, id) INCLUDE (basicos_en)
    WHERE estado <> 'cerrado' AND finalizacion = 'pendiente';

-- How long the oldest Coincidencia of an institution has waited.
DROP INDEX CONCURRENTLY IF EXISTS coincidencias_espera_idx;
CREATE INDEX CONCURRENTLY coincidencias_espera_idx ON coincidencias (empresa_id, detectada_en) WHERE estado = 'pendiente';
