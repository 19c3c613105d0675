// Makes registros of the rows of a file.
import { unharmed } from "./csv.js";
import { DATES } from "./fields.js";
import { dateOfSerial } from "./xlsx.js";

const DAY_FIRST = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})(?=\D|$)/;

// detectOrder tells whether the dates of the rows are written "dmy" or "mdy"; as in Mexico unless
// one of them cannot be.
export function detectOrder(rows, mapping) {
  const columns = mapping.flatMap((name, at) => (DATES.includes(name) ? [at] : []));
  let order = "dmy";
  for (const { cells } of rows) {
    for (const at of columns) {
      const [, first, second] = (cells[at] ?? "").trim().match(DAY_FIRST) ?? [];
      if (Number(first) > 12) return "dmy";
      if (Number(second) > 12) order = "mdy";
    }
  }
  return order;
}

// registroOf leaves out what is empty, and every column that is no field.
export function registroOf(cells, mapping, order) {
  const registro = {};
  mapping.forEach((name, at) => {
    const text = unharmed((cells[at] ?? "").trim());
    if (name === null || text === "") return;
    const [part, address] = name.split("/").reverse();
    const target = address ? (registro[address] ??= {}) : registro;
    target[part] = DATES.includes(name) ? isoDate(text, order) : text;
  });
  return registro;
}

// isoDate turns 31/12/2025 around, and the number that a spreadsheet keeps for a date; what is
// neither is for the service to judge.
export function isoDate(text, order) {
  if (/^\d{4,5}$/.test(text) && Number(text) > 3000) return dateOfSerial(Number(text));
  return text.replace(DAY_FIRST, (_, first, second, year) => {
    const [day, month] = order === "mdy" ? [second, first] : [first, second];
    return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  });
}

// prepare makes the items to send of the rows, and observaciones of those that cannot be: a
// folio is one record's in the whole file, while the service sees a batch at a time.
export function prepare(rows, headings, mapping, order) {
  const seen = new Map();
  const items = [];
  const observaciones = [];
  const refuse = (row, folio, campo, codigo, mensaje) => observaciones.push({ row, folio, gravedad: "error", campo, codigo, mensaje });
  for (const { row, cells } of rows) {
    const registro = registroOf(cells, mapping, order);
    const folio = registro.folio?.normalize("NFC") ?? null;
    if (cells.slice(headings.length).some((cell) => cell.trim() !== "")) {
      refuse(row, folio, "", "celdas_de_mas", "La fila tiene más celdas que el encabezado. Ponga entre comillas los textos que llevan el separador.");
    } else if (seen.has(folio)) {
      refuse(row, folio, "folio", "folio_repetido", `El folio ya está en la fila ${seen.get(folio)} de este archivo. Si son actos distintos, distíngalos: 1234-1, 1234-2.`);
    } else {
      items.push({ row, registro });
      if (folio !== null) seen.set(folio, row);
    }
  }
  return { items, observaciones };
}
