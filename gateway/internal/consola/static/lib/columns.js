// The kinds of columns: each shows a field of a row as what it is, and sorts by it.
import { foreign } from "./dom.js";
import { coded as code, facts } from "./parts.js";
import { badge, FASES } from "./states.js";
import { dayText, instant, number } from "./time.js";

// What a telephone leaves out.
export const WIDE = { secondary: true };

export const text = (key, label, more) => ({ key, label, cell: (row) => foreign(row[key]), sort: (row) => row[key], ...more });
export const coded = (key, label, more) => text(key, label, { cell: (row) => code(row[key]), ...more });
export const state = (key, label, more) => text(key, label, { cell: (row) => badge(row[key]), ...more });
export const dated = (key, label, more) => text(key, label, { cell: (row) => foreign(row[key] && dayText(row[key])), ...more });
export const timed = (key, label, more) => text(key, label, { cell: (row) => instant(row[key]), ...more });
export const counted = (key, label, more) => text(key, label, { cell: (row) => number(row[key]), ...more });
export const phase = (key, label, more) => text(key, label, { cell: (row) => foreign(FASES[row[key]] ?? row[key]), ...more });

// details is the list of a row's fields under their names.
export function details(row, fields) {
  return facts(fields.map((each) => [each.label, each.cell(row)]));
}
