// What is wrong by row: grouped for the eye, and as the same file with a column added.
import { writeCSV } from "./csv.js";

// observacionesOf gives those of an answer the row of their record. In the middle of a batch the
// service counts from its beginning.
export function observacionesOf(answer, batch) {
  return answer.observaciones.map((o) => ({
    row: batch[o.indice]?.row ?? null,
    folio: o.folio,
    gravedad: o.gravedad,
    campo: o.puntero.split("/").slice(3).join("/"),
    codigo: o.codigo,
    mensaje: o.mensaje,
  }));
}

// grouped puts together what is wrong in the same way, errors first, the most frequent first.
export function grouped(observaciones) {
  const groups = new Map();
  for (const each of observaciones) {
    const key = [each.gravedad, each.codigo, each.campo].join(" ");
    const group = groups.get(key) ?? { key, gravedad: each.gravedad, codigo: each.codigo, campo: each.campo, mensaje: each.mensaje, rows: [] };
    group.rows.push(each.row);
    groups.set(key, group);
  }
  const rank = (group) => (group.gravedad === "error" ? 0 : 1);
  return [...groups.values()].sort((a, b) => rank(a) - rank(b) || b.rows.length - a.rows.length);
}

export function groupKey(observacion) {
  return [observacion.gravedad, observacion.codigo, observacion.campo].join(" ");
}

// annotated is the file with what is wrong in a last column; its columns keep their places, so it
// can be corrected and sent again.
export function annotated({ headings, rows }, observaciones, separator) {
  const byRow = new Map();
  for (const each of observaciones) {
    const text = `${each.gravedad}${each.campo ? ` en ${each.campo}` : ""}: ${each.mensaje}`;
    byRow.set(each.row, byRow.has(each.row) ? `${byRow.get(each.row)} | ${text}` : text);
  }
  const wide = ({ row, cells }) => [...headings.map((_, at) => cells[at] ?? ""), byRow.get(row) ?? ""];
  return writeCSV([[...headings, "observaciones"], ...rows.map(wide)], separator);
}
