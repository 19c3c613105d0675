-- +goose Up

-- What an institution is shown: the newest real notices and the newest of tests, of which
-- either kind may be many more than the other.
CREATE INDEX avisos_reales_idx ON avisos (empresa_id, id) WHERE tipo <> 'activacion_prueba';
CREATE INDEX avisos_pruebas_idx ON avisos (empresa_id, id) WHERE tipo = 'activacion_prueba';
