-- +goose Up

-- What grows with an institution may lie on another server than the institution (docs/operations.md,
-- "Beyond one database server"), and no key points from one server to another. No institution is ever deleted.
ALTER TABLE reportes DROP CONSTRAINT reportes_empresa_fkey;
ALTER TABLE avisos DROP CONSTRAINT avisos_empresa_fkey;
ALTER TABLE revisiones DROP CONSTRAINT revisiones_empresa_fkey;

-- A trigger cannot write to another table there. Who writes an entry says that its id is in the queue;
-- the trigger is for those who do not, such as the version before.
ALTER TABLE bitacora ADD COLUMN encolado boolean NOT NULL DEFAULT false;
DROP TRIGGER bitacora_encolar ON bitacora;
CREATE TRIGGER bitacora_encolar AFTER INSERT ON bitacora FOR EACH ROW
    WHEN (NOT NEW.encolado) EXECUTE FUNCTION bitacora_encolar();
