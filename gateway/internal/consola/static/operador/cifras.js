// A few small plots of what the service says of an institution, day by day.
import { h, svg, visible } from "../lib/dom.js";
import { dayOf, dayText, number } from "../lib/time.js";

export const DAYS = 30;
const DAY = 86_400_000;

const lastDays = () => Array.from({ length: DAYS }, (_, at) => dayOf(new Date(Date.now() - (DAYS - 1 - at) * DAY).toISOString()));

// perDay counts the instants of each of the last days.
export function perDay(instants) {
  const counts = new Map(lastDays().map((day) => [day, 0]));
  for (const each of instants) {
    const day = dayOf(each);
    if (counts.has(day)) counts.set(day, counts.get(day) + 1);
  }
  return [...counts];
}

// plot draws a bar for each day, with the greatest value, the last day's and the ends written out.
export function plot(title, days, text = number) {
  const named = days.map(([day, value]) => [visible(dayText(day)), value]);
  const top = Math.max(...days.map(([, value]) => value));
  const bars = named.map(([day, value], at) => {
    const height = top === 0 ? 0 : value / top;
    return svg("rect", { class: "columna-dia", x: at + 0.1, width: 0.8, y: 1 - height, height }, svg("title", {}, `${day}: ${text(value)}`));
  });
  const [[first], [last, today]] = [named[0], named.at(-1)];
  const [peak] = named.find(([, value]) => value === top);
  const said = top === 0
    ? `${title}: nada en los últimos ${days.length} días.`
    : `${title}: lo más fue ${text(top)}, el ${peak}; el último día, ${text(today)}.`;
  return h("figure", { class: "tarjeta grafica" },
    h("figcaption", {}, h("h3", {}, title), h("p", { class: "tenue" }, top === 0 ? "nada" : `máx. ${text(top)} · hoy ${text(today)}`)),
    svg("svg", { viewBox: `0 0 ${days.length} 1`, preserveAspectRatio: "none", role: "img", "aria-label": said }, bars),
    h("p", { class: "extremos tenue", "aria-hidden": true }, h("span", {}, first), h("span", {}, last)));
}

// duration writes milliseconds as people say them.
export function duration(milliseconds) {
  if (milliseconds < 1000) return `${number(Math.round(milliseconds))} ms`;
  if (milliseconds < 60_000) return `${number(Math.round(milliseconds / 100) / 10)} s`;
  return `${number(Math.round(milliseconds / 60_000))} min`;
}
