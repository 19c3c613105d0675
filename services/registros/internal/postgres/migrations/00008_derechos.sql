-- +goose NO TRANSACTION
-- Indexes are built beside the writes. What a broken-off migration left is made anew.

-- +goose Up

-- What is kept of a person, and what became of a record, is found here when the person asks.
DROP INDEX CONCURRENTLY IF EXISTS casos_persona_idx;
CREATE INDEX CONCURRENTLY casos_persona_idx ON casos (empresa_id, curp);
DROP INDEX CONCURRENTLY IF EXISTS coincidencias_folio_idx;
CREATE INDEX CONCURRENTLY coincidencias_folio_idx ON coincidencias (empresa_id, folio);
