-- +goose Up

-- What each lote was, for as long as Registros are kept: counts, and whose key it came with.
CREATE TABLE lotes (
    empresa_id    text COLLATE "C" NOT NULL,
    id            uuid        NOT NULL,
    key_id        text COLLATE "C" NOT NULL,
    recibido_en   timestamptz NOT NULL DEFAULT now(),
    total         integer     NOT NULL,
    creados       integer     NOT NULL,
    actualizados  integer     NOT NULL,
    rechazados    integer     NOT NULL,
    coincidencias integer     NOT NULL DEFAULT 0,
    CONSTRAINT lotes_pkey PRIMARY KEY (empresa_id, id),
    CONSTRAINT lotes_cuentas_check CHECK (
        creados >= 0 AND actualizados >= 0 AND rechazados >= 0 AND coincidencias >= 0
        AND creados + actualizados + rechazados <= total)
);
-- The retention finds the oldest here; it costs a write next to nothing.
CREATE INDEX lotes_recibido_en_idx ON lotes USING brin (recibido_en);
ALTER TABLE lotes ENABLE ROW LEVEL SECURITY;
ALTER TABLE lotes FORCE ROW LEVEL SECURITY;
CREATE POLICY lotes_empresa ON lotes
    USING (empresa_id = (SELECT current_setting('enlace.empresa_id', true))
        OR (SELECT current_setting('enlace.alcance', true)) = 'todas');
