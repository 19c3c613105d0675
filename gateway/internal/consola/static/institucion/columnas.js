// Which column of the file is which field: by name, with a hand to correct, and a preview.
import { ENCODINGS, FileFault } from "../files/encoding.js";
import { SEPARATORS } from "../files/csv.js";
import { FIELDS, labelOf, REQUIRED } from "../files/fields.js";
import { registroOf } from "../files/registro.js";
import { button, field, foreign, h, replace, select, visible } from "../lib/dom.js";
import { actions, plainTable } from "../lib/parts.js";
import { count, number } from "../lib/time.js";

const SAMPLES = 3;
const PREVIEW = 5;

export function columnas(envio, { restart }) {
  const [reading, table] = [h("div", { class: "barra" }), h("ul", { class: "columnas", "aria-label": "Columnas del archivo" })];
  const [told, preview, next] = [h("div", { role: "status" }), h("div", {}), actions()];
  const again = async (options) => {
    replace(told);
    try {
      await envio.read({ ...envio.options, ...options });
    } catch (fault) {
      if (!(fault instanceof FileFault)) throw fault;
      replace(told, h("p", { class: "problema" }, foreign(fault.message)));
      return;
    }
    draw();
  };
  const about = h("p", { class: "tenue" });
  function draw() {
    replace(about, foreign(envio.file.name), `: ${count(envio.tabla.rows.length, "fila", "filas")}. Una columna sin campo no sale de este equipo.`);
    replace(reading, readingFields(envio, again, update));
    replace(table, mappingItems(envio, update));
    update();
  }
  function update() {
    const faults = mappingFaults(envio);
    replace(told, faults.map((each) => h("p", { class: "falta" }, each)));
    replace(preview, previewTable(envio));
    const rows = count(envio.tabla.rows.length, "fila", "filas");
    replace(next, button(`Validar ${rows}`, () => envio.validate(), { class: "principal", disabled: faults.length > 0 }), button("Elegir otro archivo", restart));
  }
  draw();
  return { element: h("div", {}, h("h2", {}, "Revise las columnas"),
    about, reading, table, told, h("h3", {}, "Así se enviarán las primeras filas"), preview, next) };
}

function readingFields(envio, again, update) {
  const { kind, sheets, tabla, options, order } = envio;
  const dates = field("Fechas", select([["dmy", "día/mes/año"], ["mdy", "mes/día/año"]], order, (value) => {
    envio.order = value;
    update();
  }));
  if (kind === "xlsx") {
    return [field("Hoja", select(sheets.map((name, at) => [String(at), name]), String(options.sheet ?? 0), (value) => again({ sheet: Number(value) }))), dates];
  }
  return [
    field("Codificación", select(Object.entries(ENCODINGS), tabla.encoding, (value) => again({ encoding: value }))),
    field("Separador", select(Object.entries(SEPARATORS), tabla.separator, (value) => again({ separator: value }))),
    dates,
  ];
}

function mappingItems(envio, update) {
  const options = [["", "No enviar"], ...FIELDS.map(({ name, label }) => [name, REQUIRED.includes(name) ? `${label} (obligatorio)` : label])];
  return envio.tabla.headings.map((heading, at) => {
    const samples = envio.tabla.rows.slice(0, SAMPLES).map(({ cells }) => cells[at] ?? "").filter((each) => each !== "");
    const choice = select(options, envio.mapping[at] ?? "", (value) => {
      envio.mapping[at] = value === "" ? null : value;
      update();
    });
    choice.setAttribute("aria-label", `Campo de la columna ${visible(heading || at + 1)}`);
    const shown = samples.length > 0 ? samples.flatMap((each) => [" · ", foreign(each)]).slice(1) : foreign(null);
    return h("li", {}, h("strong", {}, foreign(heading)), h("span", { class: "muestra" }, shown), choice);
  });
}

function mappingFaults({ missing, repeated }) {
  const faults = [];
  if (missing.length > 0) faults.push(`Falta decir qué columna es: ${missing.map(labelOf).join(", ")}.`);
  if (repeated.length > 0) faults.push(`Más de una columna es: ${repeated.map(labelOf).join(", ")}. Deje una.`);
  return faults;
}

function previewTable({ tabla, mapping, order }) {
  const names = FIELDS.map((each) => each.name).filter((name) => mapping.includes(name));
  if (names.length === 0) return h("p", { class: "tenue" }, "Nada todavía.");
  const cell = (registro, name) => {
    const [part, address] = name.split("/").reverse();
    return (address ? registro[address] : registro)?.[part];
  };
  const row = ({ row: at, cells }) => {
    const registro = registroOf(cells, mapping, order);
    return [number(at), ...names.map((name) => foreign(cell(registro, name)))];
  };
  return plainTable("Vista previa", ["Fila", ...names.map(labelOf)], tabla.rows.slice(0, PREVIEW).map(row));
}
