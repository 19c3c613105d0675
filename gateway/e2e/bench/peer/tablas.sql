-- The same kind of tables as registros has: rows belong to an institution, and an equal folio is the same record.
CREATE TABLE api_keys (
    hash       bytea PRIMARY KEY,
    empresa_id text NOT NULL
);
CREATE TABLE registros (
    empresa_id     text        NOT NULL,
    folio          text        NOT NULL,
    curp           text        NOT NULL,
    tipo_evento    text        NOT NULL,
    fecha_evento   date        NOT NULL,
    datos          jsonb       NOT NULL,
    creado_en      timestamptz NOT NULL DEFAULT now(),
    actualizado_en timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (empresa_id, folio)
);
CREATE INDEX ON registros (empresa_id, curp, fecha_evento);
CREATE TABLE casos (
    id             bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    empresa_id     text    NOT NULL,
    curp           text    NOT NULL,
    continua_desde date    NOT NULL,
    cerrado        boolean NOT NULL DEFAULT false
);
CREATE INDEX ON casos (empresa_id, curp) WHERE NOT cerrado;
CREATE TABLE coincidencias (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    empresa_id   text        NOT NULL,
    caso_id      bigint      NOT NULL REFERENCES casos,
    folio        text        NOT NULL,
    detectada_en timestamptz NOT NULL DEFAULT now(),
    UNIQUE (caso_id, folio)
);
