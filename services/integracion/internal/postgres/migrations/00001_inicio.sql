-- +goose Up

-- Institutions. `id` is the RFC with homoclave and the empresa_id of every other table.
-- A row whose Empresa is not known yet (a login by clave) is read with the scope 'todas'.
CREATE TABLE empresas (
    id              text COLLATE "C" NOT NULL,
    nombre          text        NOT NULL,
    institucion_id  text COLLATE "C" NOT NULL,
    estado          text        NOT NULL DEFAULT 'activa',
    -- Carried by the platform's tokens; raising it voids them.
    version         integer     NOT NULL DEFAULT 1,
    -- argon2id with a fixed salt: the clave alone finds its institution.
    clave_entrada   bytea,
    pui_url         text,
    -- AES-256-GCM, and the id of the key that opens it.
    pui_clave       bytea,
    pui_clave_llave text,
    creada_en       timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT empresas_pkey PRIMARY KEY (id),
    CONSTRAINT empresas_institucion_id_key UNIQUE (institucion_id),
    CONSTRAINT empresas_clave_entrada_key UNIQUE (clave_entrada),
    CONSTRAINT empresas_id_check CHECK (id ~ '^[A-ZÑ&]{3,4}[0-9]{6}[A-Z0-9]{3}$'),
    CONSTRAINT empresas_nombre_check CHECK (length(nombre) BETWEEN 1 AND 200),
    CONSTRAINT empresas_institucion_id_check CHECK (institucion_id ~ '^[A-Z0-9]{4,13}$'),
    CONSTRAINT empresas_estado_check CHECK (estado IN ('activa', 'suspendida')),
    CONSTRAINT empresas_version_check CHECK (version >= 1),
    CONSTRAINT empresas_clave_entrada_check CHECK (octet_length(clave_entrada) = 32),
    CONSTRAINT empresas_pui_clave_check CHECK ((pui_clave IS NULL) = (pui_clave_llave IS NULL)),
    CONSTRAINT empresas_pui_salida_check CHECK (pui_clave IS NULL OR pui_url IS NOT NULL)
);
ALTER TABLE empresas ENABLE ROW LEVEL SECURITY;
ALTER TABLE empresas FORCE ROW LEVEL SECURITY;
CREATE POLICY empresas_tenant ON empresas
    USING (id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas')
    WITH CHECK (id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas');

-- Operators belong to no institution, so no institution's transaction sees them.
CREATE TABLE usuarios (
    usuario   text COLLATE "C" NOT NULL,
    clave     text        NOT NULL,
    version   integer     NOT NULL DEFAULT 1,
    creado_en timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT usuarios_pkey PRIMARY KEY (usuario),
    CONSTRAINT usuarios_usuario_check CHECK (usuario ~ '^[A-Za-z0-9._@-]{1,64}$' AND usuario <> 'PUI'),
    CONSTRAINT usuarios_clave_check CHECK (clave LIKE '$argon2id$%'),
    CONSTRAINT usuarios_version_check CHECK (version >= 1)
);
ALTER TABLE usuarios ENABLE ROW LEVEL SECURITY;
ALTER TABLE usuarios FORCE ROW LEVEL SECURITY;
CREATE POLICY usuarios_tenant ON usuarios
    USING (current_setting('enlace.alcance', true) = 'todas')
    WITH CHECK (current_setting('enlace.alcance', true) = 'todas');

-- Wrong logins within the window of the limits: keyed hashes only, swept by a job.
CREATE TABLE logins_fallidos (
    id             bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    huella_ip      bytea       NOT NULL,
    huella_usuario bytea       NOT NULL,
    ocurrido_en    timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT logins_fallidos_pkey PRIMARY KEY (id)
);
CREATE INDEX logins_fallidos_ip_idx ON logins_fallidos (huella_ip, ocurrido_en);
CREATE INDEX logins_fallidos_usuario_idx ON logins_fallidos (huella_usuario, ocurrido_en);
CREATE INDEX logins_fallidos_ocurrido_idx ON logins_fallidos (ocurrido_en);
ALTER TABLE logins_fallidos ENABLE ROW LEVEL SECURITY;
ALTER TABLE logins_fallidos FORCE ROW LEVEL SECURITY;
CREATE POLICY logins_fallidos_tenant ON logins_fallidos
    USING (current_setting('enlace.alcance', true) = 'todas')
    WITH CHECK (current_setting('enlace.alcance', true) = 'todas');

CREATE TABLE api_keys (
    empresa_id            text COLLATE "C" NOT NULL,
    key_id                text COLLATE "C" NOT NULL,
    nombre                text        NOT NULL,
    ambitos               text[]      NOT NULL,
    prefijo               text        NOT NULL,
    secreto_sha256        bytea       NOT NULL,
    secreto_webhook       bytea,
    secreto_webhook_llave text,
    creada_en             timestamptz NOT NULL DEFAULT now(),
    caduca_en             timestamptz,
    revocada_en           timestamptz,
    ultimo_uso_en         timestamptz,
    CONSTRAINT api_keys_pkey PRIMARY KEY (empresa_id, key_id),
    -- A key is presented without its institution, so its id alone must find it.
    CONSTRAINT api_keys_key_id_key UNIQUE (key_id),
    CONSTRAINT api_keys_empresa_fkey FOREIGN KEY (empresa_id) REFERENCES empresas (id),
    CONSTRAINT api_keys_key_id_check CHECK (key_id ~ '^[A-Za-z0-9]{16,26}$'),
    CONSTRAINT api_keys_nombre_check CHECK (length(nombre) BETWEEN 1 AND 100),
    CONSTRAINT api_keys_ambitos_check CHECK (ambitos <@ ARRAY['cliente', 'eventos'] AND cardinality(ambitos) BETWEEN 1 AND 2),
    CONSTRAINT api_keys_secreto_sha256_check CHECK (octet_length(secreto_sha256) = 32),
    CONSTRAINT api_keys_secreto_webhook_check CHECK ((secreto_webhook IS NULL) = (secreto_webhook_llave IS NULL)),
    CONSTRAINT api_keys_eventos_check CHECK (('eventos' = ANY (ambitos)) = (secreto_webhook IS NOT NULL))
);
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE api_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY api_keys_tenant ON api_keys
    USING (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas')
    WITH CHECK (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas');

-- One row a cycle of a search that the platform asked for.
CREATE TABLE reportes (
    empresa_id         text COLLATE "C" NOT NULL,
    id                 uuid        NOT NULL,
    reporte_id         text COLLATE "C" NOT NULL,
    ciclo              integer     NOT NULL,
    estado             text        NOT NULL DEFAULT 'activo',
    version            integer     NOT NULL DEFAULT 1,
    curp               text COLLATE "C" NOT NULL,
    fecha_desaparicion date,
    persona            jsonb       NOT NULL,
    activado_en        timestamptz NOT NULL DEFAULT clock_timestamp(),
    desactivado_en     timestamptz,
    CONSTRAINT reportes_pkey PRIMARY KEY (empresa_id, id),
    CONSTRAINT reportes_ciclo_key UNIQUE (empresa_id, reporte_id, ciclo),
    CONSTRAINT reportes_empresa_fkey FOREIGN KEY (empresa_id) REFERENCES empresas (id),
    CONSTRAINT reportes_reporte_id_check CHECK (length(reporte_id) BETWEEN 36 AND 75),
    CONSTRAINT reportes_ciclo_check CHECK (ciclo >= 1),
    CONSTRAINT reportes_version_check CHECK (version >= 1),
    CONSTRAINT reportes_estado_check CHECK (estado IN ('activo', 'desactivado')),
    CONSTRAINT reportes_curp_check CHECK (curp ~ '^[A-Z0-9]{18}$'),
    CONSTRAINT reportes_desactivado_check CHECK ((estado = 'desactivado') = (desactivado_en IS NOT NULL))
);
-- At most one cycle of an id is active: what two activations at once race for.
CREATE UNIQUE INDEX reportes_activo_key ON reportes (empresa_id, reporte_id) WHERE estado = 'activo';
ALTER TABLE reportes ENABLE ROW LEVEL SECURITY;
ALTER TABLE reportes FORCE ROW LEVEL SECURITY;
CREATE POLICY reportes_tenant ON reportes
    USING (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas')
    WITH CHECK (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas');

-- What the platform sent, for the institution to see. Never changed; ids sort by time.
CREATE TABLE avisos (
    empresa_id  text COLLATE "C" NOT NULL,
    id          uuid        NOT NULL,
    reporte_id  text COLLATE "C" NOT NULL,
    tipo        text        NOT NULL,
    curp        text COLLATE "C",
    recibido_en timestamptz NOT NULL,
    CONSTRAINT avisos_pkey PRIMARY KEY (empresa_id, id),
    CONSTRAINT avisos_empresa_fkey FOREIGN KEY (empresa_id) REFERENCES empresas (id),
    CONSTRAINT avisos_tipo_check CHECK (tipo IN ('activacion', 'activacion_prueba', 'desactivacion')),
    CONSTRAINT avisos_curp_check CHECK (curp IS NOT NULL OR tipo = 'desactivacion')
);
ALTER TABLE avisos ENABLE ROW LEVEL SECURITY;
ALTER TABLE avisos FORCE ROW LEVEL SECURITY;
CREATE POLICY avisos_tenant ON avisos
    USING (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas')
    WITH CHECK (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas');

-- The state of an institution's list of avisos. `marca` is drawn anew with each change, so
-- that a restored database never gives an old revision to a new list.
CREATE TABLE revisiones (
    empresa_id text COLLATE "C" NOT NULL,
    revision   bigint NOT NULL,
    marca      uuid   NOT NULL,
    CONSTRAINT revisiones_pkey PRIMARY KEY (empresa_id),
    CONSTRAINT revisiones_empresa_fkey FOREIGN KEY (empresa_id) REFERENCES empresas (id)
);
ALTER TABLE revisiones ENABLE ROW LEVEL SECURITY;
ALTER TABLE revisiones FORCE ROW LEVEL SECURITY;
CREATE POLICY revisiones_tenant ON revisiones
    USING (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas')
    WITH CHECK (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas');

-- One thing to tell the platform, once: `clave` is what makes it idempotent. While
-- ocupado_hasta lies ahead an attempt is under way; past it, its process is gone.
CREATE TABLE envios (
    empresa_id    text COLLATE "C" NOT NULL,
    id            uuid        NOT NULL,
    reporte_fila  uuid        NOT NULL,
    tipo          text COLLATE "C" NOT NULL,
    clave         text COLLATE "C" NOT NULL,
    fase          text,
    estado        text        NOT NULL DEFAULT 'pendiente',
    intentos      integer     NOT NULL,
    ocupado_hasta timestamptz,
    siguiente_en  timestamptz,
    status        integer,
    motivo        text,
    detalle       text,
    creado_en     timestamptz NOT NULL DEFAULT clock_timestamp(),
    decidido_en   timestamptz,
    CONSTRAINT envios_pkey PRIMARY KEY (empresa_id, id),
    CONSTRAINT envios_clave_key UNIQUE (empresa_id, tipo, clave),
    CONSTRAINT envios_reporte_fkey FOREIGN KEY (empresa_id, reporte_fila) REFERENCES reportes (empresa_id, id),
    CONSTRAINT envios_tipo_check CHECK (tipo IN ('coincidencia', 'finalizacion')),
    CONSTRAINT envios_fase_check CHECK (CASE tipo WHEN 'coincidencia' THEN fase IN ('1', '2', '3') ELSE fase IS NULL END),
    CONSTRAINT envios_estado_check CHECK (estado IN ('pendiente', 'aceptado', 'rechazado', 'cancelado')),
    CONSTRAINT envios_intentos_check CHECK (intentos >= 1),
    CONSTRAINT envios_decidido_check CHECK ((estado = 'pendiente') = (decidido_en IS NULL)),
    CONSTRAINT envios_siguiente_check CHECK (siguiente_en IS NULL OR estado = 'pendiente')
);
-- What a deactivation cancels, and waits for.
CREATE INDEX envios_reporte_idx ON envios (empresa_id, reporte_fila);
ALTER TABLE envios ENABLE ROW LEVEL SECURITY;
ALTER TABLE envios FORCE ROW LEVEL SECURITY;
CREATE POLICY envios_tenant ON envios
    USING (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas')
    WITH CHECK (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas');

-- The history of attempts. One that never ended was cut off with its process.
CREATE TABLE envio_intentos (
    empresa_id   text COLLATE "C" NOT NULL,
    envio_id     uuid        NOT NULL,
    numero       integer     NOT NULL,
    iniciado_en  timestamptz NOT NULL DEFAULT clock_timestamp(),
    terminado_en timestamptz,
    status       integer,
    motivo       text,
    CONSTRAINT envio_intentos_pkey PRIMARY KEY (empresa_id, envio_id, numero),
    CONSTRAINT envio_intentos_envio_fkey FOREIGN KEY (empresa_id, envio_id) REFERENCES envios (empresa_id, id),
    CONSTRAINT envio_intentos_numero_check CHECK (numero >= 1),
    CONSTRAINT envio_intentos_terminado_check CHECK ((terminado_en IS NULL) = (motivo IS NULL))
);
ALTER TABLE envio_intentos ENABLE ROW LEVEL SECURITY;
ALTER TABLE envio_intentos FORCE ROW LEVEL SECURITY;
CREATE POLICY envio_intentos_tenant ON envio_intentos
    USING (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas')
    WITH CHECK (empresa_id = current_setting('enlace.empresa_id', true) OR current_setting('enlace.alcance', true) = 'todas');
