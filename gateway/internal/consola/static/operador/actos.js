// What an operator does for an institution. Each act is a line in the Bitácora.
import { act } from "../lib/act.js";
import { button, field, h } from "../lib/dom.js";
import { section } from "../lib/parts.js";
import { count, number } from "../lib/time.js";
import { announce } from "../shell.js";
import { showAccess } from "./empresas.js";
import { coincidenciasPath, empresaPath, reportesPath } from "./rutas.js";

// acts are the buttons for an institution; changed() is called after each.
export function acts(session, row, changed) {
  const path = empresaPath(row.id_empresa);
  const post = async (route, body) => {
    const { data } = await session.client.post(route, body);
    changed();
    return data;
  };
  const simple = (title, words, verb, route, body) =>
    button(title, () => act({ title, text: words, verb, done: `${title}: hecho.`, doing: async () => void await post(route, body) }));
  const refused = row.actividad?.coincidencias_rechazadas > 0;
  return section("Qué puede hacer", h("div", { class: "tarjeta acciones" },
    button("Cambiar los datos", () => change(row, (body) => post(`${path}/cambiar`, body))),
    button("Clave de entrada nueva", () => claveEntrada(() => post(`${path}/clave-entrada`, {}))),
    button("Clave de salida", () => claveSalida(row, (body) => post(`${path}/clave-salida`, body))),
    refused && button("Avisar otra vez de lo rechazado", () => retryAll(row, (body) => post(`${coincidenciasPath(row.id_empresa)}/reintentar`, body))),
    simple("Comparar con la plataforma", "Se comparan sus reportes activos con la lista de la plataforma, y se pone al día lo que falte.", "Comparar",
      "/operador/resincronizar", { id_empresa: row.id_empresa }),
    row.actividad && (row.pasos.carga_terminada
      ? simple("Buscar otra vez en todo", "Se busca otra vez para todos sus reportes activos, como tras una carga tardía. Lo que ya se avisó no se repite.", "Buscar",
        `${reportesPath(row.id_empresa)}/rebuscar`)
      : simple("Terminar la carga inicial", "Se busca en lo que ha enviado y se avisa a la plataforma, también de las búsquedas que terminan. Hágalo cuando la institución diga que ya envió todo: no se deshace.",
        "Terminar", `${path}/carga-terminada`)),
    row.entrega_pausada_en
      ? simple("Reanudar las entregas", "Las entregas retenidas salen otra vez, en menos de un minuto.", "Reanudar", `${path}/entregas/reanudar`)
      : simple("Pausar las entregas", "Nada sale hacia la plataforma hasta que se reanuden. Nada se pierde.", "Pausar", `${path}/entregas/pausar`),
    row.estado === "activa"
      ? simple("Suspender la institución", "Sus llaves, sus tokens y sus entregas dejan de servir en el acto. Sus datos quedan.", "Suspender", `${path}/suspender`)
      : simple("Reanudar la institución", "Sus llaves y sus entregas vuelven a servir.", "Reanudar", `${path}/reanudar`)));
}

function change(row, post) {
  const nombre = h("input", { required: true, value: row.nombre });
  const [pui, lugar, neutro] = [row.institucion_id, row.sitio?.descripcion, row.tipo_evento_neutro].map((value) => h("input", { value: value ?? "" }));
  act({
    title: "Cambiar los datos", verb: "Guardar", done: "Los datos quedaron cambiados.",
    controls: [field("Nombre", nombre), field("Como la llama la plataforma", pui), field("Lugar propio", lugar, "Dónde pasan los eventos que no dicen su lugar."),
      field("Acto neutro", neutro, "Lo que se notifica en lugar de un evento que nombra un dato de salud; de fábrica, «Atención administrativa».")],
    doing: async () => {
      const place = lugar.value.trim();
      const site = place === "" ? { quitar_sitio: Boolean(row.sitio) } : { sitio: { ...row.sitio, descripcion: place } };
      await post({ nombre: nombre.value.trim(), institucion_id: pui.value.trim(), tipo_evento_neutro: neutro.value.trim(), ...site });
    },
  });
}

function claveEntrada(post) {
  act({
    title: "Clave de entrada nueva", verb: "Fijar otra", done: "La clave quedó fijada.",
    text: "La plataforma deja de entrar con la anterior, hasta que la nueva se capture en su portal.",
    doing: async () => {
      const acceso = await post();
      return () => showAccess(acceso);
    },
  });
}

function claveSalida(row, post) {
  const [url, clave] = [h("input", { type: "url", required: true, value: row.pui_url ?? "" }), h("input", { type: "password", required: true, autocomplete: "off" })];
  act({
    title: "Clave de salida", verb: "Guardar", done: "La clave quedó guardada.", text: "Con ella entra la institución a la plataforma.",
    controls: [field("Dirección de la plataforma", url), field("Clave", clave)],
    doing: async () => void await post({ url: url.value.trim(), clave: clave.value }),
  });
}

function retryAll(row, post) {
  act({
    title: "Avisar otra vez de lo rechazado", verb: "Avisar", done: "Vuelve a salir.",
    text: `La plataforma rechazó ${count(row.actividad.coincidencias_rechazadas, "coincidencia", "coincidencias")}. Corrija antes lo que la hizo rechazarlas.`,
    doing: async () => {
      const { reintentadas, sin_reintento: left } = await post({ simular: false });
      return () => announce(`Vuelven a salir ${count(reintentadas, "coincidencia", "coincidencias")}; ${number(left)} no, porque su reporte ya no está activo.`);
    },
  });
}
