// Writes a small workbook as spreadsheets do: deflated, texts shared, dates as numbers;
// without the checksums, which nobody here reads.
import { deflateRawSync } from "node:zlib";

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

// spreadsheet takes [name, rows] of sheets; a cell is a text, {number} or {day}.
export function spreadsheet(sheets) {
  const shared = [];
  const share = (text) => (shared.includes(text) ? shared.indexOf(text) : shared.push(text) - 1);
  const cell = (value, row, column) => {
    const at = `${String.fromCharCode(65 + column)}${row}`;
    if (value.day !== undefined) return `<c r="${at}" s="1"><v>${value.day}</v></c>`;
    if (value.number !== undefined) return `<c r="${at}"><v>${value.number}</v></c>`;
    return `<c r="${at}" t="s"><v>${share(value)}</v></c>`;
  };
  const files = sheets.map(([, rows], n) => [`xl/worksheets/sheet${n + 1}.xml`, `<worksheet><sheetData>${rows.map((cells, at) => `<row r="${at + 1}">${cells.map((each, column) => cell(each, at + 1, column)).join("")}</row>`).join("")}</sheetData></worksheet>`]);
  return zip([
    ["xl/workbook.xml", `<?xml version="1.0"?><workbook xmlns:r="r"><sheets>${sheets.map(([name], n) => `<sheet name="${name}" sheetId="${n + 1}" r:id="rId${n + 1}"/>`).join("")}</sheets></workbook>`],
    ["xl/_rels/workbook.xml.rels", `<Relationships>${sheets.map((_, n) => `<Relationship Id="rId${n + 1}" Target="worksheets/sheet${n + 1}.xml"/>`).join("")}</Relationships>`],
    ["xl/styles.xml", '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>'],
    ...files,
    ["xl/sharedStrings.xml", `<sst>${shared.map((text) => `<si><t>${escape(text)}</t></si>`).join("")}</sst>`],
  ]);
}

function zip(files) {
  const [bodies, entries] = [[], []];
  let at = 0;
  for (const [name, text] of files) {
    const packed = deflateRawSync(Buffer.from(text));
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(Buffer.byteLength(text), 18);
    common.writeUInt16LE(name.length, 22);
    const body = Buffer.concat([Buffer.from("PK\x03\x04"), common, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    entries.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), common, place, Buffer.from(name)]));
    bodies.push(body);
    at += body.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...bodies, directory, Buffer.from("PK\x05\x06"), end]);
}
