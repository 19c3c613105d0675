// What an institution's records, reports and matches come to.
import { h } from "../lib/dom.js";
import { drawn, Followed } from "../lib/followed.js";
import { section } from "../lib/parts.js";
import { DAYS, duration, perDay, plot } from "./cifras.js";
import { reportes } from "./reportes.js";
import { cifrasPath, reportesPath } from "./rutas.js";

export function seguimiento(session, page, id) {
  const sources = [new Followed(session.client, reportesPath(id)), new Followed(session.client, cifrasPath(id))];
  const element = drawn(sources, (reports, days) => [
    section(`Los últimos ${DAYS} días`, h("div", { class: "graficas" }, plots(reports, days))),
    section("Reportes", reportes(reports, (reporteId) => page.go("/reporte", { id, reporteId }))),
  ]);
  return { element, sources };
}

function plots(reports, days) {
  const daily = (name) => days.map((day) => [day.dia, day[name] ?? 0]);
  return [
    plot("Registros recibidos en lotes", daily("recibidos")),
    plot("Reportes activados", perDay(reports.map((each) => each.activado_en))),
    plot("Coincidencias halladas", daily("coincidencias")),
    plot("Tiempo en avisarlas (mediana)", daily("mediana_ms"), duration),
  ];
}
