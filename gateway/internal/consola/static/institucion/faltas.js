// What is wrong with the file: grouped, by row, and as the same file with a column added.
import { annotated, grouped, groupKey } from "../files/observaciones.js";
import { labelOf } from "../files/fields.js";
import { openDialog } from "../lib/dialog.js";
import { button, foreign, h, replace } from "../lib/dom.js";
import { download } from "../lib/download.js";
import { facts } from "../lib/parts.js";
import { count, number } from "../lib/time.js";
import { VirtualTable } from "../lib/virtual.js";

// While a file goes, what it finds is drawn anew this often, in milliseconds.
const EVERY = 1000;

const seriousness = (gravedad) => h("span", { class: `insignia ${gravedad === "error" ? "mal" : "espera"}` }, gravedad === "error" ? "Error" : "Advertencia");

const COLUMNS = [
  { key: "row", label: "Fila", cell: (each) => number(each.row), sort: (each) => each.row, width: "minmax(4.5rem, .4fr)" },
  { key: "folio", label: "Folio", cell: (each) => foreign(each.folio), sort: (each) => each.folio, width: "minmax(7rem, 1fr)", secondary: true },
  { key: "gravedad", label: "Gravedad", cell: (each) => seriousness(each.gravedad), sort: (each) => each.gravedad, width: "minmax(7.5rem, .7fr)", secondary: true },
  { key: "campo", label: "Campo", cell: (each) => foreign(labelOf(each.campo)), sort: (each) => each.campo, width: "minmax(8rem, 1fr)", secondary: true },
  { key: "mensaje", label: "Qué hacer", cell: (each) => foreign(each.mensaje), sort: (each) => each.mensaje, width: "minmax(14rem, 3fr)" },
];

// faltas shows what an Envio has found so far.
export function faltas(envio) {
  const [groups, heading, note] = [h("ul", { class: "grupos" }), h("h3", {}), h("p", { class: "tenue" })];
  const table = new VirtualTable({ label: "Observaciones por fila", columns: COLUMNS, open: openObservacion });
  const save = button("Descargar el archivo con las observaciones", () => download(annotatedName(envio.file.name), annotated(envio.tabla, envio.observaciones, envio.tabla.separator)));
  const element = h("section", { class: "faltas", "aria-label": "Observaciones" }, heading, groups, note, h("div", { class: "acciones" }, save), table.element);
  let [chosen, drawnAt] = [null, -Infinity];
  const runs = [envio.validating, envio.sending].filter(Boolean);
  const draw = () => {
    if (runs.some((run) => run.active) && performance.now() - drawnAt < EVERY) return;
    drawnAt = performance.now();
    const all = envio.observaciones;
    element.hidden = all.length === 0;
    heading.textContent = count(all.length, "observación", "observaciones");
    drawGroups(all);
    drawRows(all);
  };
  const drawRows = (all) => table.setRows(chosen ? all.filter((each) => groupKey(each) === chosen) : all);
  const drawGroups = (all) => {
    replace(groups, grouped(all).map((group) => groupItem(group, group.key === chosen, () => {
      chosen = chosen === group.key ? null : group.key;
      drawGroups(all);
      drawRows(all);
      [...groups.querySelectorAll("button")].find((each) => each.dataset.grupo === group.key)?.focus();
    })));
    const omitted = runs.reduce((sum, run) => sum + run.omitted, 0);
    note.textContent = omitted > 0 ? `Enlace omitió ${count(omitted, "observación", "observaciones")} más.` : "";
  };
  for (const run of runs) run.addEventListener("change", draw);
  draw();
  return { element, stop: () => {
    for (const run of runs) run.removeEventListener("change", draw);
  } };
}

function openObservacion(each) {
  openDialog(`Fila ${number(each.row)}`, h("p", {}, seriousness(each.gravedad)), h("p", {}, foreign(each.mensaje)),
    facts([["Folio", foreign(each.folio)], ["Campo", foreign(labelOf(each.campo))], ["Código", foreign(each.codigo)]]));
}

// A group is a button that leaves only its rows in the table.
function groupItem(group, pressed, click) {
  return h("li", {}, h("button", { type: "button", class: "grupo", "aria-pressed": pressed, "data-grupo": group.key, click },
    seriousness(group.gravedad), h("span", { class: "grupo-texto" }, group.campo ? h("strong", {}, foreign(labelOf(group.campo)), ": ") : null, foreign(group.mensaje)),
    h("span", { class: "grupo-cuenta" }, count(group.rows.length, "fila", "filas"))));
}

function annotatedName(name) {
  return `${name.replace(/\.[^.]*$/, "")}-observaciones.csv`;
}
