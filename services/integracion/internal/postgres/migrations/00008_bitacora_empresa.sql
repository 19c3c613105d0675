-- +goose Up

-- Every entry has a reader. Entries of re-sealed secrets of operators had no institution at
-- all, not even '-', under which an operator finds them.
SELECT set_config('enlace.alcance', 'todas', true);
UPDATE bitacora SET empresa_id = '-' WHERE empresa_id = '';
ALTER TABLE bitacora ADD CONSTRAINT bitacora_empresa_check CHECK (empresa_id <> '');
