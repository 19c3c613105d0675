-- +goose Up

-- When the personal data of a closed Caso and its Coincidencias was removed. What stays is
-- ids, times, counts and states; the CURP becomes eighteen X, which is nobody's.
ALTER TABLE casos
    ADD COLUMN depurado_en timestamptz,
    ADD CONSTRAINT casos_depurado_check CHECK (depurado_en IS NULL OR estado = 'cerrado');
CREATE INDEX casos_por_depurar_idx ON casos (cerrado_en) WHERE estado = 'cerrado' AND depurado_en IS NULL;

-- Finds the oldest events; it costs a write next to nothing.
CREATE INDEX registros_fecha_evento_idx ON registros USING brin (fecha_evento);
