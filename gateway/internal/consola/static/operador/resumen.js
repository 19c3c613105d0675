// What needs somebody, in order: the most urgent first, as the service says it.
import { act } from "../lib/act.js";
import { openDialog } from "../lib/dialog.js";
import { button, foreign, h, replace } from "../lib/dom.js";
import { actions, badged, coded, plainTable, section } from "../lib/parts.js";
import { clockTime, instant } from "../lib/time.js";
import { restablecidas } from "./cuenta.js";
import { empresaPath } from "./rutas.js";

// The kinds, and how grave they are.
const KINDS = {
  reportes_sin_abrir: ["Reportes que no se abrieron", "mal"],
  coincidencias_rechazadas: ["Coincidencias rechazadas", "mal"],
  finales_rechazados: ["Finales rechazados", "mal"],
  envios_atascados: ["Envíos que la plataforma no acepta", "mal"],
  reporte_contradicho: ["Reporte contradicho", "mal"],
  coincidencias_en_espera: ["Coincidencias en espera", "espera"],
  institucion_silenciosa: ["Institución silenciosa", "espera"],
  carga_sin_terminar: ["Carga inicial sin terminar", "espera"],
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
    const { en_orden: well, registros_caido: down, pendientes, restablecimientos: resets } = source.rows;
    replace(body,
      down ? h("p", { class: "problema" }, "registros no contestó: de los registros, casos y coincidencias no se sabe nada ahora.") : null,
      well ? h("p", { class: "tarjeta" }, h("span", { class: "insignia bien" }, "En orden"), " Nada necesita a nadie.") : null,
      h("ul", { class: "tareas" }, pendientes.map((each) => item(each, session, page))),
      resets.length > 0 ? section("Cuentas que un operador restableció a otro esta semana", restablecidas(resets)) : null);
  };
  source.addEventListener("state", draw);
  draw();
  return {
    element: h("div", { class: "vista" }, h("div", { class: "titular" }, h("h1", {}, "Qué necesita a alguien"), state), body),
    stop: () => source.removeEventListener("state", draw),
  };
}

function item(pending, session, page) {
  const [title, kind] = KINDS[pending.tipo] ?? [pending.tipo, "espera"];
  return h("li", { class: `tarea ${kind}` },
    h("div", { class: "tarea-texto" },
      h("p", {}, badged(kind, foreign(title)), " ", coded(pending.id_empresa), pending.fecha ? [" · ", instant(pending.fecha)] : null),
      h("p", {}, foreign(pending.mensaje))),
    actions(
      pending.tipo === "reportes_sin_abrir" && button("Revisar", () => review(session, pending.id_empresa), { "aria-label": `Revisar lo que no se abrió de ${pending.id_empresa}` }),
      button("Ver la institución", () => page.go("/institucion", { id: pending.id_empresa }), { "aria-label": `Ver la institución ${pending.id_empresa}` })));
}

// review shows what of an institution opened no search, which then needs nobody any more.
function review(session, id) {
  act({
    title: "Reportes que no se abrieron", verb: "Ver y dar por revisado", done: "Quedó revisado.",
    text: "Se muestra lo que la plataforma pidió a la institución y no abrió búsqueda, con lo que tiene mal. Sale de esta lista; en la Bitácora queda.",
    doing: async () => {
      const { data } = await session.client.post(`${empresaPath(id)}/sin-abrir/revisar`);
      session.resumen.refresh();
      return () => openDialog("Reportes que no se abrieron",
        plainTable("Reportes que no se abrieron", ["Cuándo", "Cómo llegó", "Reporte", "Qué tiene mal"],
          data.revisados.map((each) => [instant(each.ocurrido_en), ORIGINS[each.origen] ?? each.origen, coded(each.reporte_id ?? "sin identificador"), foreign(each.defectos.join(", "))])),
        data.quedan ? h("p", {}, "Quedan más: revise otra vez.") : null);
    },
  });
}

const ORIGINS = { activacion: "activación rechazada", listado: "lista de la plataforma" };
