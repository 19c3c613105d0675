// A table of any length: only the rows in view are in the page, all of the same height. It can
// be read by a screen reader, which is told how many rows there are and which one this is.
import { h, replace } from "./dom.js";
import { number } from "./time.js";

const SPARE = 8; // rows drawn beyond what is seen
const LINES = { ArrowDown: 1, ArrowUp: -1 };

// columns: {key, label, cell(row), sort(row) if it sorts, width, secondary if a telephone leaves it out}.
// sorted is {key, descending} or null, and open(row) what the first cell's button does.
export class VirtualTable {
  rows = [];

  #columns;
  #open;
  #given = [];
  #drawn = new Map();
  #height = 44;

  constructor({ label, columns, sorted = null, open }) {
    this.sorted = sorted;
    this.#columns = columns;
    this.#open = open;
    this.body = h("div", { role: "rowgroup", class: "tabla-cuerpo" });
    this.head = h("div", { role: "row", class: "tabla-fila tabla-cabeza", "aria-rowindex": 1 });
    this.table = h("div", { role: "table", class: "tabla", "aria-label": label, "aria-colcount": columns.length },
      h("div", { role: "rowgroup", class: "tabla-fija" }, this.head), this.body);
    this.element = h("div", { class: "tabla-marco", role: "region", "aria-label": `Tabla: ${label}`, tabindex: 0, scroll: () => this.#draw(), keydown: (event) => this.#onKey(event) }, this.table);
    const widths = (all) => all.map((column) => column.width ?? "minmax(8rem, 1fr)").join(" ");
    this.table.style.setProperty("--columnas", widths(columns));
    this.table.style.setProperty("--columnas-angosta", widths(columns.filter((column) => !column.secondary)));
    new ResizeObserver(() => this.redraw()).observe(this.element);
    this.#drawHead();
  }

  // setRows shows other rows, in the order chosen.
  setRows(rows) {
    this.#given = rows;
    this.#sort();
  }

  // redraw draws the rows in view anew.
  redraw() {
    this.#height = 2.75 * parseFloat(getComputedStyle(document.documentElement).fontSize);
    this.body.style.height = `${this.rows.length * this.#height}px`;
    for (const element of this.#drawn.values()) element.remove();
    this.#drawn.clear();
    this.#draw();
  }

  #sort() {
    const column = this.#columns.find((each) => each.key === this.sorted?.key);
    this.rows = column ? sortedBy(this.#given, column.sort, this.sorted.descending) : this.#given;
    this.table.setAttribute("aria-rowcount", this.rows.length + 1);
    this.redraw();
  }

  #drawHead() {
    replace(this.head, this.#columns.map((column) => h("div", {
      role: "columnheader", class: column.secondary ? "celda secundaria" : "celda", "aria-sort": this.#direction(column),
    }, column.sort ? h("button", { type: "button", class: "ordenar", click: () => this.#sortBy(column.key) }, column.label, h("span", { class: "flecha", "aria-hidden": true })) : column.label)));
  }

  #direction(column) {
    if (!column.sort) return null;
    if (this.sorted?.key !== column.key) return "none";
    return this.sorted.descending ? "descending" : "ascending";
  }

  // The third click gives the order of the service back.
  #sortBy(key) {
    if (this.sorted?.key !== key) this.sorted = { key, descending: false };
    else this.sorted = this.sorted.descending ? null : { key, descending: true };
    for (const [at, column] of this.#columns.entries()) {
      const direction = this.#direction(column);
      if (direction) this.head.children[at].setAttribute("aria-sort", direction);
    }
    this.#sort();
  }

  #draw() {
    const height = this.#height;
    const first = Math.max(0, Math.floor(this.element.scrollTop / height) - SPARE);
    const last = Math.min(this.rows.length, Math.ceil((this.element.scrollTop + this.element.clientHeight) / height) + SPARE);
    for (const [at, element] of this.#drawn) {
      if (at >= first && at < last) continue;
      if (element.contains(document.activeElement)) this.element.focus({ preventScroll: true });
      element.remove();
      this.#drawn.delete(at);
    }
    for (let at = last - 1; at >= first; at--) {
      if (!this.#drawn.has(at)) this.#place(at, height);
    }
  }

  // Rows are placed from the last to the first, each before the one that follows it.
  #place(at, height) {
    const row = this.rows[at];
    const element = h("div", { role: "row", class: "tabla-fila", "aria-rowindex": at + 2 },
      this.#columns.map((column, index) => h("div", { role: "cell", class: column.secondary ? "celda secundaria" : "celda" }, this.#cell(column, row, index, at))));
    element.style.transform = `translateY(${at * height}px)`;
    this.#drawn.set(at, element);
    this.body.insertBefore(element, this.#drawn.get(at + 1) ?? null);
  }

  #cell(column, row, index, at) {
    const content = column.cell(row);
    if (index > 0 || !this.#open) return content;
    return h("button", { type: "button", class: "abrir", "data-fila": at, click: () => this.#open(row) }, content);
  }

  #onKey(event) {
    const at = Number(event.target.dataset?.fila ?? NaN);
    if (Number.isNaN(at)) return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.#height) - 2);
    const steps = { ...LINES, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (!(event.key in steps)) return;
    event.preventDefault();
    this.#focusRow(Math.min(Math.max(at + steps[event.key], 0), this.rows.length - 1));
  }

  #focusRow(at) {
    const height = this.#height;
    const head = this.head.offsetHeight;
    const [top, seen] = [at * height, this.element.clientHeight - head];
    if (top < this.element.scrollTop) this.element.scrollTop = top;
    if (top + height > this.element.scrollTop + seen) this.element.scrollTop = top + height - seen;
    this.#draw();
    this.#drawn.get(at)?.querySelector("button")?.focus({ preventScroll: true });
  }
}

function sortedBy(rows, key, descending) {
  const keyed = rows.map((row, at) => ({ row, at, value: key(row) ?? "" }));
  const sign = descending ? -1 : 1;
  keyed.sort((a, b) => (a.value < b.value ? -sign : a.value > b.value ? sign : a.at - b.at));
  return keyed.map((each) => each.row);
}

// rowsText tells how many of all rows are shown.
export function rowsText(shown, all) {
  return shown === all ? number(all) : `${number(shown)} de ${number(all)}`;
}
