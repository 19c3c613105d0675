-- +goose Up

-- When an institution last wrote a Registro, for operators: noted beside the writes, so that
-- they do not queue up here.
CREATE TABLE actividades (
    empresa_id         text COLLATE "C" NOT NULL,
    ultimo_registro_en timestamptz NOT NULL,
    CONSTRAINT actividades_pkey PRIMARY KEY (empresa_id)
);
ALTER TABLE actividades ENABLE ROW LEVEL SECURITY;
ALTER TABLE actividades FORCE ROW LEVEL SECURITY;
CREATE POLICY actividades_empresa ON actividades
    USING (empresa_id = (SELECT current_setting('enlace.empresa_id', true))
        OR (SELECT current_setting('enlace.alcance', true)) = 'todas');
