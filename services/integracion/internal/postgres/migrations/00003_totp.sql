-- +goose Up

-- The second factor of an operator (RFC 6238), encrypted like every secret that must be
-- readable again. totp_paso is the time step of the last code that was accepted: no code is
-- accepted twice.
ALTER TABLE usuarios
    ADD COLUMN totp_secreto bytea,
    ADD COLUMN totp_llave text,
    ADD COLUMN totp_paso bigint,
    ADD CONSTRAINT usuarios_totp_check CHECK ((totp_secreto IS NULL) = (totp_llave IS NULL)),
    ADD CONSTRAINT usuarios_totp_paso_check CHECK (totp_paso IS NULL OR totp_secreto IS NOT NULL);
