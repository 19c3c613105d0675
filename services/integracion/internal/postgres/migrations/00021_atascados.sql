-- +goose NO TRANSACTION
-- Indexes are built beside the writes. What a broken-off migration left is made anew.

-- +goose Up

-- Since when the platform takes an Envío no more than before, after many answers; see atasco.go.
ALTER TABLE envios ADD COLUMN IF NOT EXISTS atascado_en timestamptz;

-- What operators look for, which is next to nothing most of the time.
DROP INDEX CONCURRENTLY IF EXISTS envios_atascados_idx;
CREATE INDEX CONCURRENTLY envios_atascados_idx ON envios (empresa_id) WHERE atascado_en IS NOT NULL AND estado = 'pendiente';
