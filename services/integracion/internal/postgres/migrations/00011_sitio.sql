-- +goose Up

-- Where an event took place that does not say so itself: {"descripcion", "direccion": {…}}.
ALTER TABLE empresas ADD COLUMN sitio jsonb;
