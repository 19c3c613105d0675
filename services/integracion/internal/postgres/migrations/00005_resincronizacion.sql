-- +goose Up

-- What the platform's own list says against a Reporte; for the operator, it changes nothing
-- else.
ALTER TABLE reportes
    ADD COLUMN observacion text,
    ADD COLUMN observada_en timestamptz,
    ADD CONSTRAINT reportes_observacion_check CHECK (observacion IN ('no_listado', 'listado_tras_baja')),
    ADD CONSTRAINT reportes_observada_check CHECK ((observacion IS NULL) = (observada_en IS NULL));

-- Whether the platform has deactivated an id of which there may be no Reporte.
CREATE INDEX avisos_desactivacion_idx ON avisos (empresa_id, reporte_id) WHERE tipo = 'desactivacion';
