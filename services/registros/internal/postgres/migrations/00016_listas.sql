-- +goose NO TRANSACTION
-- Indexes are built beside the writes. What a broken-off migration left is made anew.

-- +goose Up

-- The lists go by the instant of each row, rows of one instant by their ids.
DROP INDEX CONCURRENTLY IF EXISTS casos_abierto_en_idx;
CREATE INDEX CONCURRENTLY casos_abierto_en_idx ON casos (empresa_id, abierto_en, id);
DROP INDEX CONCURRENTLY IF EXISTS coincidencias_detectada_en_idx;
CREATE INDEX CONCURRENTLY coincidencias_detectada_en_idx ON coincidencias (empresa_id, detectada_en, id);
