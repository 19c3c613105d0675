-- +goose Up

-- The institutions whose initial load of Registros is finished. One that is not here is loading:
-- its Casos open, and wait for their search (see carga.go).
CREATE TABLE cargas (
    -- empresa_id, compared as the other tables of this database compare it.
    LIKE revisiones,
    terminada_en timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT cargas_pkey PRIMARY KEY (empresa_id)
);
-- registros_revision_seq when the load was finished, or when all Casos were last to be searched
-- again. A Caso with an earlier corte is searched up to this one.
ALTER TABLE cargas RENAME COLUMN revision TO corte;
ALTER TABLE cargas ENABLE ROW LEVEL SECURITY;
ALTER TABLE cargas FORCE ROW LEVEL SECURITY;
CREATE POLICY cargas_empresa ON cargas
    USING (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas');

-- An institution that has written Registros or been asked for a person goes on being searched.
SET LOCAL enlace.alcance = 'todas';
INSERT INTO cargas (empresa_id, corte)
SELECT empresa_id, 0 FROM actividades UNION SELECT empresa_id, 0 FROM revisiones;
