// The reports of an institution, and one of them with all that is its.
import { act } from "../lib/act.js";
import { coded, counted, details, phase, state, text, timed } from "../lib/columns.js";
import { button, foreign, h } from "../lib/dom.js";
import { drawn, Followed, followedView } from "../lib/followed.js";
import { actions, plainTable, section } from "../lib/parts.js";
import { badge } from "../lib/states.js";
import { instant, number } from "../lib/time.js";
import { historia } from "./historia.js";
import { coincidenciasPath, reportePath } from "./rutas.js";

const SHOWN = 10;

// reportes shows the newest reports of an institution; each opens its own page.
export function reportes(rows, open) {
  const row = ({ reporte_id: id, estado, caso, activado_en: since }) => [
    button(id, () => open(id), { class: "enlace clave" }), badge(estado), caso ? badge(caso.estado) : foreign(null), instant(since),
    caso ? `${number(caso.notificadas)} avisadas, ${number(caso.pendientes)} en espera, ${number(caso.rechazadas)} rechazadas` : foreign(null),
  ];
  return h("div", {},
    plainTable("Reportes de la institución", ["Reporte", "Estado", "Caso", "Activado", "Coincidencias"], rows.slice(0, SHOWN).map(row)),
    rows.length > SHOWN ? h("p", { class: "tenue" }, `Los ${SHOWN} más nuevos de ${number(rows.length)}.`) : null);
}

// reporte is the page of one report.
export function reporte(session, page, start) {
  session.reporte = start ?? session.reporte;
  const { id, reporteId } = session.reporte ?? {};
  const source = new Followed(session.client, reportePath(id, reporteId));
  const post = (dialog) => (route) => act({
    ...dialog,
    doing: async () => {
      await session.client.post(route);
      source.refresh();
    },
  });
  const body = drawn([source], (data) => [expediente(data, post(RETRY), post(SKIP)), searchAgain(session, data, () => source.refresh())]);
  return followedView(h("div", { class: "vista" },
    h("p", {}, h("a", { href: "#/institucion" }, "← La institución")),
    h("div", { class: "titular" }, h("h1", {}, "Reporte"), h("span", { class: "clave tenue largo" }, foreign(reporteId))), body), [source]);
}

const CICLO = [
  state("estado", "Estado"), timed("activado_en", "Activado"), timed("desactivado_en", "Desactivado"),
  text("caso", "Caso", { cell: (row) => (row.caso ? badge(row.caso.estado) : foreign(null)) }),
  text("fase", "Fase", { cell: (row) => (row.caso ? phase("fase").cell(row.caso) : foreign(null)) }),
  text("fin", "Fin de la búsqueda histórica", { cell: (row) => (row.caso ? badge(row.caso.finalizacion) : foreign(null)) }),
  coded("curp_huella", "Huella de la CURP"), text("observacion", "La lista de la plataforma lo contradice"),
];

const HALLAZGO = [
  coded("folio", "Folio"), phase("fase_busqueda", "Fase"), state("estado", "Estado"), timed("detectada_en", "Hallada"), timed("notificada_en", "Avisada"),
  text("detalle", "Detalle"), counted("ciclo", "Ciclo"),
];

const RETRY = {
  title: "Avisar otra vez", verb: "Avisar", done: "Vuelve a salir.", text: "Enlace lo avisa otra vez a la plataforma. Corrija antes lo que la hizo rechazarlo.",
};
const SKIP = {
  title: "Saltar", verb: "Saltar", done: "Cuenta como rechazado.",
  text: "Enlace deja de insistir: cuenta como rechazado por la plataforma, y solo se avisa otra vez si alguien lo pide.",
};

// searchAgain is offered for an active report.
function searchAgain(session, { id_empresa: id, reporte_id: reporteId, ciclos }, load) {
  const title = "Buscar otra vez";
  return ciclos[0]?.estado === "activo" && actions(button(title, () => act({
    title, verb: "Buscar", done: "Se busca otra vez.", text: "Se busca otra vez, como tras una carga tardía. Lo que ya se avisó no se repite, ni el fin de la búsqueda.",
    doing: async () => {
      await session.client.post(`${reportePath(id, reporteId)}/rebuscar`);
      load();
    },
  })));
}

// expediente is one report with its cycles, its line and its matches; again(route) is offered for
// what the platform refused, does not take or answered 300, skip(route) for what it does not take.
export function expediente(data, again, skip) {
  const answers = new Map(data.historia.filter((each) => each.tipo === "envio").map((each) => [each.coincidencia_id, each.status]));
  const route = (row, verb) => `${coincidenciasPath(data.id_empresa)}/${encodeURIComponent(row.id)}/${verb}`;
  const waits = (row) => row.estado === "pendiente" && row.detalle;
  const retryOf = (row) => again && [
    (row.estado === "rechazada" || waits(row) || row.estado === "notificada" && answers.get(row.id) === 300) &&
      button("Avisar otra vez", () => again(route(row, "reintentar"))),
    waits(row) && button("Saltar", () => skip(route(row, "saltar"))),
  ];
  const endRoute = (verb) => `${reportePath(data.id_empresa, data.reporte_id)}/${verb}-fin`;
  const retryEnd = (row) => again && row.caso?.finalizacion === "rechazada" && actions(
    button("Avisar otra vez del fin", () => again(endRoute("reintentar"))),
    button("Saltar el fin", () => skip(endRoute("saltar"))));
  return [
    section("Historia", h("div", { class: "tarjeta" }, historia(data.historia))),
    section("Coincidencias", plainTable("Coincidencias del reporte", [...HALLAZGO.map((each) => each.label), null],
      data.coincidencias.map((row) => [...HALLAZGO.map((each) => each.cell(row)), retryOf(row)]), "Ninguna.")),
    section("Ciclos", data.ciclos.map((row) => h("div", { class: "tarjeta" }, h("h3", {}, `Ciclo ${row.ciclo}`), details(row, CICLO), retryEnd(row)))),
  ];
}
