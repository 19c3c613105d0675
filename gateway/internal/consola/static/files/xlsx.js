// Reads the cells of an XLSX workbook as text: dates as 2025-12-31, numbers as they were typed.
import { FileFault } from "./encoding.js";
import { openZip } from "./zip.js";
import { attributes, tokens } from "./xml.js";

// Rows are read in pieces, so that the page goes on answering meanwhile.
const PIECE = 50_000;

// openXLSX gives the names of the sheets and a function that reads one by its index.
export async function openXLSX(bytes, pause = async () => {}) {
  const file = openZip(bytes);
  const workbook = await file("xl/workbook.xml");
  if (workbook === null) throw new FileFault("El archivo no es un libro de Excel (XLSX). Guárdelo como XLSX o CSV.");
  const { sheets, epoch } = readWorkbook(workbook);
  const targets = readTargets((await file("xl/_rels/workbook.xml.rels")) ?? "");
  const shared = readShared((await file("xl/sharedStrings.xml")) ?? "");
  const dates = readDateStyles((await file("xl/styles.xml")) ?? "");
  const read = async (index) => {
    const text = await file(targets.get(sheets[index].id) ?? "");
    if (text === null) throw new FileFault(`La hoja «${sheets[index].name}» no tiene celdas que se puedan leer.`);
    return readSheet(text, { shared, dates, epoch }, pause);
  };
  return { names: sheets.map((sheet) => sheet.name), read };
}

function readWorkbook(text) {
  const sheets = [];
  let epoch = EPOCH_1900;
  for (const { open, name, rest } of tokens(text)) {
    if (!open) continue;
    const has = attributes(rest);
    if (name === "workbookPr" && /^(1|true)$/.test(has.date1904 ?? "")) epoch = EPOCH_1904;
    if (name === "sheet") sheets.push({ name: has.name, id: has.id });
  }
  if (sheets.length === 0) throw new FileFault("El libro no tiene hojas.");
  return { sheets, epoch };
}

function readTargets(text) {
  const targets = new Map();
  for (const { open, name, rest } of tokens(text)) {
    if (!open || name !== "Relationship") continue;
    const { Id, Target = "" } = attributes(rest);
    targets.set(Id, Target.startsWith("/") ? Target.slice(1) : "xl/" + Target);
  }
  return targets;
}

// readShared gives the texts that cells share, without the phonetic readings (rPh).
function readShared(text) {
  const shared = [];
  let [current, inText, inReading] = ["", false, false];
  for (const { open, close, name, text: chars } of tokens(text)) {
    if (name === "si" && open) current = "";
    if (name === "si" && close) shared.push(current);
    if (name === "rPh") inReading = open && !close;
    if (name === "t") inText = open && !close;
    if (chars !== undefined && inText && !inReading) current += chars;
  }
  return shared;
}

const BUILT_IN_DATES = (id) => (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

// readDateStyles gives for each style of a cell whether it shows a date.
function readDateStyles(text) {
  const own = new Map();
  const styles = [];
  let inCells = false;
  for (const { open, close, name, rest } of tokens(text)) {
    if (name === "cellXfs") inCells = open && !close;
    if (!open) continue;
    const has = attributes(rest);
    if (name === "numFmt") own.set(has.numFmtId, /[ymd]/i.test((has.formatCode ?? "").replace(/"[^"]*"|\[[^\]]*\]|\\./g, "")));
    if (name === "xf" && inCells) styles.push(own.get(has.numFmtId) ?? BUILT_IN_DATES(Number(has.numFmtId)));
  }
  return styles;
}

async function readSheet(text, book, pause) {
  const rows = [];
  let [row, cell, value, inValue, seen] = [null, null, "", false, 0];
  for (const token of tokens(text)) {
    if (++seen % PIECE === 0) await pause();
    const { open, close, name, rest, text: chars } = token;
    if (chars !== undefined) {
      if (inValue) value += chars;
    } else if (name === "v" || name === "t") {
      inValue = open && !close;
    } else if (name === "c" && open) {
      [cell, value] = [attributes(rest), ""];
    }
    if (name === "row" && open) row = { row: Number(attributes(rest).r ?? rows.length + 1), cells: [] };
    if (name === "c" && close && row) row.cells[columnOf(cell.r) ?? row.cells.length] = cellText(cell, value, book);
    if (name === "row" && close && row) rows.push(row);
  }
  return rows.map(({ row, cells }) => ({ row, cells: Array.from(cells, (each) => each ?? "") })).filter(({ cells }) => cells.some((each) => each.trim() !== ""));
}

// columnOf reads the letters of "AB12".
function columnOf(reference) {
  const letters = reference?.match(/^[A-Z]{1,3}/)?.[0];
  return letters && [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function cellText({ t: type = "n", s: style }, value, { shared, dates, epoch }) {
  if (type === "s") return shared[Number(value)] ?? "";
  if (type === "b") return value === "1" ? "VERDADERO" : "FALSO";
  if (type !== "n" || value === "") return value;
  return dates[Number(style)] ? dateOfSerial(Number(value), epoch) : numberText(value);
}

// numberText writes 5.5E9 as 5500000000.
function numberText(value) {
  const number = Number(value);
  return Number.isSafeInteger(number) ? String(number) : value;
}

const DAY = 86_400_000;
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);

// dateOfSerial turns the days since the epoch into a date, with the time if there is one.
export function dateOfSerial(serial, epoch = EPOCH_1900) {
  const instant = new Date(epoch + Math.round(serial * 86_400) * 1000);
  if (Number.isNaN(instant.getTime())) return String(serial);
  const iso = instant.toISOString();
  return instant.getTime() % DAY === 0 ? iso.slice(0, 10) : iso.slice(0, 19);
}
