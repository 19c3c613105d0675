-- +goose Up

-- What is told in the place of an event that names health data; NULL: the usual text.
ALTER TABLE empresas ADD COLUMN tipo_evento_neutro text
	CONSTRAINT empresas_tipo_evento_neutro_check CHECK (length(tipo_evento_neutro) BETWEEN 1 AND 500);
