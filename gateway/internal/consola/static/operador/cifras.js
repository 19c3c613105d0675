// A few small plots of what the service says of an institution, day by day.
import { h, svg } from "../lib/dom.js";
import { dayOf, dayText, number } from "../lib/time.js";

const DAYS = 30;
const DAY = 86_400_000;
const [WIDTH, HEIGHT, BASE, HEADROOM] = [300, 90, 76, 16];

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

// medianPerDay gives the middle of the values of each of the last days, 0 where there is none.
export function medianPerDay(values) {
  const found = new Map(lastDays().map((day) => [day, []]));
  for (const [instant, value] of values) found.get(dayOf(instant))?.push(value);
  return [...found].map(([day, all]) => [day, all.sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0]);
}

// plot draws a bar for each day, with its greatest value and its ends written out.
export function plot(title, days, text = number) {
  const top = Math.max(...days.map(([, value]) => value));
  const step = WIDTH / days.length;
  const bars = days.map(([day, value], at) => {
    const height = top === 0 ? 0 : (value / top) * (BASE - HEADROOM);
    return svg("rect", { class: "columna-dia", x: at * step + 1, width: step - 2, y: BASE - height, height }, svg("title", {}, `${dayText(day)}: ${text(value)}`));
  });
  const [first, last] = [days[0][0], days.at(-1)[0]];
  const peak = days.find(([, value]) => value === top);
  const said = top === 0
    ? `${title}: nada en los últimos ${days.length} días.`
    : `${title}: lo más fue ${text(top)}, el ${dayText(peak[0])}; el último día, ${text(days.at(-1)[1])}.`;
  return h("figure", { class: "tarjeta cifra" }, h("figcaption", {}, h("h3", {}, title)),
    svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": said },
      svg("line", { class: "eje", x1: 0, x2: WIDTH, y1: BASE, y2: BASE }), bars,
      svg("text", { x: 0, y: 10 }, `máx. ${text(top)}`),
      svg("text", { x: 0, y: HEIGHT - 2 }, dayText(first)), svg("text", { x: WIDTH, y: HEIGHT - 2, "text-anchor": "end" }, dayText(last))));
}

// duration writes milliseconds as people say them.
export function duration(milliseconds) {
  if (milliseconds < 1000) return `${number(Math.round(milliseconds))} ms`;
  if (milliseconds < 60_000) return `${number(Math.round(milliseconds / 100) / 10)} s`;
  return `${number(Math.round(milliseconds / 60_000))} min`;
}
