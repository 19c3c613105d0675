-- +goose Up

-- Since when an operator keeps the institution's deliveries back; NULL: they go out.
ALTER TABLE empresas ADD COLUMN entrega_pausada_en timestamptz;

-- The history of one Reporte.
CREATE INDEX bitacora_reporte_idx ON bitacora (empresa_id, reporte_id, ocurrido_en, id) WHERE reporte_id IS NOT NULL;
