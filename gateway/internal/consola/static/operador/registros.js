// A person's right to see what an institution keeps of them, and to have it erased.
import { act } from "../lib/act.js";
import { coded, counted, dated, details, text, timed, WIDE } from "../lib/columns.js";
import { openDialog } from "../lib/dialog.js";
import { button, field, foreign, h, replace, select } from "../lib/dom.js";
import { listOf } from "../lib/lista.js";
import { actions } from "../lib/parts.js";
import { problemCard } from "../lib/problem.js";
import { count } from "../lib/time.js";
import { announce } from "../shell.js";
import { DATES, FIELDS } from "../files/fields.js";

const REGISTROS = {
  title: "Registros de una persona", file: "registros", one: "registro", many: "registros", asked: true, search: "Entre los hallados",
  empty: "La institución no guarda ninguno.",
  filters: [],
  fields: [...FIELDS.map(({ name }) => name), "creado_en", "actualizado_en", "notificadas"],
  columns: [
    coded("folio", "Folio", { width: "minmax(8.5rem, 1fr)" }), dated("fecha_evento", "Evento", { width: "minmax(7.5rem, .7fr)" }),
    text("tipo_evento", "Qué ocurrió", { ...WIDE, width: "minmax(8rem, 1.6fr)" }), coded("curp", "CURP", { ...WIDE, width: "minmax(12rem, 1fr)" }),
    timed("actualizado_en", "Último cambio", { ...WIDE, width: "minmax(10.25rem, .9fr)" }),
    counted("notificadas", "Avisadas", { ...WIDE, width: "minmax(7rem, .5fr)" }),
  ],
};

const KEPT = [timed("creado_en", "Creado"), timed("actualizado_en", "Último cambio"), counted("notificadas", "Coincidencias avisadas")];

// Hallados are the records of the last question. Every question is a line in the Bitácora, so it
// is asked when somebody asks, and not again by itself.
class Hallados extends EventTarget {
  rows = null;
  readAt = null;
  fault = null;
  asked = null;

  constructor(client, id) {
    super();
    Object.assign(this, { client, id });
  }

  async ask(by) {
    this.asked = { id_empresa: this.id, ...by };
    await this.refresh();
  }

  async refresh() {
    await this.#try(async () => {
      const { data } = await this.client.post("/operador/registros/buscar", this.asked);
      this.rows = data.map(({ campos, ...row }) => ({ ...row, ...Object.fromEntries(campos.map(({ campo, valor }) => [campo, valor])) }));
      this.readAt = new Date();
      this.dispatchEvent(new Event("rows"));
    });
  }

  // counted gives what erasing would erase, or nothing if that is refused.
  counted(of) {
    return this.#try(() => this.erase(of, true));
  }

  async erase(of, simular = false) {
    return (await this.client.post("/operador/registros/borrar", { id_empresa: this.id, ...of, simular })).data;
  }

  async #try(doing) {
    let done;
    this.fault = null;
    try {
      done = await doing();
    } catch (fault) {
      this.fault = fault;
    }
    this.dispatchEvent(new Event("state"));
    return done;
  }
}

export function registros(session, page, start) {
  session.shown = start?.id ?? session.shown;
  const source = new Hallados(session.client, session.shown);
  const note = [h("a", { href: "#/institucion" }, "← La institución"), " · Lo que ", foreign(session.shown), " guarda de una persona, para que lo vea o se borre. ",
    "Queda en la Bitácora quién preguntó."];
  return listOf({ ...REGISTROS, note, above: () => question(source), open: (row) => show(source, row) }, source, page);
}

function question(source) {
  const by = select([["curp", "CURP"], ["folio", "Folio"]], "curp");
  const value = h("input", { required: true, autocapitalize: "characters", autocomplete: "off", spellcheck: "false", class: "clave" });
  const submit = h("button", { type: "submit", class: "principal" }, "Buscar");
  const [told, all] = [h("div", { class: "vista" }), h("div", { class: "acciones" })];
  source.addEventListener("state", () => {
    replace(told, source.fault && problemCard(source.fault));
    replace(all, !source.fault && eraseAll(source));
  });
  const search = async (event) => {
    event.preventDefault();
    submit.disabled = true;
    replace(told);
    await source.ask({ [by.value]: value.value.trim() });
    submit.disabled = false;
    if (!source.fault) announce(count(source.rows.length, "registro", "registros"));
  };
  return [h("form", { class: "barra", submit: search }, field("Por", by), field("CURP o folio", value), submit, all), told];
}

const eraseAll = (source) => source.rows?.length > 0 && button(`Borrar ${count(source.rows.length, "registro", "registros")}`, () => erase(source, source.asked), { class: "grave" });

// show is one record with every field that was given.
function show(source, row) {
  const given = FIELDS.filter(({ name }) => row[name]).map(({ name, label }) => cellOf(name)(name, label));
  const dialog = openDialog(["Registro ", foreign(row.folio)], details(row, [...given, ...KEPT]),
    actions(button("Borrar este registro", () => {
      dialog.close();
      erase(source, { folio: row.folio });
    }, { class: "grave" })));
}

function cellOf(name) {
  if (DATES.includes(name)) return dated;
  return ["folio", "curp"].includes(name) ? coded : text;
}

// erase says first what would go.
async function erase(source, of) {
  const would = await source.counted(of);
  if (!would) return;
  const { registros: rows, coincidencias: matches } = would;
  const told = matches === 0 ? "Nada de esto se avisó." : `También se borra lo dicho en ${count(matches, "coincidencia", "coincidencias")}: quedan la huella de la persona y el instante.`;
  act({
    title: `Borrar ${count(rows, "registro", "registros")}`, verb: "Borrar", grave: true, done: "Los registros quedaron borrados.", text: `${told} No se puede deshacer.`,
    doing: async () => {
      await source.erase(of);
      await source.refresh();
    },
  });
}
