-- +goose Up

-- How many Registros an institution has: the sum of its rows. A batch adds what it creates to a row
-- that no other batch has locked, so an institution has as many rows as it had batches at once.
CREATE TABLE conteos (
    empresa_id text COLLATE "C" NOT NULL,
    id         uuid   NOT NULL,
    -- Of one row it may be negative: what one row counted another may lose.
    registros  bigint NOT NULL,
    CONSTRAINT conteos_pkey PRIMARY KEY (empresa_id, id)
);
ALTER TABLE conteos ENABLE ROW LEVEL SECURITY;
ALTER TABLE conteos FORCE ROW LEVEL SECURITY;
CREATE POLICY conteos_empresa ON conteos
    USING (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas');

-- What there is. Records that replicas of the version before add from here on are not counted.
SET LOCAL enlace.alcance = 'todas';
INSERT INTO conteos (empresa_id, id, registros)
SELECT empresa_id, gen_random_uuid(), count(*) FROM registros GROUP BY empresa_id;
