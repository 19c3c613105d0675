// What an institution's reports and matches come to.
import { h } from "../lib/dom.js";
import { drawn, Followed } from "../lib/followed.js";
import { section } from "../lib/parts.js";
import { duration, medianPerDay, perDay, plot } from "./cifras.js";
import { reportes } from "./reportes.js";
import { coincidenciasPath, reportesPath } from "./rutas.js";

export function seguimiento(session, page, id) {
  const sources = [new Followed(session.client, reportesPath(id)), new Followed(session.client, coincidenciasPath(id))];
  const element = drawn(sources, (reports, matches) => [
    section("Los últimos 30 días", h("div", { class: "cifras" }, plots(reports, matches))),
    section("Reportes", reportes(reports, (reporteId) => page.go("/reporte", { id, reporteId }))),
  ]);
  return { element, sources };
}

function plots(reports, matches) {
  const waits = matches.filter((each) => each.notificada_en).map((each) => [each.notificada_en, Date.parse(each.notificada_en) - Date.parse(each.detectada_en)]);
  return [
    plot("Reportes activados", perDay(reports.map((each) => each.activado_en))),
    plot("Coincidencias halladas", perDay(matches.map((each) => each.detectada_en))),
    plot("Tiempo en avisar (mediana)", medianPerDay(waits), duration),
  ];
}
