// One institution: what it has done, what it is, and what an operator does for it.
import { act } from "../lib/act.js";
import { details, state, text, timed, coded } from "../lib/columns.js";
import { button, field, foreign, h, replace } from "../lib/dom.js";
import { problemCard } from "../lib/problem.js";
import { PASOS, showAccess } from "./empresas.js";
import { llaves } from "./llaves.js";
import { seguimiento } from "./seguimiento.js";

const FIELDS = [
  coded("id_empresa", "RFC"), state("estado", "Estado"), coded("url_base", "Dirección para el portal"), coded("institucion_id", "Como la llama la plataforma"),
  coded("pui_url", "Dirección de la plataforma"), text("sitio", "Lugar propio", { cell: (row) => foreign(row.sitio?.descripcion) }),
  timed("entrega_pausada_en", "Entregas en pausa desde"), timed("creada_en", "Alta"), text("ultimo", "Último registro", { cell: (row) => timed("ultimo_registro_en").cell(row.actividad ?? {}) }),
  text("esperan", "Coincidencias que esperan", { cell: (row) => foreign(row.actividad?.coincidencias_pendientes) }),
  text("rechazadas", "Coincidencias rechazadas", { cell: (row) => foreign(row.actividad?.coincidencias_rechazadas) }),
];

export function empresa(session, page, start) {
  session.shown = start?.id ?? session.shown;
  const id = session.shown;
  const path = `/operador/empresas/${encodeURIComponent(id)}`;
  const [title, told, body] = [h("h1", {}, "Institución"), h("div", {}), h("div", { class: "vista" })];
  const keys = llaves(session, id);
  const follows = seguimiento(session, page, id);
  const show = (row) => {
    replace(title, foreign(row.nombre));
    replace(body, steps(row), h("section", {}, h("h2", {}, "Datos"), h("div", { class: "tarjeta" }, details(row, FIELDS))), acts(session, path, row, show));
  };
  const load = async () => {
    try {
      show((await session.client.get(path)).data);
      replace(told);
    } catch (fault) {
      replace(told, problemCard(fault, button("Reintentar", load)));
    }
  };
  load();
  return { element: h("div", { class: "vista" }, h("p", {}, h("a", { href: "#/instituciones" }, "← Instituciones")), h("div", { class: "titular" }, title, h("span", { class: "clave tenue" }, foreign(id))), told, body, keys.element, follows.element) };
}

function steps({ pasos }) {
  const done = PASOS.filter(([name]) => pasos[name]).length;
  return h("section", {}, h("h2", {}, `Pasos del alta: ${done} de ${PASOS.length}`),
    h("ol", { class: "tarjeta alta" }, PASOS.map(([name, words]) => h("li", { class: pasos[name] ? "dado" : "falta-paso" }, h("span", { class: "marca-paso", "aria-hidden": true }, pasos[name] ? "✓" : "○"), words, h("span", { class: "oculto" }, pasos[name] ? ": hecho" : ": falta")))));
}

// acts are what can be done for the institution. Each is a line in the Bitácora.
function acts(session, path, row, show) {
  const simple = (title, words, verb, route) => button(title, () => act({
    title, text: words, verb, done: `${title}: hecho.`,
    doing: async () => {
      show((await session.client.post(`${path}/${route}`)).data);
      session.empresas.refresh();
    },
  }));
  const active = row.estado === "activa";
  return h("section", {}, h("h2", {}, "Qué puede hacer"), h("div", { class: "tarjeta acciones" },
    button("Cambiar los datos", () => change(session, path, row, show)),
    button("Clave de entrada nueva", () => claveEntrada(session, path)),
    button("Clave de salida", () => claveSalida(session, path, row, show)),
    row.entrega_pausada_en
      ? simple("Reanudar las entregas", "Las entregas retenidas salen otra vez, en menos de un minuto.", "Reanudar", "entregas/reanudar")
      : simple("Pausar las entregas", "Nada sale hacia la plataforma hasta que se reanuden. Nada se pierde.", "Pausar", "entregas/pausar"),
    active
      ? simple("Suspender la institución", "Sus llaves, sus tokens y sus entregas dejan de servir en el acto. Sus datos quedan.", "Suspender", "suspender")
      : simple("Reanudar la institución", "Sus llaves y sus entregas vuelven a servir.", "Reanudar", "reanudar")));
}

function change(session, path, row, show) {
  const [nombre, pui, lugar] = [h("input", { required: true, value: row.nombre }), h("input", { value: row.institucion_id ?? "" }), h("input", { value: row.sitio?.descripcion ?? "" })];
  act({
    title: "Cambiar los datos", verb: "Guardar", done: "Los datos quedaron cambiados.",
    controls: [field("Nombre", nombre), field("Como la llama la plataforma", pui), field("Lugar propio", lugar, "Dónde pasan los eventos que no dicen su lugar.")],
    doing: async () => {
      const cambio = { nombre: nombre.value.trim(), institucion_id: pui.value.trim() };
      if (lugar.value.trim() === "") cambio.quitar_sitio = Boolean(row.sitio);
      else cambio.sitio = { ...row.sitio, descripcion: lugar.value.trim() };
      show((await session.client.post(`${path}/cambiar`, cambio)).data);
      session.empresas.refresh();
    },
  });
}

function claveEntrada(session, path) {
  act({
    title: "Clave de entrada nueva", verb: "Fijar otra", done: "La clave quedó fijada.",
    text: "La plataforma deja de entrar con la anterior, hasta que la nueva se capture en su portal.",
    doing: async () => {
      const { data } = await session.client.post(`${path}/clave-entrada`, {});
      return () => showAccess(data);
    },
  });
}

function claveSalida(session, path, row, show) {
  const [url, clave] = [h("input", { type: "url", required: true, value: row.pui_url ?? "" }), h("input", { type: "password", required: true, autocomplete: "off" })];
  act({
    title: "Clave de salida", verb: "Guardar", done: "La clave quedó guardada.", text: "Con ella entra la institución a la plataforma.",
    controls: [field("Dirección de la plataforma", url), field("Clave", clave)],
    doing: async () => show((await session.client.post(`${path}/clave-salida`, { url: url.value.trim(), clave: clave.value })).data),
  });
}
