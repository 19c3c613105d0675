-- +goose Up

-- Events are saved before they are answered: nothing waits here any more. What stays is which
-- ids were accepted with which content, for as long as they may come again.
LOCK TABLE eventos IN ACCESS EXCLUSIVE MODE;
SELECT set_config('enlace.alcance', 'todas', true);

-- What the version before has answered and not yet handed to registros is in nobody else's
-- hands. It does so within moments, as long as registros is there.
-- +goose StatementBegin
DO $$
BEGIN
    IF EXISTS (SELECT FROM eventos WHERE estado = 'recibido') THEN
        RAISE EXCEPTION 'events wait to be handed to registros: let the version before finish them, then migrate again';
    END IF;
END
$$;
-- +goose StatementEnd
DELETE FROM river_job WHERE kind IN ('process_evento', 'enqueue_forgotten_eventos');

-- The id of a rejected event is free.
DELETE FROM eventos WHERE estado = 'rechazado';
-- A table that had an identity column, even a dropped one, is not brought back from a cluster.
ALTER TABLE eventos ALTER COLUMN secuencia DROP IDENTITY;
ALTER TABLE eventos
    DROP COLUMN secuencia,
    DROP COLUMN key_id,
    DROP COLUMN tipo,
    DROP COLUMN fecha,
    DROP COLUMN folio,
    DROP COLUMN registro,
    DROP COLUMN estado,
    DROP COLUMN errores,
    DROP COLUMN coincidencias,
    DROP COLUMN decidido_en;
-- What is to be forgotten next.
CREATE INDEX eventos_recibido_idx ON eventos (recibido_en);

-- A listed Reporte may say of itself that it is not active.
ALTER TABLE reportes
    DROP CONSTRAINT reportes_observacion_check,
    ADD CONSTRAINT reportes_observacion_check CHECK (observacion IN ('no_listado', 'listado_tras_baja', 'listado_inactivo'));
-- What a list contradicts by not having it.
CREATE INDEX reportes_comparables_idx ON reportes (empresa_id, reporte_id, ciclo) WHERE estado = 'activo' OR observacion IS NOT NULL;
