// Opens a chosen file, whatever it is, as a heading and rows of cells.
import { detectSeparator, readCSV } from "./csv.js";
import { decode, FileFault } from "./encoding.js";
import { openXLSX } from "./xlsx.js";

const MAX_FILE = 200 << 20;

const starts = (bytes, ...signature) => signature.every((byte, at) => bytes[at] === byte);

// openFile gives {kind, read, ...}: read(options) gives a tabla, for a CSV with an encoding and a
// separator to correct, for a workbook with a sheet.
export async function openFile(file, pause) {
  if (file.size === 0) throw new FileFault("El archivo está vacío.");
  if (file.size > MAX_FILE) throw new FileFault("El archivo pesa más de 200 MB. Divídalo en varios.");
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (starts(bytes, 0xd0, 0xcf, 0x11, 0xe0)) {
    throw new FileFault("Es un libro de Excel del formato anterior (.xls), o protegido con contraseña. Guárdelo como XLSX sin contraseña, o como CSV.");
  }
  if (starts(bytes, 0x50, 0x4b)) {
    const book = await openXLSX(bytes, pause);
    return { kind: "xlsx", sheets: book.names, read: async ({ sheet = 0 } = {}) => tablaOf(await book.read(sheet)) };
  }
  return { kind: "csv", read: (options) => readText(bytes, options, pause) };
}

async function readText(bytes, options = {}, pause) {
  const { text, encoding } = decode(bytes, options.encoding);
  const separator = options.separator ?? detectSeparator(text);
  const rows = [];
  for (const row of readCSV(text, separator)) {
    rows.push(row);
    if (rows.length % 5000 === 0) await pause?.();
  }
  return { ...tablaOf(rows), encoding, separator };
}

function tablaOf(rows) {
  if (rows.length === 0) throw new FileFault("El archivo no tiene filas.");
  if (rows.length === 1) throw new FileFault("El archivo tiene solo el encabezado: falta la primera fila de datos.");
  const headings = rows[0].cells.map((cell) => cell.trim());
  while (headings.at(-1) === "") headings.pop();
  return { headings, rows: rows.slice(1) };
}
