-- +goose Up

-- Every search that was run for a Caso, for the record: rows are only ever added. What a
-- written Registro meets in phase 3 is a Coincidencia and needs no row here.
CREATE TABLE busquedas (
    empresa_id    text COLLATE "C" NOT NULL,
    id            uuid        NOT NULL,
    caso_id       uuid        NOT NULL,
    fase          smallint    NOT NULL,
    ejecutada_en  timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- How many Registros of the person were looked at, and how many Coincidencias followed.
    registros     integer     NOT NULL,
    coincidencias integer     NOT NULL,
    CONSTRAINT busquedas_pkey PRIMARY KEY (empresa_id, id),
    CONSTRAINT busquedas_caso_fkey FOREIGN KEY (empresa_id, caso_id) REFERENCES casos (empresa_id, id),
    CONSTRAINT busquedas_fase_check CHECK (fase BETWEEN 1 AND 2),
    CONSTRAINT busquedas_cuentas_check CHECK (registros >= 0 AND coincidencias >= 0)
);
CREATE INDEX busquedas_caso_idx ON busquedas (empresa_id, caso_id);
ALTER TABLE busquedas ENABLE ROW LEVEL SECURITY;
ALTER TABLE busquedas FORCE ROW LEVEL SECURITY;
CREATE POLICY busquedas_empresa ON busquedas
    USING (empresa_id = (SELECT current_setting('enlace.empresa_id', true))
        OR (SELECT current_setting('enlace.alcance', true)) = 'todas');
