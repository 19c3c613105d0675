// Reads the files in a ZIP, as far as spreadsheets use it: stored or deflated, without ZIP64.
import { FileFault } from "./encoding.js";

const END = 0x06054b50;
const ENTRY = 0x02014b50;
// Far beyond a spreadsheet of 100,000 rows, and little enough for the memory of a browser.
const MAX_BYTES = 400 << 20;

const broken = () => new FileFault("El archivo XLSX está dañado: su contenedor ZIP no se puede leer. Guárdelo otra vez desde su hoja de cálculo.");

// openZip gives a function from a name to its text, which is null for a name that is not there.
export function openZip(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = directory(view);
  const budget = { left: MAX_BYTES };
  return async (name) => {
    const entry = entries.get(name);
    if (!entry) return null;
    return new TextDecoder().decode(await extract(bytes, view, entry, budget));
  };
}

function directory(view) {
  const end = findEnd(view);
  const entries = new Map();
  let at = view.getUint32(end + 16, true);
  for (let count = view.getUint16(end + 10, true); count > 0; count--) {
    if (at + 46 > view.byteLength || view.getUint32(at, true) !== ENTRY) throw broken();
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    const name = new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + at + 46, nameLength));
    entries.set(name, { method: view.getUint16(at + 10, true), size: view.getUint32(at + 20, true), at: view.getUint32(at + 42, true) });
    at += 46 + nameLength + extraLength + commentLength;
  }
  return entries;
}

function findEnd(view) {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 65_557); at--) {
    if (view.getUint32(at, true) === END) return at;
  }
  throw broken();
}

async function extract(bytes, view, entry, budget) {
  if (entry.at + 30 > view.byteLength) throw broken();
  const start = entry.at + 30 + view.getUint16(entry.at + 26, true) + view.getUint16(entry.at + 28, true);
  const packed = bytes.subarray(start, start + entry.size);
  if (packed.length !== entry.size) throw broken();
  if (entry.method === 0) return packed;
  if (entry.method !== 8) throw broken();
  return inflate(packed, budget);
}

async function inflate(packed, budget) {
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const chunks = [];
  for (;;) {
    const { done, value } = await reader.read().catch(() => Promise.reject(broken()));
    if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    budget.left -= value.length;
    if (budget.left < 0) {
      await reader.cancel();
      throw new FileFault("El archivo XLSX es demasiado grande una vez descomprimido. Divídalo, o guárdelo como CSV.");
    }
    chunks.push(value);
  }
}
