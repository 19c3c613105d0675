-- +goose Up

-- The day on which the platform registered a Reporte, of those that its list began.
ALTER TABLE reportes ADD COLUMN fecha_registro date;

-- What the platform asked for and opened no search: activations that were refused, and entries of
-- its list. `huella` is the keyed hash of what tells one from others.
CREATE TABLE reportes_sin_abrir (
    empresa_id  text COLLATE "C" NOT NULL,
    huella      bytea       NOT NULL,
    origen      text        NOT NULL,
    -- The id as it came, if it is one.
    reporte_id  text COLLATE "C",
    -- Names of fields and codes, never what was given.
    defectos    text[]      NOT NULL,
    ocurrido_en timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- When an operator reviewed it.
    revisado_en timestamptz,
    CONSTRAINT reportes_sin_abrir_pkey PRIMARY KEY (empresa_id, huella),
    CONSTRAINT reportes_sin_abrir_huella_check CHECK (octet_length(huella) = 32),
    CONSTRAINT reportes_sin_abrir_origen_check CHECK (origen IN ('activacion', 'listado')),
    CONSTRAINT reportes_sin_abrir_reporte_id_check CHECK (length(reporte_id) BETWEEN 36 AND 75)
);
-- What an operator has to review, which is next to nothing most of the time.
CREATE INDEX reportes_sin_abrir_pendientes_idx ON reportes_sin_abrir (empresa_id, ocurrido_en, huella) WHERE revisado_en IS NULL;
ALTER TABLE reportes_sin_abrir ENABLE ROW LEVEL SECURITY;
ALTER TABLE reportes_sin_abrir FORCE ROW LEVEL SECURITY;
CREATE POLICY reportes_sin_abrir_tenant ON reportes_sin_abrir
    USING (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas')
    WITH CHECK (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas');
