// What a file of text is written in: UTF-8, Windows-1252, or UTF-16 as Excel's "Unicode" text.

// A FileFault is a file that cannot be read, in words for the person who chose it.
export class FileFault extends Error {}

export const ENCODINGS = { "utf-8": "UTF-8", "windows-1252": "Windows-1252", "utf-16le": "UTF-16" };

// decode gives the text and the encoding, which is recognised unless it is given.
export function decode(bytes, encoding = recognise(bytes)) {
  const text = new TextDecoder(encoding).decode(bytes);
  refuse(text, "\0", "hay un carácter NUL. No es un archivo de texto; guárdelo como CSV o XLSX.");
  refuse(text, BROKEN, `hay bytes que no son ${ENCODINGS[encoding] ?? encoding}. Guarde el archivo otra vez, entero en UTF-8.`);
  return { text, encoding };
}

// What a decoder puts for bytes that it cannot read.
const BROKEN = "\ufffd";

function refuse(text, character, why) {
  const at = text.indexOf(character);
  if (at >= 0) throw new FileFault(`Línea ${lineAt(text, at)}: ${why}`);
}

function recognise(bytes) {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  // Windows-1252 read as UTF-8 breaks at every accent; UTF-8 with a broken byte or two does not.
  const text = new TextDecoder().decode(bytes);
  const [broken, whole] = [text.split(BROKEN).length - 1, text.match(/[^\x00-\x7f\ufffd]/g)?.length ?? 0];
  return broken > 0 && broken >= whole ? "windows-1252" : "utf-8";
}

function lineAt(text, position) {
  return text.slice(0, position).split(/\r\n|\r|\n/).length;
}
