-- +goose Up

-- A seal that does not continue the chain spoils an institution's evidence for good, so the
-- application's role adds none: this owner's function does, once it has chained the entries itself.
-- It writes them as [bitacora.Asiento.Textos] does.

-- bitacora_json is the one way in which JSON is chained: names in order of their bytes, no spaces,
-- numbers as the shortest that are the same float.
-- +goose StatementBegin
CREATE FUNCTION bitacora_json(dato jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
DECLARE
    corto text;
BEGIN
    CASE jsonb_typeof(dato)
    WHEN 'object' THEN
        RETURN '{' || coalesce((
            SELECT string_agg(public.bitacora_json(to_jsonb(key)) || ':' || public.bitacora_json(value), ',' ORDER BY key COLLATE "C")
            FROM jsonb_each(dato)), '') || '}';
    WHEN 'array' THEN
        RETURN '[' || coalesce((
            SELECT string_agg(public.bitacora_json(value), ',' ORDER BY n) FROM jsonb_array_elements(dato) WITH ORDINALITY AS e (value, n)), '') || ']';
    WHEN 'string' THEN
        RETURN replace(replace(dato::text, chr(8232), '\u2028'), chr(8233), '\u2029');
    WHEN 'number' THEN
        corto := (dato::text::float8)::text;
        IF corto::numeric = 0 OR abs(corto::numeric) >= 1e-6 AND abs(corto::numeric) < 1e21 THEN
            RETURN trim_scale(corto::numeric)::text;
        END IF;
        RETURN regexp_replace(corto, 'e-0', 'e-');
    ELSE
        RETURN dato::text;
    END CASE;
END $$;
-- +goose StatementEnd

-- bitacora_sellar adds the seal of entries that wait for it, from a number on, in the order of their
-- times, and takes them from those that wait.
-- +goose StatementBegin
CREATE FUNCTION bitacora_sellar(empresa text, numero bigint, ids uuid[], llega_a bytea) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    cadena    bytea;
    ultimo    bigint;
    siguiente bigint := numero;
    asiento   record;
    texto     text;
BEGIN
    -- The owner is held by no policy in a cluster.
    IF empresa IS DISTINCT FROM current_setting('enlace.empresa_id', true) THEN
        RAISE EXCEPTION 'a seal of another institution' USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('bitacora/' || empresa, 0));
    SELECT s.hash, s.ultimo INTO cadena, ultimo FROM public.bitacora_sellos s
    WHERE s.empresa_id = empresa ORDER BY s.primero DESC LIMIT 1;
    IF numero IS DISTINCT FROM coalesce(ultimo, 0) + 1 THEN
        RAISE EXCEPTION 'a seal that does not continue the chain' USING ERRCODE = 'check_violation';
    END IF;
    cadena := coalesce(cadena, decode(repeat('00', 32), 'hex'));
    FOR asiento IN
        SELECT b.* FROM public.bitacora b JOIN public.bitacora_por_sellar p ON p.empresa_id = b.empresa_id AND p.id = b.id
        WHERE b.empresa_id = empresa AND b.id = ANY (ids) ORDER BY b.ocurrido_en, b.id
    LOOP
        IF asiento.id IS DISTINCT FROM ids[siguiente - numero + 1] THEN
            RAISE EXCEPTION 'a seal of entries in another order' USING ERRCODE = 'check_violation';
        END IF;
        cadena := cadena || convert_to(octet_length(convert_to(siguiente::text, 'UTF8')) || ':' || siguiente, 'UTF8');
        FOREACH texto IN ARRAY ARRAY[
            asiento.id::text, to_char(asiento.ocurrido_en AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), asiento.empresa_id,
            asiento.tipo, asiento.accion, asiento.actor, coalesce(asiento.request_id, ''), coalesce(asiento.reporte_id, ''),
            coalesce(asiento.recurso, ''), coalesce(nullif(asiento.status, 0)::text, ''), coalesce(asiento.motivo, ''),
            coalesce(nullif(asiento.duracion_ms, 0)::text, ''), coalesce(encode(asiento.curp_huella, 'hex'), ''),
            CASE WHEN jsonb_typeof(asiento.datos) = 'null' THEN '{}' ELSE public.bitacora_json(asiento.datos) END]
        LOOP
            cadena := cadena || convert_to(octet_length(convert_to(texto, 'UTF8')) || ':' || texto, 'UTF8');
        END LOOP;
        cadena := sha256(cadena);
        siguiente := siguiente + 1;
    END LOOP;
    IF siguiente = numero OR siguiente - numero <> cardinality(ids) OR cadena IS DISTINCT FROM llega_a THEN
        RAISE EXCEPTION 'a seal that is not of these entries' USING ERRCODE = 'check_violation';
    END IF;
    INSERT INTO public.bitacora_sellos (empresa_id, primero, ultimo, asientos, hash) VALUES (empresa, numero, siguiente - 1, ids, cadena);
    DELETE FROM public.bitacora_por_sellar WHERE empresa_id = empresa AND id = ANY (ids);
END $$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION bitacora_sellar(text, bigint, uuid[], bytea) FROM PUBLIC;
