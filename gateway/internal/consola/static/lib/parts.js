// The pieces that views share.
import { foreign, h } from "./dom.js";

// section is a part of a view under its heading.
export function section(title, ...content) {
  return h("section", {}, h("h2", {}, title), content);
}

// badged is a word in the colour of its kind: bien, espera, mal or fin.
export function badged(kind, word) {
  return h("span", { class: `insignia ${kind}` }, word);
}

// facts is a list of [name, what is shown] pairs.
export function facts(pairs) {
  return h("dl", { class: "datos" }, pairs.map(([name, shown]) => h("div", {}, h("dt", {}, name), h("dd", {}, shown))));
}

// actions is a row of buttons.
export function actions(...buttons) {
  return h("div", { class: "acciones" }, buttons);
}

// plainTable is a table of a few rows, each a list of cells of which the first names it. It
// scrolls by itself where it is too wide.
export function plainTable(label, headings, rows, empty = "Ninguno todavía.") {
  if (rows.length === 0) return h("p", { class: "vacio" }, empty);
  const heading = (each) => (each === null ? h("td", {}) : h("th", { scope: "col" }, each));
  const row = ([name, ...cells]) => h("tr", {}, h("th", { scope: "row" }, name), cells.map((each) => h("td", {}, each)));
  return h("div", { class: "desliza", role: "region", "aria-label": label, tabindex: 0 },
    h("table", { class: "llana" }, h("thead", {}, h("tr", {}, headings.map(heading))), h("tbody", {}, rows.map(row))));
}

// coded is a text of letters of one width.
export function coded(text) {
  return h("span", { class: "clave" }, foreign(text));
}
