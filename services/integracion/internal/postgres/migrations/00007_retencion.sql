-- +goose Up

-- When the personal data of a deactivated Reporte was removed. What stays is ids, times,
-- states and the keyed hash; the CURP becomes eighteen X, which is nobody's.
ALTER TABLE reportes
    ADD COLUMN depurado_en timestamptz,
    ADD CONSTRAINT reportes_depurado_check CHECK (depurado_en IS NULL OR estado = 'desactivado');
CREATE INDEX reportes_por_depurar_idx ON reportes (desactivado_en) WHERE estado = 'desactivado' AND depurado_en IS NULL;
CREATE INDEX avisos_por_depurar_idx ON avisos (recibido_en) WHERE curp <> 'XXXXXXXXXXXXXXXXXX';

-- An Aviso is never changed, but for its CURP, which may become this and nothing else. A policy
-- for each command and none for all: those of one row count together, and a cluster takes a
-- restrictive one for one more that permits.
DROP POLICY avisos_tenant ON avisos;
CREATE POLICY avisos_lectura ON avisos FOR SELECT
    USING (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas');
CREATE POLICY avisos_alta ON avisos FOR INSERT
    WITH CHECK (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas');
CREATE POLICY avisos_depurar ON avisos FOR UPDATE
    USING (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas')
    WITH CHECK (curp = 'XXXXXXXXXXXXXXXXXX'
        AND (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas'));
