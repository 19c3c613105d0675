-- +goose Up

-- A folio is the institution's text and may be the person's CURP: what a Coincidencia told goes
-- without it too. Unique it stays, by its revision.
SELECT set_config('enlace.alcance', 'todas', true);
UPDATE coincidencias SET folio = '' WHERE curp = 'XXXXXXXXXXXXXXXXXX' AND folio <> '';
