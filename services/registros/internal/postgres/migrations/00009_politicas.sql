-- +goose Up

-- The policies of row-level security, in a form that can also be spread over the workers of a
-- cluster: there a policy may have no sub-select. What it costs to read a setting for each row
-- instead of each statement is made up by plans that are shorter.
-- +goose StatementBegin
DO $$
DECLARE tabla text;
BEGIN
    FOREACH tabla IN ARRAY ARRAY['registros', 'casos', 'coincidencias', 'revisiones', 'busquedas', 'actividades', 'lotes'] LOOP
        EXECUTE format($p$ALTER POLICY %I ON %I
            USING (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas')$p$,
            tabla || '_empresa', tabla);
    END LOOP;
END $$;
-- +goose StatementEnd

-- The id of a Registro from a sequence of its own: with an identity column the table could be
-- spread over a cluster and not brought back. The role that is granted rights at the end of each
-- migration needs this one at once, for it writes meanwhile.
-- +goose StatementBegin
DO $$
DECLARE siguiente bigint;
BEGIN
    LOCK TABLE registros;
    SELECT last_value + is_called::int INTO siguiente FROM registros_id_seq;
    ALTER TABLE registros ALTER COLUMN id DROP IDENTITY;
    EXECUTE format('CREATE SEQUENCE registros_id_seq START %s OWNED BY registros.id', siguiente);
    ALTER TABLE registros ALTER COLUMN id SET DEFAULT nextval('registros_id_seq');
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'enlace_app') THEN
        GRANT USAGE ON SEQUENCE registros_id_seq TO enlace_app;
    END IF;
END $$;
-- +goose StatementEnd
