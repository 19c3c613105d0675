-- +goose NO TRANSACTION
-- Indexes are built beside the writes. What a broken-off migration left is made anew.

-- +goose Up

-- Tokens of operators that were voided before their hour was over, swept by a job.
CREATE TABLE IF NOT EXISTS tokens_anulados (
    token      text COLLATE "C" NOT NULL,
    anulado_en timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT tokens_anulados_pkey PRIMARY KEY (token),
    CONSTRAINT tokens_anulados_token_check CHECK (length(token) BETWEEN 1 AND 64)
);
CREATE INDEX IF NOT EXISTS tokens_anulados_anulado_idx ON tokens_anulados (anulado_en);
ALTER TABLE tokens_anulados ENABLE ROW LEVEL SECURITY;
ALTER TABLE tokens_anulados FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tokens_anulados_tenant ON tokens_anulados;
CREATE POLICY tokens_anulados_tenant ON tokens_anulados
    USING (current_setting('enlace.alcance', true) = 'todas')
    WITH CHECK (current_setting('enlace.alcance', true) = 'todas');

-- No two operators have names that differ in capitals alone: the Bitácora names who acted.
DROP INDEX CONCURRENTLY IF EXISTS usuarios_minusculas_key;
CREATE UNIQUE INDEX CONCURRENTLY usuarios_minusculas_key ON usuarios (lower(usuario));
ALTER TABLE usuarios DROP CONSTRAINT IF EXISTS usuarios_usuario_check;
ALTER TABLE usuarios ADD CONSTRAINT usuarios_usuario_check CHECK (usuario ~ '^[A-Za-z0-9._-]{1,64}$' AND usuario <> 'PUI');

-- What operators reset of each other, which is next to nothing beside all else.
DROP INDEX CONCURRENTLY IF EXISTS bitacora_restablecimientos_idx;
CREATE INDEX CONCURRENTLY bitacora_restablecimientos_idx ON bitacora (empresa_id, ocurrido_en)
    WHERE accion IN ('usuario_clave', 'usuario_totp_desactivado');
