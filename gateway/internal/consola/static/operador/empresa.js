// One institution: what it has done, what it is, and what an operator does for it.
import { details, state, text, timed, coded } from "../lib/columns.js";
import { button, foreign, h } from "../lib/dom.js";
import { drawn, Followed, followedView } from "../lib/followed.js";
import { actions, section } from "../lib/parts.js";
import { acts } from "./actos.js";
import { PASOS } from "./empresas.js";
import { evidencia } from "./evidencia.js";
import { llaves } from "./llaves.js";
import { empresaPath } from "./rutas.js";
import { seguimiento } from "./seguimiento.js";

const FIELDS = [
  coded("id_empresa", "RFC"), state("estado", "Estado"), coded("url_base", "Dirección para el portal"), coded("institucion_id", "Como la llama la plataforma"),
  coded("pui_url", "Dirección de la plataforma"), text("sitio", "Lugar propio", { cell: (row) => foreign(row.sitio?.descripcion) }),
  text("tipo_evento_neutro", "Acto neutro"),
  timed("entrega_pausada_en", "Entregas en pausa desde"), timed("creada_en", "Alta"),
  text("carga", "Carga inicial terminada", { cell: (row) => timed("carga_terminada_en").cell(row.actividad ?? {}) }),
  text("ultimo", "Último registro", { cell: (row) => timed("ultimo_registro_en").cell(row.actividad ?? {}) }),
  text("esperan", "Coincidencias que esperan", { cell: (row) => foreign(row.actividad?.coincidencias_pendientes) }),
  text("rechazadas", "Coincidencias rechazadas", { cell: (row) => foreign(row.actividad?.coincidencias_rechazadas) }),
];

export function empresa(session, page, start) {
  session.shown = start?.id ?? session.shown;
  const id = session.shown;
  const source = new Followed(session.client, empresaPath(id));
  const [keys, follows] = [llaves(session, id), seguimiento(session, page, id)];
  const element = h("div", { class: "vista" },
    h("p", {}, h("a", { href: "#/instituciones" }, "← Instituciones")),
    h("div", { class: "titular" }, h("h1", {}, foreign(nameOf(session, id))), h("span", { class: "clave tenue" }, foreign(id))),
    drawn([source], (row) => [steps(row), data(row), acts(session, row, () => {
      source.refresh();
      session.empresas.refresh();
    })]),
    keys.element, follows.element,
    section("Personas, Bitácora y evidencia", actions(
      button("Ver lo que guarda de una persona", () => page.go("/institucion/registros", { id })),
      button("Ver quién hizo qué", () => page.go("/institucion/bitacora", { id })), button("Descargar la evidencia", () => evidencia(session, id)))));
  return followedView(element, [source, ...keys.sources, ...follows.sources]);
}

const nameOf = (session, id) => session.empresas.rows?.find((row) => row.id_empresa === id)?.nombre ?? id;

function data(row) {
  return section("Datos", h("div", { class: "tarjeta" }, details(row, FIELDS)));
}

function steps({ pasos }) {
  const done = PASOS.filter(([name]) => pasos[name]).length;
  return section(`Pasos del alta: ${done} de ${PASOS.length}`, h("ol", { class: "tarjeta alta" }, PASOS.map(([name, words]) => step(words, pasos[name]))));
}

function step(words, done) {
  return h("li", { class: done ? "dado" : "falta-paso" },
    h("span", { class: "marca-paso", "aria-hidden": true }, done ? "✓" : "○"), words, h("span", { class: "oculto" }, done ? ": hecho" : ": falta"));
}
