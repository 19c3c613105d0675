-- +goose Up

-- The order of writes. A Caso notes where this sequence stood when it opened: what was
-- written before belongs to its search, what comes after to its continuous phase. It must
-- not be cached, or numbers would be handed out ahead of their turn.
CREATE SEQUENCE registros_revision_seq CACHE 1;

CREATE TABLE registros (
    empresa_id     text COLLATE "C" NOT NULL,
    folio          text COLLATE "C" NOT NULL,
    id             bigint      GENERATED ALWAYS AS IDENTITY,
    curp           text COLLATE "C" NOT NULL,
    tipo_evento    text        NOT NULL,
    fecha_evento   date        NOT NULL,
    -- The optional fields, those given only; see datos.go.
    datos          jsonb       NOT NULL,
    -- SHA-256 of the content: an equal one means that nothing changed.
    huella         bytea       NOT NULL,
    revision       bigint      NOT NULL DEFAULT nextval('registros_revision_seq'),
    creado_en      timestamptz NOT NULL DEFAULT now(),
    actualizado_en timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT registros_pkey PRIMARY KEY (empresa_id, folio),
    CONSTRAINT registros_folio_check CHECK (char_length(folio) BETWEEN 1 AND 64),
    CONSTRAINT registros_curp_check CHECK (curp ~ '^[A-Z0-9]{18}$'),
    CONSTRAINT registros_tipo_evento_check CHECK (char_length(tipo_evento) BETWEEN 1 AND 500),
    CONSTRAINT registros_fecha_evento_check CHECK (fecha_evento >= DATE '1900-01-01'),
    CONSTRAINT registros_huella_check CHECK (octet_length(huella) = 32)
);

-- Every search of a Caso reads this index alone, whatever the size of the table.
CREATE INDEX registros_curp_idx ON registros (empresa_id, curp, fecha_evento);

CREATE TABLE casos (
    empresa_id             text COLLATE "C" NOT NULL,
    id                     uuid        NOT NULL,
    reporte_id             text COLLATE "C" NOT NULL,
    ciclo                  integer     NOT NULL,
    curp                   text COLLATE "C" NOT NULL,
    -- What the platform said of the person; see datos.go.
    persona                jsonb       NOT NULL,
    fecha_desaparicion     date,
    activado_en            timestamptz NOT NULL,
    -- Phase 2 looks at events from historica_desde to historica_hasta; without a
    -- disappearance date there is no phase 2.
    historica_desde        date,
    historica_hasta        date,
    -- Phase 3 tells events from this day on.
    continua_desde         date        NOT NULL,
    -- registros_revision_seq when the Caso opened, or was completed.
    corte                  bigint      NOT NULL,
    basicos_en             timestamptz,
    historica_en           timestamptz,
    finalizacion           text        NOT NULL DEFAULT 'pendiente',
    estado                 text        NOT NULL DEFAULT 'en_busqueda',
    coincidencias          integer     NOT NULL DEFAULT 0,
    abierto_en             timestamptz NOT NULL DEFAULT now(),
    busqueda_finalizada_en timestamptz,
    cerrado_en             timestamptz,
    actualizado_en         timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT casos_pkey PRIMARY KEY (empresa_id, id),
    CONSTRAINT casos_reporte_key UNIQUE (empresa_id, reporte_id, ciclo),
    CONSTRAINT casos_curp_check CHECK (curp ~ '^[A-Z0-9]{18}$'),
    CONSTRAINT casos_ciclo_check CHECK (ciclo >= 1),
    CONSTRAINT casos_historica_check CHECK (
        (historica_desde IS NULL) = (fecha_desaparicion IS NULL)
        AND (historica_hasta IS NULL) = (fecha_desaparicion IS NULL)),
    -- The states of a Caso; caso.go draws them.
    CONSTRAINT casos_estado_check CHECK (estado IN ('en_busqueda', 'monitoreo', 'cerrado')),
    CONSTRAINT casos_finalizacion_check CHECK (finalizacion IN ('pendiente', 'notificada', 'rechazada')),
    CONSTRAINT casos_cerrado_check CHECK ((estado = 'cerrado') = (cerrado_en IS NOT NULL)),
    CONSTRAINT casos_monitoreo_check CHECK (estado <> 'monitoreo' OR finalizacion <> 'pendiente'),
    CONSTRAINT casos_finalizada_check CHECK ((finalizacion = 'notificada') = (busqueda_finalizada_en IS NOT NULL)),
    CONSTRAINT casos_coincidencias_check CHECK (coincidencias >= 0)
);

-- A written Registro finds the open Casos of its CURP here.
CREATE INDEX casos_abiertos_idx ON casos (empresa_id, curp) WHERE estado <> 'cerrado';

CREATE TABLE coincidencias (
    empresa_id    text COLLATE "C" NOT NULL,
    id            uuid        NOT NULL,
    caso_id       uuid        NOT NULL,
    fase          smallint    NOT NULL,
    folio         text COLLATE "C" NOT NULL,
    -- The revision of the Registro that matched: its content, frozen below, is what is told.
    revision      bigint      NOT NULL,
    curp          text COLLATE "C" NOT NULL,
    tipo_evento   text,
    fecha_evento  date,
    datos         jsonb       NOT NULL,
    estado        text        NOT NULL DEFAULT 'pendiente',
    detectada_en  timestamptz NOT NULL DEFAULT now(),
    notificada_en timestamptz,
    detalle       text,
    CONSTRAINT coincidencias_pkey PRIMARY KEY (empresa_id, id),
    CONSTRAINT coincidencias_caso_fkey FOREIGN KEY (empresa_id, caso_id) REFERENCES casos (empresa_id, id),
    CONSTRAINT coincidencias_fase_check CHECK (fase BETWEEN 1 AND 3),
    CONSTRAINT coincidencias_evento_check CHECK (
        (fase = 1) = (tipo_evento IS NULL) AND (fase = 1) = (fecha_evento IS NULL)),
    CONSTRAINT coincidencias_estado_check CHECK (estado IN ('pendiente', 'notificada', 'rechazada', 'cancelada')),
    CONSTRAINT coincidencias_notificada_check CHECK ((estado = 'notificada') = (notificada_en IS NOT NULL))
);

-- The same content of a Registro is told once a Caso, whatever the phase that finds it.
CREATE UNIQUE INDEX coincidencias_registro_key ON coincidencias (empresa_id, caso_id, folio, revision) WHERE fase <> 1;
-- Phase 1 tells at most once.
CREATE UNIQUE INDEX coincidencias_basicos_key ON coincidencias (empresa_id, caso_id) WHERE fase = 1;
-- The delivery of a Caso takes its next one here.
CREATE INDEX coincidencias_pendientes_idx ON coincidencias (empresa_id, caso_id, fase, id) WHERE estado = 'pendiente';

-- A counter that every change of an institution's lists bumps: the ETag of the lists.
CREATE TABLE revisiones (
    empresa_id text COLLATE "C" NOT NULL,
    revision   bigint NOT NULL,
    CONSTRAINT revisiones_pkey PRIMARY KEY (empresa_id)
);

-- One random text for the life of this database: a database restored from a backup gets a
-- new one (see README), so that its revisions never repeat an earlier ETag.
CREATE TABLE instancia (
    epoca text NOT NULL,
    unica boolean NOT NULL DEFAULT true,
    CONSTRAINT instancia_pkey PRIMARY KEY (unica),
    CONSTRAINT instancia_unica_check CHECK (unica)
);
INSERT INTO instancia (epoca) VALUES (substr(replace(gen_random_uuid()::text, '-', ''), 1, 12));

-- Row-level security: without a tenant in the transaction's settings there are no rows.
-- The sub-selects make PostgreSQL read each setting once a statement, not once a row.
-- +goose StatementBegin
DO $$
DECLARE tabla text;
BEGIN
    FOREACH tabla IN ARRAY ARRAY['registros', 'casos', 'coincidencias', 'revisiones'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tabla);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tabla);
        EXECUTE format($p$CREATE POLICY %I ON %I
            USING (empresa_id = (SELECT current_setting('enlace.empresa_id', true))
                OR (SELECT current_setting('enlace.alcance', true)) = 'todas')$p$,
            tabla || '_empresa', tabla);
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP TABLE instancia, revisiones, coincidencias, casos, registros;
DROP SEQUENCE registros_revision_seq;
