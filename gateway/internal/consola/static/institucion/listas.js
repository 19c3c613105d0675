// What the three lists show of their rows (contract.md 4.3).
import { coded, counted, dated, phase, state, text, timed, WIDE } from "../lib/columns.js";
import { button, foreign } from "../lib/dom.js";
import { FASES, stateName } from "../lib/states.js";

const nameOf = (row) => [row.nombre, row.primer_apellido, row.segundo_apellido].filter(Boolean).join(" ");

export const CASOS = {
  title: "Casos", list: "casos", file: "casos", one: "caso", many: "casos", day: "abierto_en", dayLabel: "Abierto",
  empty: "Ningún reporte ha llegado todavía. Un caso se abre cuando la plataforma busca a una persona.",
  filters: [["estado", "Estado"], ["finalizacion", "Término"]],
  fields: ["id", "reporte_id", "curp", "nombre", "primer_apellido", "segundo_apellido", "fecha_nacimiento", "lugar_nacimiento", "sexo_asignado", "fecha_desaparicion", "estado", "finalizacion", "coincidencias", "abierto_en", "busqueda_finalizada_en", "cerrado_en", "actualizado_en"],
  columns: [
    coded("curp", "CURP", { width: "minmax(10.75rem, 1fr)" }),
    text("nombre", "Nombre", { ...WIDE, cell: (row) => foreign(nameOf(row)), sort: nameOf, width: "minmax(8rem, 1.8fr)" }),
    state("estado", "Estado", { width: "minmax(7rem, .6fr)" }),
    counted("coincidencias", "Coincidencias", { ...WIDE, width: "minmax(9.25rem, .4fr)" }),
    dated("fecha_desaparicion", "Desaparición", { ...WIDE, width: "minmax(8.5rem, .6fr)" }),
    state("finalizacion", "Término", { ...WIDE, width: "minmax(7rem, .6fr)" }),
    timed("abierto_en", "Abierto", { ...WIDE, width: "minmax(10.25rem, .8fr)" }),
  ],
  details: [
    coded("curp", "CURP"), text("nombre", "Nombre", { cell: (row) => foreign(nameOf(row)) }), state("estado", "Estado"),
    dated("fecha_nacimiento", "Fecha de nacimiento"), text("lugar_nacimiento", "Lugar de nacimiento"), text("sexo_asignado", "Sexo asignado"),
    dated("fecha_desaparicion", "Fecha de desaparición"), counted("coincidencias", "Coincidencias"),
    state("finalizacion", "Aviso de que la búsqueda histórica terminó"), timed("abierto_en", "Abierto"),
    timed("busqueda_finalizada_en", "La plataforma supo que terminó"), timed("cerrado_en", "Cerrado"), timed("actualizado_en", "Último cambio"),
    coded("reporte_id", "Reporte de la plataforma"), coded("id", "Caso"),
  ],
  heading: (row) => ["Caso de ", foreign(nameOf(row) || row.curp)],
  actions: (row, go) => button("Ver sus coincidencias", () => go("/coincidencias", { search: row.id })),
};

export const COINCIDENCIAS = {
  title: "Coincidencias", list: "coincidencias", file: "coincidencias", one: "coincidencia", many: "coincidencias", day: "detectada_en", dayLabel: "Detectada",
  empty: "Todavía no hay coincidencias. Enlace las busca y las notifica a la plataforma por sí mismo.",
  filters: [["estado", "Estado"], ["fase_busqueda", "Fase", FASES]],
  fields: ["id", "caso_id", "reporte_id", "curp", "folio", "fase_busqueda", "tipo_evento", "fecha_evento", "estado", "detectada_en", "notificada_en", "detalle"],
  columns: [
    coded("folio", "Folio", { width: "minmax(7rem, 1.1fr)" }),
    coded("curp", "CURP", { ...WIDE, width: "minmax(10.75rem, 1fr)" }),
    state("estado", "Estado", { width: "minmax(7rem, .8fr)" }),
    phase("fase_busqueda", "Fase", { ...WIDE, width: "minmax(9.25rem, .8fr)" }),
    text("tipo_evento", "Tipo de evento", { ...WIDE, width: "minmax(8.5rem, 1.6fr)" }),
    dated("fecha_evento", "Evento", { ...WIDE, width: "minmax(7rem, .8fr)" }),
    timed("notificada_en", "Notificada", { ...WIDE, width: "minmax(10.5rem, 1fr)" }),
  ],
  details: [
    coded("folio", "Folio"), coded("curp", "CURP"), state("estado", "Estado"), text("detalle", "Qué dijo la plataforma, o por qué espera"),
    phase("fase_busqueda", "Fase"), text("tipo_evento", "Tipo de evento"),
    dated("fecha_evento", "Fecha del evento"), timed("detectada_en", "Detectada"), timed("notificada_en", "Notificada"),
    coded("reporte_id", "Reporte de la plataforma"), coded("caso_id", "Caso"), coded("id", "Coincidencia"),
  ],
  heading: (row) => ["Coincidencia del folio ", foreign(row.folio)],
  actions: (row, go) => button("Ver su caso", () => go("/casos", { search: row.caso_id })),
};

export const AVISOS = {
  title: "Avisos", list: "avisos", file: "avisos", one: "aviso", many: "avisos", day: "recibido_en", dayLabel: "Recibido",
  note: "Los 50 más nuevos que llegaron de la plataforma.",
  empty: "La plataforma no ha enviado ningún aviso todavía.",
  filters: [["tipo", "Tipo"]],
  fields: ["id", "reporte_id", "tipo", "curp", "recibido_en"],
  columns: [
    state("tipo", "Tipo", { width: "minmax(8rem, .6fr)" }),
    coded("curp", "CURP", { ...WIDE, width: "minmax(12.5rem, 1fr)" }),
    timed("recibido_en", "Recibido", { width: "minmax(10rem, 1fr)" }),
    coded("reporte_id", "Reporte de la plataforma", { ...WIDE, width: "minmax(16rem, 2fr)" }),
  ],
  details: [state("tipo", "Tipo"), coded("curp", "CURP"), timed("recibido_en", "Recibido"), coded("reporte_id", "Reporte de la plataforma"), coded("id", "Aviso")],
  heading: (row) => ["Aviso: ", foreign(stateName(row.tipo))],
  actions: (row, go) => button("Ver su caso", () => go("/casos", { search: row.reporte_id })),
};
