-- +goose NO TRANSACTION
-- Indexes are built beside the writes. What a broken-off migration left is made anew.

-- +goose Up

-- The Reportes of a person, in all institutions, whether or not the CURP is still there.
DROP INDEX CONCURRENTLY IF EXISTS reportes_curp_huella_idx;
CREATE INDEX CONCURRENTLY reportes_curp_huella_idx ON reportes (curp_huella);

-- What waits for an operator, which is next to nothing most of the time.
DROP INDEX CONCURRENTLY IF EXISTS reportes_observados_idx;
CREATE INDEX CONCURRENTLY reportes_observados_idx ON reportes (empresa_id) WHERE observacion IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS envios_varias_idx;
CREATE INDEX CONCURRENTLY envios_varias_idx ON envios (empresa_id) WHERE status = 300;
