// Who did what: in an institution, or what is nobody's.
import { coded, text, timed, WIDE } from "../lib/columns.js";
import { field, foreign, h, select } from "../lib/dom.js";
import { Followed, followedView } from "../lib/followed.js";
import { listOf } from "../lib/lista.js";
import { dayOf } from "../lib/time.js";
import { empresaPath } from "./rutas.js";

const TIPOS = { solicitud: "Solicitud", envio: "Envío", resincronizacion: "Comparación", cambio: "Cambio" };
const PERIODOS = [["7", "7 días"], ["30", "30 días"], ["365", "Un año"], ["", "Todo"]];
const DAY = 86_400_000;

const tipo = (more) => text("tipo", "Tipo", { cell: (row) => foreign(TIPOS[row.tipo] ?? row.tipo), ...more });

const BITACORA = {
  file: "bitacora", one: "asiento", many: "asientos",
  empty: "Ningún asiento en este periodo.",
  filters: [["tipo", "Tipo", TIPOS]],
  sorted: { key: "ocurrido_en", descending: true },
  fields: ["id", "ocurrido_en", "id_empresa", "tipo", "accion", "actor", "request_id", "reporte_id", "recurso", "status", "motivo", "duracion_ms", "curp_huella", "datos"],
  columns: [
    coded("accion", "Qué se hizo", { width: "minmax(8.5rem, 1.6fr)" }), timed("ocurrido_en", "Cuándo", { width: "minmax(10.25rem, 1fr)" }),
    text("actor", "Quién", { ...WIDE, width: "minmax(8rem, 1fr)" }), tipo({ ...WIDE, width: "minmax(7rem, .7fr)" }),
    text("status", "HTTP", { ...WIDE, width: "minmax(5rem, .4fr)" }), text("motivo", "Cómo terminó", { ...WIDE, width: "minmax(8rem, 1.2fr)" }),
  ],
  details: [
    coded("accion", "Qué se hizo"), timed("ocurrido_en", "Cuándo"), text("actor", "Quién"), tipo(), coded("id_empresa", "Institución"), text("status", "Estado HTTP"),
    text("motivo", "Cómo terminó"), text("duracion_ms", "Milisegundos"), coded("request_id", "Solicitud"), coded("reporte_id", "Reporte"), text("recurso", "A qué"),
    coded("curp_huella", "Huella de la CURP"), coded("datos", "Datos"), coded("id", "Asiento"),
  ],
  heading: (row) => ["Asiento: ", foreign(row.accion)],
  actions: () => null,
};

// general is what concerns no institution.
export function general(session, page, start) {
  return view(session, page, {
    title: "Bitácora", path: "/operador/bitacora", dias: start?.dias, go: (dias) => page.go("/bitacora", { dias }),
    note: "Lo que no es de ninguna institución: accesos de operadores y cambios en ellos. La de una institución está en su página.",
  });
}

// ofEmpresa is that of one institution.
export function ofEmpresa(session, page, start) {
  session.shown = start?.id ?? session.shown;
  const id = session.shown;
  return view(session, page, {
    title: "Bitácora de la institución", path: `${empresaPath(id)}/bitacora`, dias: start?.dias, go: (dias) => page.go("/institucion/bitacora", { id, dias }),
    note: [h("a", { href: "#/institucion" }, "← La institución"), " · Lo que se hizo en ", foreign(id), "."],
  });
}

function view(session, page, { title, path, dias = "30", go, note }) {
  const since = dias === "" ? "" : `?desde=${dayOf(new Date(Date.now() - Number(dias) * DAY).toISOString())}`;
  const source = new Followed(session.client, path + since);
  const list = listOf({ ...BITACORA, title, note, controls: field("Periodo", select(PERIODOS, dias, go)) }, source, page);
  const followed = followedView(list.element, [source]);
  return { ...followed, stop: () => {
    followed.stop();
    list.stop();
  } };
}
