-- +goose NO TRANSACTION
-- Indexes are built beside the writes. What a broken-off migration left is made anew.

-- +goose Up

-- What waits for an operator, which is next to nothing most of the time.
DROP INDEX CONCURRENTLY IF EXISTS coincidencias_rechazadas_idx;
CREATE INDEX CONCURRENTLY coincidencias_rechazadas_idx ON coincidencias (empresa_id, detectada_en) WHERE estado = 'rechazada';
DROP INDEX CONCURRENTLY IF EXISTS casos_fin_rechazado_idx;
CREATE INDEX CONCURRENTLY casos_fin_rechazado_idx ON casos (empresa_id) WHERE finalizacion = 'rechazada' AND estado <> 'cerrado';
