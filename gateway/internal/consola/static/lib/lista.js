// One complete list: searched, sorted and filtered here, kept current, saved as CSV.
import { writeCSV } from "../files/csv.js";
import { announce } from "../shell.js";
import { details } from "./columns.js";
import { button, field, h, replace, select } from "./dom.js";
import { openDialog } from "./dialog.js";
import { dated, download } from "./download.js";
import { stateName } from "./states.js";
import { clockTime, count, dayOf, number } from "./time.js";
import { rowsText, VirtualTable } from "./virtual.js";

// lista makes the view of a list: title, the session's list, columns, filters and other controls, the
// fields that are saved, and what opening a row does: open(row, page), or a dialog of its details and of
// actions(row, go, act), of which go(path, start) leads elsewhere and act(doing) does something. Of a
// list that has to be asked for there is nothing to search before.
export function lista(about) {
  return (session, page, start) => listOf(about, session[about.list], page, start);
}

// listOf makes it of any source.
export function listOf(about, source, page, start) {
  return new Lista(about, source, page, start).view();
}

class Lista {
  #texts = new WeakMap(); // what is searched in a row

  constructor(about, source, page, start = {}) {
    Object.assign(this, { about, source, page, chosen: { ...start.filters } });
    this.table = new VirtualTable({ label: about.title, columns: about.columns, sorted: about.sorted, open: (row) => this.#open(row) });
    this.search = h("input", { type: "search", autocomplete: "off", spellcheck: "false", value: start.search ?? "", input: () => this.#filter() });
    this.from = h("input", { type: "date", change: () => this.#filter() });
    this.until = h("input", { type: "date", change: () => this.#filter() });
    this.choices = h("div", { class: "filtros" });
    this.told = h("p", { class: "cuenta" });
    this.state = h("p", { class: "tenue" });
    this.empty = h("p", { class: "vacio" });
    this.tools = this.#tools();
  }

  #tools() {
    return h("div", { class: "vista" },
      h("div", { class: "barra" }, this.about.controls,
        field(this.about.search ?? "Buscar", this.search), this.choices,
        this.about.day ? [field(`${this.about.dayLabel} desde`, this.from), field("hasta", this.until)] : null),
      h("div", { class: "sobre-tabla" }, this.told,
        h("div", { class: "acciones" }, button("Actualizar", () => this.source.refresh()), button("Descargar CSV", () => this.#save()))));
  }

  view() {
    const [onRows, onState] = [() => this.#changed(), () => this.#tell()];
    this.source.addEventListener("rows", onRows);
    this.source.addEventListener("state", onState);
    const element = h("div", { class: "vista" },
      h("div", { class: "titular" }, h("h1", {}, this.about.title), this.state),
      this.about.note ? h("p", { class: "tenue" }, this.about.note) : null, this.about.above?.(this.page, this.source),
      this.tools, this.table.element, this.empty);
    this.#changed();
    return { element, stop: () => {
      this.source.removeEventListener("rows", onRows);
      this.source.removeEventListener("state", onState);
    } };
  }

  #changed() {
    this.tools.hidden = Boolean(this.about.asked) && !this.source.rows;
    this.#drawChoices();
    this.#filter(false);
    this.#tell();
  }

  // Every choice says how many rows it has.
  #drawChoices() {
    if (this.choices.contains(document.activeElement)) return; // somebody is choosing
    const rows = this.source.rows ?? [];
    replace(this.choices, this.about.filters.map(([key, label, names]) => {
      const counts = new Map();
      for (const row of rows) counts.set(row[key], (counts.get(row[key]) ?? 0) + 1);
      if (this.chosen[key] && !counts.has(this.chosen[key])) counts.set(this.chosen[key], 0);
      const options = [...counts].sort().map(([value, found]) => [value, `${names?.[value] ?? stateName(value)} (${number(found)})`]);
      return field(label, select([["", `Todos (${number(rows.length)})`], ...options], this.chosen[key] ?? "", (value) => {
        this.chosen[key] = value;
        this.#filter();
      }));
    }));
  }

  #filter(aloud = true) {
    const all = this.source.rows ?? [];
    const words = searched(this.search.value).split(" ").filter(Boolean);
    const chosen = Object.entries(this.chosen).filter(([, value]) => value);
    const [from, until, day] = [this.from.value, this.until.value, this.about.day];
    const rows = all.filter((row) =>
      chosen.every(([key, value]) => row[key] === value) &&
      words.every((word) => this.#textOf(row).includes(word)) &&
      (!from || dayOf(row[day]) >= from) && (!until || dayOf(row[day]) <= until));
    this.table.setRows(rows);
    const told = `${rowsText(rows.length, all.length)} ${all.length === 1 ? this.about.one : this.about.many}`;
    this.told.textContent = this.source.rows ? told : "";
    if (aloud) announce(told);
    this.table.element.hidden = rows.length === 0;
    this.empty.textContent = emptyText(this.source, rows, this.about);
  }

  #textOf(row) {
    let text = this.#texts.get(row);
    if (text === undefined) {
      text = searched(Object.values(row).filter((value) => typeof value === "string").join(" "));
      this.#texts.set(row, text);
    }
    return text;
  }

  #tell() {
    const { readAt, fault, loading, rows } = this.source;
    if (loading && !rows) this.state.textContent = "Leyendo…";
    else if (fault) this.state.textContent = readAt ? `Sin respuesta; de las ${clockTime(readAt)}` : "Sin respuesta";
    else this.state.textContent = readAt ? `Al corriente a las ${clockTime(readAt)}` : "";
  }

  #open(row) {
    if (this.about.open) {
      this.about.open(row, this.page);
      return;
    }
    const dialog = openDialog(this.about.heading(row),
      details(row, this.about.details),
      h("div", { class: "acciones" }, this.about.actions(row, (path, start) => {
        dialog.close();
        this.page.go(path, start);
      }, (doing) => {
        dialog.close();
        doing(this.source, this.page);
      })));
  }

  // What is shown is saved, in its order, with every field under its name of the API.
  #save() {
    const { fields, file, one, many } = this.about;
    download(dated(file), writeCSV([fields, ...this.table.rows.map((row) => fields.map((name) => row[name]))]));
    announce(`Se descargó el archivo con ${count(this.table.rows.length, one, many)}`);
  }
}

function searched(text) {
  return text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
}

function emptyText(source, rows, about) {
  if (!source.rows || rows.length > 0) return "";
  return source.rows.length === 0 ? about.empty : "Nada corresponde a lo que busca.";
}
