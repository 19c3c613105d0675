-- +goose Up

-- The Bitácora is chained by hash, a chain an institution and one for '-'. Who writes an entry
-- waits for nobody: its id is left here, by a trigger so that no writer can forget it, and
-- whoever seals the chain takes it away.
CREATE TABLE bitacora_por_sellar (
    empresa_id text COLLATE "C" NOT NULL,
    id         uuid NOT NULL,
    CONSTRAINT bitacora_por_sellar_pkey PRIMARY KEY (empresa_id, id)
);
ALTER TABLE bitacora_por_sellar ENABLE ROW LEVEL SECURITY;
ALTER TABLE bitacora_por_sellar FORCE ROW LEVEL SECURITY;
CREATE POLICY bitacora_por_sellar_tenant ON bitacora_por_sellar
    USING (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas')
    WITH CHECK (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas');

-- Consecutive entries of a chain and its hash after the last of them. Rows are only ever
-- added, as those of the Bitácora.
CREATE TABLE bitacora_sellos (
    empresa_id text COLLATE "C" NOT NULL,
    -- The numbers in the chain of the first and the last of asientos, which are in order.
    primero    bigint      NOT NULL,
    ultimo     bigint      NOT NULL,
    asientos   uuid[]      NOT NULL,
    hash       bytea       NOT NULL,
    sellado_en timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT bitacora_sellos_pkey PRIMARY KEY (empresa_id, primero),
    CONSTRAINT bitacora_sellos_asientos_check CHECK (ultimo >= primero AND cardinality(asientos) = ultimo - primero + 1),
    CONSTRAINT bitacora_sellos_hash_check CHECK (octet_length(hash) = 32)
);
ALTER TABLE bitacora_sellos ENABLE ROW LEVEL SECURITY;
ALTER TABLE bitacora_sellos FORCE ROW LEVEL SECURITY;
CREATE POLICY bitacora_sellos_tenant ON bitacora_sellos
    USING (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas')
    WITH CHECK (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas');

-- +goose StatementBegin
CREATE FUNCTION bitacora_encolar() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO bitacora_por_sellar (empresa_id, id) VALUES (NEW.empresa_id, NEW.id);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER bitacora_encolar AFTER INSERT ON bitacora FOR EACH ROW EXECUTE FUNCTION bitacora_encolar();
