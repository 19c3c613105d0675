// What an institution's reports and matches come to.
import { button, h, replace } from "../lib/dom.js";
import { problemCard } from "../lib/problem.js";
import { duration, medianPerDay, perDay, plot } from "./cifras.js";
import { reportes, reportesPath } from "./reportes.js";

export function seguimiento(session, page, id) {
  const [told, list, plots] = [h("div", {}), h("div", {}), h("div", { class: "cifras" })];
  const path = `/operador/empresas/${encodeURIComponent(id)}`;
  const load = async () => {
    try {
      const [reports, matches] = await Promise.all([session.client.get(reportesPath(id)), session.client.get(`${path}/coincidencias`)]);
      replace(told);
      replace(list, reportes(reports.data, (reporteId) => page.go("/reporte", { id, reporteId })));
      replace(plots, drawn(reports.data, matches.data));
    } catch (fault) {
      replace(told, problemCard(fault, button("Reintentar", load)));
    }
  };
  load();
  return { element: h("div", { class: "vista" }, told,
    h("section", {}, h("h2", {}, "Los últimos 30 días"), plots),
    h("section", {}, h("h2", {}, "Reportes"), list)) };
}

function drawn(reports, matches) {
  const told = matches.filter((each) => each.notificada_en);
  return [
    plot("Reportes activados", perDay(reports.map((each) => each.activado_en))),
    plot("Coincidencias halladas", perDay(matches.map((each) => each.detectada_en))),
    plot("Tiempo en avisar (mediana)", medianPerDay(told.map((each) => [each.notificada_en, Date.parse(each.notificada_en) - Date.parse(each.detectada_en)])), duration),
  ];
}
