-- +goose NO TRANSACTION
-- The index is built beside the writes. What a broken-off migration left is made anew.

-- +goose Up

-- The Casos that were searched under an earlier rule of phase 3, and of which it passed over
-- something that was committed after the search: an event of before continua_desde, which is
-- written still for the programs that go by it. The search of such a Caso looks once more at
-- what came after it (busqueda.go); what was told is not told again.
ALTER TABLE casos ADD COLUMN IF NOT EXISTS por_repasar boolean NOT NULL DEFAULT false;

-- +goose StatementBegin
DO $$
BEGIN
    SET LOCAL enlace.alcance = 'todas';
    UPDATE casos c SET por_repasar = true
    WHERE c.estado <> 'cerrado' AND EXISTS (
        SELECT FROM registros r
        WHERE r.empresa_id = c.empresa_id AND r.curp = c.curp AND r.fecha_evento < c.continua_desde AND r.revision > c.corte);
END $$;
-- +goose StatementEnd

DROP INDEX CONCURRENTLY IF EXISTS casos_por_repasar_idx;
CREATE INDEX CONCURRENTLY casos_por_repasar_idx ON casos (empresa_id, id) WHERE estado <> 'cerrado' AND por_repasar;
