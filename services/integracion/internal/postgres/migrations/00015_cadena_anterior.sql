-- +goose Up

-- What was written before there was a chain comes first in it. In a transaction of its own,
-- since the trigger's is in nobody's way then.
SELECT set_config('enlace.alcance', 'todas', true);
INSERT INTO bitacora_por_sellar (empresa_id, id) SELECT empresa_id, id FROM bitacora ON CONFLICT DO NOTHING;
