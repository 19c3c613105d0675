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
