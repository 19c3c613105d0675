// The little of XML that workbooks need. A browser's own parser would have to hold a sheet of
// 50,000 rows as a tree, and is closed to pages that allow no markup to be made of texts.
import { FileFault } from "./encoding.js";

const TOKEN = /<!\[CDATA\[([\s\S]*?)\]\]>|<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<(\/?)(?:[\w.-]+:)?([\w.-]+)((?:[^>"']|"[^"]*"|'[^']*')*?)(\/?)>|([^<]+)/y;

// tokens gives {open, close, name, rest} for a tag, both open and close for <x/>, and {text}
// for characters. Names come without their prefix.
export function* tokens(xml) {
  TOKEN.lastIndex = 0;
  let at = xml.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (at < xml.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(xml);
    if (!match) throw new FileFault("El archivo XLSX está dañado: tiene un XML que no se puede leer. Guárdelo otra vez desde su hoja de cálculo.");
    at = TOKEN.lastIndex;
    const [, cdata, closing, name, rest, empty, text] = match;
    if (name) yield { open: !closing, close: Boolean(closing || empty), name, rest };
    else if (cdata !== undefined || text) yield { text: cdata ?? unescape(text) };
  }
}

// attributes reads those of a tag, without their prefixes.
export function attributes(rest) {
  const found = {};
  for (const [, name, double, single] of rest.matchAll(/(?:[\w.-]+:)?([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    found[name] = unescape(double ?? single);
  }
  return found;
}

const NAMED = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

// unescape also reads Excel's own _x000D_ for a character that XML cannot have.
function unescape(text) {
  if (!text.includes("&") && !text.includes("_x")) return text;
  return text
    .replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));/gi, (_, hex, decimal, name) => (name ? NAMED[name.toLowerCase()] : codePoint(parseInt(hex ?? decimal, hex ? 16 : 10))))
    .replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
}

function codePoint(number) {
  return number <= 0x10ffff ? String.fromCodePoint(number) : "\ufffd";
}
