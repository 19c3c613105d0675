-- +goose NO TRANSACTION
-- Indexes are built beside the writes. What a broken-off migration left is made anew.

-- +goose Up

-- Until when a step is set aside that the platform does not take, so that what follows it is told
-- meanwhile. An end of a search that is set aside counts as refused until it is taken.
ALTER TABLE coincidencias ADD COLUMN IF NOT EXISTS apartada_hasta timestamptz;
ALTER TABLE casos ADD COLUMN IF NOT EXISTS fin_apartado_hasta timestamptz;

DROP INDEX CONCURRENTLY IF EXISTS coincidencias_apartadas_idx;
CREATE INDEX CONCURRENTLY coincidencias_apartadas_idx ON coincidencias (empresa_id, id) WHERE estado = 'pendiente' AND apartada_hasta IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS casos_fin_apartado_idx;
CREATE INDEX CONCURRENTLY casos_fin_apartado_idx ON casos (empresa_id, id) WHERE estado <> 'cerrado' AND fin_apartado_hasta IS NOT NULL;
