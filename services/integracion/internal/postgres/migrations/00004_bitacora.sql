-- +goose Up

-- The audit: what was asked of us, what we told, what operators changed. Rows are only
-- ever added; the limits of store.go take the rest from the application role. What belongs
-- to no institution has the empresa_id '-', which is no RFC and so nobody's.
CREATE TABLE bitacora (
    empresa_id  text COLLATE "C" NOT NULL,
    id          uuid        NOT NULL,
    ocurrido_en timestamptz NOT NULL DEFAULT clock_timestamp(),
    tipo        text        NOT NULL,
    accion      text        NOT NULL,
    actor       text        NOT NULL,
    request_id  text COLLATE "C",
    reporte_id  text COLLATE "C",
    -- What it was done to: a coincidencia, a key, an operator.
    recurso     text COLLATE "C",
    -- The HTTP status that was answered or received.
    status      integer,
    motivo      text,
    duracion_ms integer,
    -- HMAC of the CURP: tells which entries concern the same person, not who it is.
    curp_huella bytea,
    -- Counts and codes only, never personal data.
    datos       jsonb       NOT NULL DEFAULT '{}',
    CONSTRAINT bitacora_pkey PRIMARY KEY (empresa_id, id),
    CONSTRAINT bitacora_tipo_check CHECK (tipo IN ('solicitud', 'envio', 'resincronizacion', 'cambio')),
    CONSTRAINT bitacora_accion_check CHECK (length(accion) BETWEEN 1 AND 64),
    CONSTRAINT bitacora_curp_huella_check CHECK (octet_length(curp_huella) = 32)
);
-- What an operator reads: one institution, one period.
CREATE INDEX bitacora_ocurrido_idx ON bitacora (empresa_id, ocurrido_en, id);
ALTER TABLE bitacora ENABLE ROW LEVEL SECURITY;
ALTER TABLE bitacora FORCE ROW LEVEL SECURITY;
CREATE POLICY bitacora_tenant ON bitacora
    USING (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas')
    WITH CHECK (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas');

-- Kept with the Reporte, so that its later entries can carry it and it outlives the CURP.
ALTER TABLE reportes ADD COLUMN curp_huella bytea,
    ADD CONSTRAINT reportes_curp_huella_check CHECK (octet_length(curp_huella) = 32);
