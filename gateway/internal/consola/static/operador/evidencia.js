// The evidence of an institution: signed and chained, as a file.
import { act } from "../lib/act.js";
import { field, h, select } from "../lib/dom.js";
import { save } from "../lib/download.js";
import { empresaPath } from "./rutas.js";

const FORMATS = [["jsonl", "JSON Lines, para comprobar la firma"], ["csv", "CSV"], ["html", "HTML, para imprimir"]];

// evidencia asks for the period and the format, and saves the file.
export function evidencia(session, id) {
  const [from, until] = [h("input", { type: "date" }), h("input", { type: "date" })];
  const format = select(FORMATS, "jsonl");
  act({
    title: "Descargar la evidencia", verb: "Descargar", done: "La evidencia se descargó.", text: "Firmada y encadenada; sin fechas, de todo el tiempo.",
    controls: [field("Desde", from), field("Hasta", until), field("Formato", format)],
    doing: async () => {
      const given = Object.entries({ desde: from.value, hasta: until.value, formato: format.value }).filter(([, value]) => value);
      save(`evidencia-${id}.${format.value}`, await session.client.file(`${empresaPath(id)}/evidencia?${new URLSearchParams(given)}`));
    },
  });
}
