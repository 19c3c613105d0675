// What needs somebody, in order: the most urgent first, as the service says it.
import { button, foreign, h, replace } from "../lib/dom.js";
import { badged, coded } from "../lib/parts.js";
import { clockTime, instant } from "../lib/time.js";

// The kinds, and how grave they are.
const KINDS = {
  coincidencias_rechazadas: ["Coincidencias rechazadas", "mal"],
  finales_rechazados: ["Finales rechazados", "mal"],
  reporte_contradicho: ["Reporte contradicho", "mal"],
  coincidencias_en_espera: ["Coincidencias en espera", "espera"],
  institucion_silenciosa: ["Institución silenciosa", "espera"],
  llave_por_vencer: ["Llave por vencer", "espera"],
  respuesta_300: ["Respuesta 300", "espera"],
  entregas_pausadas: ["Entregas en pausa", "espera"],
};

export function resumen(session, page) {
  const source = session.resumen;
  const [state, body] = [h("p", { class: "tenue" }), h("div", { class: "vista" })];
  const draw = () => {
    state.textContent = source.readAt ? `Al corriente a las ${clockTime(source.readAt)}` : "Leyendo…";
    if (!source.rows) return;
    const { en_orden: well, registros_caido: down, pendientes } = source.rows;
    replace(body,
      down ? h("p", { class: "problema" }, "registros no contestó: de los registros, casos y coincidencias no se sabe nada ahora.") : null,
      well ? h("p", { class: "tarjeta" }, h("span", { class: "insignia bien" }, "En orden"), " Nada necesita a nadie.") : null,
      h("ul", { class: "tareas" }, pendientes.map((each) => item(each, page))));
  };
  source.addEventListener("state", draw);
  draw();
  return {
    element: h("div", { class: "vista" }, h("div", { class: "titular" }, h("h1", {}, "Qué necesita a alguien"), state), body),
    stop: () => source.removeEventListener("state", draw),
  };
}

function item(pending, page) {
  const [title, kind] = KINDS[pending.tipo] ?? [pending.tipo, "espera"];
  return h("li", { class: `tarea ${kind}` },
    h("div", { class: "tarea-texto" },
      h("p", {}, badged(kind, foreign(title)), " ", coded(pending.id_empresa), pending.fecha ? [" · ", instant(pending.fecha)] : null),
      h("p", {}, foreign(pending.mensaje))),
    button("Ver la institución", () => page.go("/institucion", { id: pending.id_empresa }), { "aria-label": `Ver la institución ${pending.id_empresa}` }));
}
