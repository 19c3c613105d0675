// The reports of an institution, and one of them with all that is its.
import { act } from "../lib/act.js";
import { coded, counted, details, phase, state, text, timed } from "../lib/columns.js";
import { button, foreign, h } from "../lib/dom.js";
import { drawn, Followed, followedView } from "../lib/followed.js";
import { badge } from "../lib/states.js";
import { instant, number } from "../lib/time.js";
import { historia } from "./historia.js";
import { coincidenciasPath, reportePath } from "./rutas.js";

const SHOWN = 10;

// reportes shows the newest reports of an institution; each opens its own page.
export function reportes(rows, open) {
  if (rows.length === 0) return h("p", { class: "vacio" }, "Ningún reporte todavía.");
  const row = (each) => h("tr", {},
    h("th", { scope: "row" }, button(each.reporte_id, () => open(each.reporte_id), { class: "enlace clave" })),
    h("td", {}, badge(each.estado)), h("td", {}, each.caso ? badge(each.caso.estado) : foreign(null)), h("td", {}, instant(each.activado_en)),
    h("td", {}, each.caso ? `${number(each.caso.notificadas)} avisadas, ${number(each.caso.pendientes)} en espera, ${number(each.caso.rechazadas)} rechazadas` : foreign(null)));
  return h("div", {}, h("div", { class: "desliza", role: "region", "aria-label": "Reportes de la institución", tabindex: 0 }, h("table", { class: "llana" },
    h("thead", {}, h("tr", {}, ["Reporte", "Estado", "Caso", "Activado", "Coincidencias"].map((each) => h("th", { scope: "col" }, each)))),
    h("tbody", {}, rows.slice(0, SHOWN).map(row)))), rows.length > SHOWN ? h("p", { class: "tenue" }, `Los ${SHOWN} más nuevos de ${number(rows.length)}.`) : null);
}

// reporte is the page of one report.
export function reporte(session, page, start) {
  session.reporte = start ?? session.reporte;
  const { id, reporteId } = session.reporte ?? {};
  const source = new Followed(session.client, reportePath(id, reporteId));
  const body = drawn([source], (data) => expediente(data, (route) => retry(session, route, () => source.refresh())));
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

const HALLAZGO = [coded("folio", "Folio"), phase("fase_busqueda", "Fase"), state("estado", "Estado"), timed("detectada_en", "Hallada"), timed("notificada_en", "Avisada"), text("detalle", "Detalle"), counted("ciclo", "Ciclo")];

// retry tells the platform again of what it refused.
function retry(session, route, load) {
  act({
    title: "Avisar otra vez", verb: "Avisar", done: "Vuelve a salir.", text: "Enlace lo avisa otra vez a la plataforma. Corrija antes lo que la hizo rechazarlo.",
    doing: async () => {
      await session.client.post(route);
      load();
    },
  });
}

// expediente is one report with its cycles, its line and its matches; again(route) is offered for
// what the platform refused.
export function expediente(data, again) {
  const retryOf = (row) => again && row.estado === "rechazada" && button("Avisar otra vez", () => again(`${coincidenciasPath(data.id_empresa)}/${encodeURIComponent(row.id)}/reintentar`));
  const retryEnd = (row) => again && row.caso?.finalizacion === "rechazada" && h("div", { class: "acciones" }, button("Avisar otra vez del fin", () => again(`${reportePath(data.id_empresa, data.reporte_id)}/reintentar-fin`)));
  return [
    h("section", {}, h("h2", {}, "Historia"), h("div", { class: "tarjeta" }, historia(data.historia))),
    h("section", {}, h("h2", {}, "Coincidencias"), data.coincidencias.length === 0 ? h("p", { class: "vacio" }, "Ninguna.") : h("div", { class: "desliza", role: "region", "aria-label": "Coincidencias del reporte", tabindex: 0 }, h("table", { class: "llana" },
      h("thead", {}, h("tr", {}, HALLAZGO.map((each) => h("th", { scope: "col" }, each.label)), h("td", {}))),
      h("tbody", {}, data.coincidencias.map((row) => h("tr", {}, HALLAZGO.map((each) => h("td", {}, each.cell(row))), h("td", {}, retryOf(row)))))))),
    h("section", {}, h("h2", {}, "Ciclos"), data.ciclos.map((row) => h("div", { class: "tarjeta" }, h("h3", {}, `Ciclo ${row.ciclo}`), details(row, CICLO), retryEnd(row)))),
  ];
}
