-- +goose NO TRANSACTION
-- The table is read beside the writes. What a broken-off migration left is made anew.

-- +goose Up

-- A batch that phase 3 compared with an open Caso has its row too.
ALTER TABLE busquedas
    DROP CONSTRAINT IF EXISTS busquedas_fase_check,
    ADD CONSTRAINT busquedas_fase_check CHECK (fase BETWEEN 1 AND 3) NOT VALID;
ALTER TABLE busquedas VALIDATE CONSTRAINT busquedas_fase_check;
