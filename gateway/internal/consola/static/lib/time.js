// Times as Mexico City's clocks show them, with the exact instant on demand.
import { h, visible } from "./dom.js";

const ZONE = "America/Mexico_City";
const at = new Intl.DateTimeFormat("es-MX", { timeZone: ZONE, day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const clock = new Intl.DateTimeFormat("es-MX", { timeZone: ZONE, hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const days = new Intl.DateTimeFormat("es-MX", { timeZone: "UTC", day: "numeric", month: "short", year: "numeric" });
const day = new Intl.DateTimeFormat("en-CA", { timeZone: ZONE, year: "numeric", month: "2-digit", day: "2-digit" });
const numbers = new Intl.NumberFormat("es-MX");

let exact = false;

export function isExact() {
  return exact;
}

// showExact changes every time on the page, and those to come.
export function showExact(wanted) {
  exact = wanted;
  for (const element of document.querySelectorAll("time[data-instante]")) element.textContent = textOf(element.dateTime);
}

function textOf(iso) {
  const instant = new Date(iso);
  if (Number.isNaN(instant.getTime())) return visible(iso);
  return exact ? instant.toISOString() : at.format(instant);
}

// instant shows an instant, or a dash.
export function instant(iso) {
  if (!iso) return h("span", { class: "nada" }, "—");
  return h("time", { datetime: iso, title: visible(iso), "data-instante": true }, textOf(iso));
}

// clockTime is the time of day of an instant.
export function clockTime(date) {
  return clock.format(date);
}

// dayText shows a date, or what stands for one.
export function dayText(date) {
  const parsed = new Date(`${date}T00:00:00Z`);
  return Number.isNaN(parsed.getTime()) ? String(date) : days.format(parsed);
}

// dayOf is the day of an instant in Mexico City, as 2025-12-31.
export function dayOf(iso) {
  return day.format(new Date(iso));
}

export function number(value) {
  return numbers.format(value);
}

// count writes "1 fila" and "2 filas".
export function count(value, one, many) {
  return `${number(value)} ${value === 1 ? one : many}`;
}
