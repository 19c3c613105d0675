// The history of a report, drawn down a line: what was asked, searched, found, told and answered.
import { foreign, h } from "../lib/dom.js";
import { FASES } from "../lib/states.js";
import { count, instant, number } from "../lib/time.js";

const ACTIONS = {
  "activar-reporte": "activó el reporte",
  "desactivar-reporte": "desactivó el reporte",
  "notificar-coincidencia": "una coincidencia",
  "busqueda-finalizada": "el fin de la búsqueda histórica",
};

const words = (moment) => ACTIONS[moment.accion] ?? moment.accion;

// What each kind of moment says, and its mark on the line.
const KINDS = {
  solicitud: (m) => ["plataforma", ["La plataforma: ", foreign(words(m))]],
  envio: (m) => ["envio", ["Enlace avisó: ", foreign(words(m))]],
  busqueda: (m) => ["busqueda", [`Búsqueda en ${count(m.registros, "registro", "registros")}: ${count(m.coincidencias, "coincidencia", "coincidencias")}`]],
  coincidencia: (m) => ["hallazgo", ["Coincidencia hallada", m.recurso ? [": ", foreign(m.recurso)] : null]],
  resincronizacion: (m) => ["comparacion", ["Comparación con la plataforma: ", foreign(words(m))]],
  cambio: (m) => ["cambio", [foreign(m.actor), ": ", foreign(words(m))]],
};

// historia draws the moments in their order, which is that of time.
export function historia(moments) {
  if (moments.length === 0) return h("p", { class: "vacio" }, "Todavía no ha pasado nada.");
  const begun = new Set();
  return h("ol", { class: "historia" }, moments.map((moment, at) => step(moment, moments[at - 1], begun)));
}

// step is a moment, with the pause before it and the phase that begins with it.
function step(moment, before, begun) {
  const [mark, said] = (KINDS[moment.tipo] ?? ((m) => ["cambio", [foreign(m.accion)]]))(moment);
  const refused = moment.status >= 300;
  const phase = FASES[moment.fase_busqueda];
  const cycle = `${moment.ciclo} ${phase}`;
  const begins = phase && !begun.has(cycle);
  begun.add(cycle);
  return [
    before ? gap(Date.parse(moment.ocurrido_en) - Date.parse(before.ocurrido_en)) : null,
    begins ? h("li", { class: "fase" }, h("span", {}, `Fase ${phase}`)) : null,
    h("li", { class: `momento ${mark}${refused ? " rechazado" : ""}` },
      h("p", {}, said),
      h("p", { class: "tenue" }, instant(moment.ocurrido_en), phase ? ` · fase ${moment.fase_busqueda}` : "", answerText(moment), moment.motivo ? [" · ", foreign(moment.motivo)] : null)),
  ];
}

function answerText({ status, duracion_ms: took }) {
  if (!status) return "";
  return took === null || took === undefined ? ` · respuesta ${status}` : ` · respuesta ${status} en ${number(took)} ms`;
}

const UNITS = [[86_400_000, "día", "días"], [3_600_000, "hora", "horas"], [60_000, "minuto", "minutos"]];

// gap tells of a pause of a minute or more.
function gap(milliseconds) {
  const unit = UNITS.find(([length]) => milliseconds >= length);
  if (!unit) return null;
  const [length, one, many] = unit;
  return h("li", { class: "hueco tenue" }, `${count(Math.floor(milliseconds / length), one, many)} después`);
}
