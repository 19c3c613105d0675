// What a file of text is written in: UTF-8, Windows-1252, or UTF-16 as Excel's "Unicode" text.

// A FileFault is a file that cannot be read, in words for the person who chose it.
export class FileFault extends Error {}

export const ENCODINGS = { "utf-8": "UTF-8", "windows-1252": "Windows-1252", "utf-16le": "UTF-16" };

// decode gives the text and the encoding, which is recognised unless it is given.
export function decode(bytes, encoding = recognise(bytes)) {
  const text = new TextDecoder(encoding).decode(bytes);
  const nul = text.indexOf("\0");
  if (nul >= 0) {
    throw new FileFault(`Línea ${lineAt(text, nul)}: hay un carácter NUL. No es un archivo de texto; guárdelo como CSV o XLSX.`);
  }
  return { text, encoding };
}

function recognise(bytes) {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return "utf-8";
  } catch {
    return "windows-1252";
  }
}

function lineAt(text, position) {
  return text.slice(0, position).split(/\r\n|\r|\n/).length;
}
