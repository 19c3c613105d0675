-- +goose Up

-- When the personal data of a deactivated Reporte was removed. What stays is ids, times,
-- states and the keyed hash; the CURP becomes eighteen X, which is nobody's.
ALTER TABLE reportes
    ADD COLUMN depurado_en timestamptz,
    ADD CONSTRAINT reportes_depurado_check CHECK (depurado_en IS NULL OR estado = 'desactivado');
CREATE INDEX reportes_por_depurar_idx ON reportes (desactivado_en) WHERE estado = 'desactivado' AND depurado_en IS NULL;
CREATE INDEX avisos_por_depurar_idx ON avisos (recibido_en) WHERE curp <> 'XXXXXXXXXXXXXXXXXX';

-- An Aviso is never changed, but for its CURP, which may become this and nothing else.
CREATE POLICY avisos_depurar ON avisos AS RESTRICTIVE FOR UPDATE
    USING (true) WITH CHECK (curp = 'XXXXXXXXXXXXXXXXXX');
