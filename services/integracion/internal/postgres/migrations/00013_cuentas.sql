-- +goose Up

-- An operator who left keeps the name, which nobody gets again. A second factor that is being
-- enrolled waits beside the one that counts, until a code confirms it.
ALTER TABLE usuarios
    ADD COLUMN baja_en timestamptz,
    ADD COLUMN totp_nuevo bytea,
    ADD COLUMN totp_nuevo_llave text,
    ADD CONSTRAINT usuarios_totp_nuevo_check CHECK ((totp_nuevo IS NULL) = (totp_nuevo_llave IS NULL));

-- Recovery codes that were not used yet, as keyed hashes.
CREATE TABLE usuario_recuperaciones (
    usuario text COLLATE "C" NOT NULL,
    huella  bytea NOT NULL,
    CONSTRAINT usuario_recuperaciones_pkey PRIMARY KEY (usuario, huella),
    CONSTRAINT usuario_recuperaciones_usuario_fkey FOREIGN KEY (usuario) REFERENCES usuarios (usuario),
    CONSTRAINT usuario_recuperaciones_huella_check CHECK (octet_length(huella) = 32)
);
ALTER TABLE usuario_recuperaciones ENABLE ROW LEVEL SECURITY;
ALTER TABLE usuario_recuperaciones FORCE ROW LEVEL SECURITY;
CREATE POLICY usuario_recuperaciones_tenant ON usuario_recuperaciones
    USING (current_setting('enlace.alcance', true) = 'todas')
    WITH CHECK (current_setting('enlace.alcance', true) = 'todas');
