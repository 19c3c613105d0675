// The beginning: is the key good, what is going on, what needs doing.
import { act } from "../lib/act.js";
import { button, foreign, h, replace } from "../lib/dom.js";
import { badged, facts } from "../lib/parts.js";
import { badge } from "../lib/states.js";
import { clockTime, count, instant, number } from "../lib/time.js";

// A notification that waits for longer than this is worth a word to the institution, which cannot
// mend it: the operators hear of it earlier, with the alert (seguimiento/resumen.go).
const WORTH_A_WORD = { milliseconds: 3_600_000, text: "una hora" };

export function inicio(session, page) {
  const [state, todo, going] = [h("p", { class: "tenue" }), h("div", {}), h("div", { class: "cifras" })];
  const draw = () => {
    const { casos, coincidencias, avisos } = session;
    state.textContent = readText(session.lists);
    replace(todo, todoList(session, page));
    replace(going,
      figure("Casos", casos.rows, "estado", ["en_busqueda", "monitoreo", "cerrado"], (estado) => page.go("/casos", { filters: { estado } })),
      figure("Coincidencias", coincidencias.rows, "estado", ["notificada", "pendiente", "rechazada", "cancelada"], (estado) => page.go("/coincidencias", { filters: { estado } })),
      lastNotice(avisos.rows, () => page.go("/avisos")));
  };
  for (const list of session.lists) list.addEventListener("state", draw);
  draw();
  const element = h("div", { class: "vista" },
    h("div", { class: "titular" }, h("h1", {}, "Inicio"), state),
    h("section", { "aria-labelledby": "por-hacer" }, h("h2", { id: "por-hacer" }, "Qué hay que hacer"), todo),
    h("section", { "aria-labelledby": "en-marcha" }, h("h2", { id: "en-marcha" }, "Qué está pasando"), going),
    h("section", { "aria-labelledby": "llave" }, h("h2", { id: "llave" }, "La llave"), keyCard(session.ping)));
  return { element, stop: () => {
    for (const list of session.lists) list.removeEventListener("state", draw);
  } };
}

function readText(lists) {
  const times = lists.map((list) => list.readAt).filter(Boolean);
  if (times.length < lists.length) return "Leyendo…";
  return `Al corriente a las ${clockTime(new Date(Math.min(...times)))}`;
}

function keyCard(ping) {
  return h("div", { class: "tarjeta" },
    h("p", {}, badged("bien", "Sirve"), " Entró como ", h("strong", {}, foreign(ping.nombre)), "."),
    facts([["Institución", foreign(ping.id_empresa)], ["Ambiente", foreign(ping.ambiente)], ["Comprobada", instant(ping.fecha)]]));
}

// todoList tells what needs somebody, the gravest first.
function todoList({ client, casos, coincidencias, avisos, carga }, page) {
  if (!casos.rows || !coincidencias.rows || !avisos.rows || !carga.rows) return h("p", { class: "tenue" }, "Leyendo…");
  const found = [...tasks(casos.rows, coincidencias.rows, page)];
  if (!carga.rows.carga_terminada_en) {
    found.push(task("espera",
      "Su carga inicial no ha terminado: los reportes de la plataforma esperan y nada se avisa. Envíe los registros que ya tiene y, cuando estén todos, termínela.",
      "Terminar la carga inicial", () => finish(client, carga)));
  }
  const nothingYet = casos.rows.length === 0 && avisos.rows.length === 0;
  if (nothingYet) found.push(task("espera", "Todavía no llega nada de la plataforma. Mientras, envíe sus registros.", "Enviar registros", () => page.go("/enviar")));
  if (found.length === 0) {
    return h("p", { class: "tarjeta" }, badged("bien", "Nada pendiente"), " Enlace notifica por sí mismo. Envíe cada día los registros nuevos y los corregidos.");
  }
  return h("ul", { class: "tareas" }, found);
}

function finish(client, carga) {
  act({
    title: "Terminar la carga inicial", verb: "Ya están todos", done: "La carga inicial terminó.",
    text: "Enlace busca en lo que envió y avisa a la plataforma, también de las búsquedas que terminan. Lo que envíe después se busca según llegue. No se deshace.",
    doing: async () => {
      await client.post("/institucion/carga-terminada");
      carga.refresh();
    },
  });
}

function* tasks(casos, coincidencias, page) {
  const refused = coincidencias.filter((row) => row.estado === "rechazada").length;
  if (refused > 0) {
    yield task("mal",
      `La plataforma rechazó ${count(refused, "coincidencia", "coincidencias")}. Lea por qué y dígalo al operador.`,
      "Ver las rechazadas", () => page.go("/coincidencias", { filters: { estado: "rechazada" } }));
  }
  const ends = casos.filter((row) => row.finalizacion === "rechazada").length;
  if (ends > 0) {
    yield task("mal",
      `La plataforma rechazó ${count(ends, "aviso", "avisos")} de fin de búsqueda. Dígalo al operador.`,
      "Ver esos casos", () => page.go("/casos", { filters: { finalizacion: "rechazada" } }));
  }
  const late = coincidencias.filter((row) => row.estado === "pendiente" && Date.now() - Date.parse(row.detectada_en) > WORTH_A_WORD.milliseconds).length;
  if (late > 0) {
    yield task("espera",
      `${count(late, "coincidencia espera", "coincidencias esperan")} desde hace más de ${WORTH_A_WORD.text}. Enlace insiste por sí mismo; si mañana sigue así, dígalo al operador.`,
      "Ver las pendientes", () => page.go("/coincidencias", { filters: { estado: "pendiente" } }));
  }
}

function task(kind, text, action, click) {
  return h("li", { class: `tarea ${kind}` }, h("span", {}, text), button(action, click));
}

// figure counts rows by state; each state leads to its rows.
function figure(title, rows, key, states, open) {
  if (!rows) return h("div", { class: "tarjeta cifra" }, h("h3", {}, title), h("p", { class: "tenue" }, "Leyendo…"));
  const found = (state) => rows.filter((row) => row[key] === state).length;
  return h("div", { class: "tarjeta cifra" }, h("h3", {}, title), h("p", { class: "numero" }, number(rows.length)),
    h("ul", {}, states.map((state) => h("li", {}, h("button", { type: "button", class: "renglon", click: () => open(state) }, badge(state), h("span", {}, number(found(state))))))));
}

function lastNotice(rows, open) {
  const body = () => {
    if (!rows) return h("p", { class: "tenue" }, "Leyendo…");
    if (rows.length === 0) return h("p", { class: "tenue" }, "Ninguno todavía.");
    return [h("p", {}, badge(rows[0].tipo)), h("p", {}, instant(rows[0].recibido_en)), h("p", { class: "clave" }, foreign(rows[0].curp))];
  };
  return h("div", { class: "tarjeta cifra" }, h("h3", {}, "Último aviso de la plataforma"), body(), button("Ver los avisos", open, { class: "enlace" }));
}
