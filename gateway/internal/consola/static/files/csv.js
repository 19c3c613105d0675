// CSV as Excel writes it and as RFC 4180 has it, read and written.
import { FileFault } from "./encoding.js";

export const SEPARATORS = { ",": "coma", ";": "punto y coma", "\t": "tabulador", "|": "barra" };

// detectSeparator goes by the first line that is not empty, outside of its quotes.
export function detectSeparator(text) {
  const first = text.match(/[^\r\n]+/)?.[0] ?? "";
  const declared = first.match(/^sep=(.)$/i)?.[1];
  if (declared) return declared;
  const bare = first.replace(/"[^"]*"/g, "");
  const count = (separator) => bare.split(separator).length;
  return Object.keys(SEPARATORS).reduce((best, each) => (count(each) > count(best) ? each : best));
}

// readCSV gives each row that is not empty as {row, cells}; row counts as a spreadsheet does.
export function* readCSV(text, separator) {
  const escaped = separator.replace(/[|\\^$.*+?()[\]{}]/g, "\\$&");
  const cell = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|([^${escaped}\\r\\n]*))(${escaped}|\\r\\n|\\r|\\n|$)`, "y");
  let [row, line, cells] = [1, 1, []];
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text);
    const [, quoted, bare, end] = match;
    if (bare?.startsWith('"')) throw new FileFault(brokenQuotes(line, bare));
    cells.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (quoted !== undefined) line += newlines(quoted);
    if (end === separator) continue;
    if (cells.some((each) => each.trim() !== "") && !(row === 1 && isDeclaration(cells, separator))) yield { row, cells };
    [row, line, cells] = [row + 1, line + 1, []];
  }
  if (cells.some((each) => each.trim() !== "")) yield { row, cells };
}

function isDeclaration(cells, separator) {
  return cells.join(separator).toLowerCase() === `sep=${separator}`;
}

function newlines(text) {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}

function brokenQuotes(line, cell) {
  return `Línea ${line}: las comillas de la celda que empieza con ${cell.slice(0, 20)} no se cierran donde deben. ` +
    "Dentro de una celda entre comillas, cada comilla se escribe doble.";
}

// writeCSV gives the rows as text that Excel opens as it is, whatever a cell has in it.
export function writeCSV(rows, separator = ",") {
  return "\ufeff" + rows.map((cells) => cells.map((cell) => quote(harmless(cell))).join(separator) + "\r\n").join("");
}

function quote(text) {
  return `"${text.replaceAll('"', '""')}"`;
}

// What a spreadsheet would calculate: it may also begin with the full-width forms, or after blanks.
const formula = /^[\s\u0000-\u001f]*[=+\-@\uff1d\uff0b\uff0d\uff20]/;
// Telephone numbers and "-" begin so too, and calculate nothing that matters.
const plain = /^[+-]?[\d\s().-]*$/;

// harmless keeps a spreadsheet from calculating a cell, by the apostrophe that means "text".
export function harmless(value) {
  const text = value === null || value === undefined ? "" : String(value);
  return formula.test(text) && !plain.test(text) ? "'" + text : text;
}

// unharmed takes that apostrophe away again, so that a file of ours can be corrected and sent.
export function unharmed(text) {
  return text.startsWith("'") && formula.test(text.slice(1)) ? text.slice(1) : text;
}
